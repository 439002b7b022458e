// Lays every iteration over the body and reads the durations off.
#include "analysis/compare/samples.h"

#include <algorithm>
#include <map>

#include "algo/sequences/edit_distance.h"

namespace lockstep::analysis::compare {
namespace {

class Sampler {
 public:
  Sampler(const CompareItem& item, const cycles::KernelStream& stream,
          std::span<const KernelClass> classes, SampleWindow window)
      : item_(item), stream_(stream), classes_(classes), window_(window) {
    for (std::size_t i = 0; i < item.iterations.size(); ++i) {
      if (window == SampleWindow::kToNextStart && !item.reaches_next[i]) continue;
      iterations_.push_back(item.iterations[i]);
    }
    for (std::uint32_t k = item.body.start; k < item.body.end; ++k) {
      samples_.body.kernels.push_back(classes_[stream_.names[k]]);
    }
    samples_.positions.assign(item.body.size(), Sample(iterations_.size()));
  }

  ItemSamples take() {
    for (std::size_t i = 0; i < iterations_.size(); ++i) take_iteration(i);
    const auto count = static_cast<std::int64_t>(iterations_.size());
    for (const Sample& sample : samples_.positions) {
      WideTime sum = 0;
      for (const std::int64_t duration : sample) sum += duration;
      samples_.body.mean_ps.push_back(static_cast<std::int64_t>(sum / count));
    }
    return std::move(samples_);
  }

 private:
  [[nodiscard]] std::span<const std::uint32_t> names(cycles::Iteration range) const {
    return std::span(stream_.names).subspan(range.start, range.size());
  }

  void take_iteration(std::size_t i) {
    const cycles::IterationTime& time = iterations_[i];
    const cycles::Iteration range = time.kernels;
    std::int64_t kernel_sum = 0;
    Time reached = time.start;
    for (std::uint32_t k = range.start; k < range.end; ++k) {
      kernel_sum += stream_.duration(k).ps;
      reached = std::max(reached, stream_.ends[k]);
    }
    Time wall = time.wall;
    if (window_ == SampleWindow::kToLastKernel) wall = std::min(wall, reached - time.start);
    samples_.wall.push_back(wall.ps);
    samples_.windows.push_back({time.start, time.start + wall});
    samples_.idle.push_back((wall - time.busy).ps);
    samples_.overlap.push_back(time.busy.ps - kernel_sum);
    // As `cycles` has it: kernels of an iteration of the body's length stand at their offset.
    if (range.size() == item_.body.size()) {
      for (std::uint32_t p = 0; p < range.size(); ++p) put(p, i, range.start + p);
      return;
    }
    // Any two sequences are within the longer one's length of each other.
    const std::uint32_t limit = std::max(range.size(), item_.body.size());
    const auto aligned = algo::edit_alignment(names(item_.body), names(range), limit);
    for (std::uint32_t p = 0; p < range.size(); ++p) {
      const std::uint32_t partner = aligned ? aligned->partners[p] : algo::kUnaligned;
      if (partner == algo::kUnaligned) {
        put_beyond(p, i, range.start + p);
      } else {
        put(partner, i, range.start + p);
      }
    }
  }

  void put(std::uint32_t position, std::size_t iteration, std::uint32_t kernel) {
    samples_.positions[position][iteration] += stream_.duration(kernel).ps;
  }

  void put_beyond(std::uint32_t place, std::size_t iteration, std::uint32_t kernel) {
    const KernelClass its_class = classes_[stream_.names[kernel]];
    const auto [found, is_new] = beyond_.try_emplace(its_class, samples_.beyond.size());
    if (is_new) {
      samples_.beyond.push_back({its_class, place, Sample(iterations_.size())});
    }
    samples_.beyond[found->second].sample[iteration] += stream_.duration(kernel).ps;
  }

  const CompareItem& item_;
  const cycles::KernelStream& stream_;
  std::span<const KernelClass> classes_;
  SampleWindow window_;
  std::vector<cycles::IterationTime> iterations_;  // those that the window leaves
  std::map<KernelClass, std::size_t> beyond_;
  ItemSamples samples_;
};

}  // namespace

SampleWindow window_for(const CompareItem& a, const CompareItem& b) {
  const auto has_enough = [](const CompareItem& item) {
    return std::ranges::count(item.reaches_next, true) >= kMinWholeIterations;
  };
  return has_enough(a) && has_enough(b) ? SampleWindow::kToNextStart : SampleWindow::kToLastKernel;
}

ItemSamples take_samples(const CompareItem& item, const cycles::KernelStream& stream,
                         std::span<const KernelClass> classes, SampleWindow window) {
  return Sampler(item, stream, classes, window).take();
}

}  // namespace lockstep::analysis::compare
