// Loops that stand for themselves, then everything between them, cut where phases change.
#include "analysis/compare/items.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace lockstep::analysis::compare {
namespace {

// A loop is left in the segment around it when its body is shorter than this or it has fewer
// iterations, and it is under this share of the stream's kernels and time: the repeated memset of
// a warm-up is no work that anybody compares by itself.
constexpr std::uint32_t kMinPeriod = 8;
constexpr std::size_t kMinIterations = 3;
constexpr double kMinShare = 0.2;

class ItemFinder {
 public:
  ItemFinder(const cycles::StreamCycles& cycles, std::uint32_t stream, IterationShare share,
             const WholePhases& whole)
      : cycles_(cycles),
        stream_(stream),
        share_(share),
        whole_(whole),
        is_taken_(cycles.stream.size(), false) {
    if (cycles.stream.size() == 0) return;
    const Time last = *std::ranges::max_element(cycles.stream.ends);
    span_ps_ = static_cast<double>((last - cycles.stream.starts.front()).ps);
  }

  std::vector<CompareItem> find() {
    for (std::uint32_t i = 0; i < cycles_.nest.loops.size(); ++i) {
      if (stands_for_itself(i) && !is_trivial(i)) add_loop(i);
    }
    find_cuts();
    add_segments();
    std::ranges::stable_sort(items_, {}, [](const CompareItem& item) { return item.side.start; });
    return std::move(items_);
  }

  std::vector<CompareItem> find_inner() {
    for (std::uint32_t i = 0; i < cycles_.nest.loops.size(); ++i) {
      if (!stands_for_itself(i) || cycles_.nest.loops[i].period < kMinPeriod) continue;
      std::vector<cycles::IterationTime> inside;
      for (const cycles::IterationTime& iteration : cycles_.loops[i].iterations) {
        if (single_pass_at(iteration.kernels.start) != nullptr) inside.push_back(iteration);
      }
      if (inside.size() >= kMinIterations) add_iterations(i, inside);
    }
    return std::move(items_);
  }

 private:
  [[nodiscard]] bool is_request(std::uint32_t loop) const {
    return cycles_.loops[loop].role == cycles::LoopRole::kRequest;
  }

  // Outermost, or directly inside of requests; and no loop of requests that has loops inside.
  [[nodiscard]] bool stands_for_itself(std::uint32_t loop) const {
    const std::int32_t parent = cycles_.nest.loops[loop].parent;
    if (parent != cycles::kNoLoop) {
      const auto outer = static_cast<std::uint32_t>(parent);
      if (!is_request(outer) || stands_for_itself(outer)) return false;
    }
    return !is_request(loop) || !has_children(loop);
  }

  [[nodiscard]] bool is_trivial(std::uint32_t loop) const {
    const std::vector<cycles::IterationTime>& iterations = cycles_.loops[loop].iterations;
    if (cycles_.nest.loops[loop].period >= kMinPeriod && iterations.size() >= kMinIterations) {
      return false;
    }
    const cycles::KernelStream& stream = cycles_.stream;
    double kernels = 0;
    double time = 0;
    for (const cycles::IterationTime& iteration : iterations) {
      kernels += iteration.kernels.size();
      time += static_cast<double>(iteration.wall.ps);
    }
    return kernels < kMinShare * static_cast<double>(stream.size()) && time < kMinShare * span_ps_;
  }

  [[nodiscard]] bool has_children(std::uint32_t loop) const {
    return std::ranges::any_of(cycles_.nest.loops, [&](const cycles::NestLoop& other) {
      return other.parent == static_cast<std::int32_t>(loop);
    });
  }

  // The span of one pass that is compared whole, if the kernel lies in one.
  [[nodiscard]] const cycles::PhaseSpan* single_pass_at(std::uint32_t kernel) const {
    const cycles::PhaseSpan* span = span_at(kernel);
    const bool is_single = span != nullptr && span->loop == cycles::kNoLoop && span->passes == 1;
    return is_single && whole_.contains(span->phase) ? span : nullptr;
  }

  [[nodiscard]] const cycles::PhaseSpan* span_at(std::uint32_t kernel) const {
    const auto after =
        std::ranges::upper_bound(cycles_.phases, kernel, {}, &cycles::PhaseSpan::start);
    if (after == cycles_.phases.begin()) return nullptr;
    const cycles::PhaseSpan& span = *std::prev(after);
    return kernel < span.end ? &span : nullptr;
  }

  void add_loop(std::uint32_t index) {
    std::vector<cycles::IterationTime> iterations;
    for (const cycles::IterationTime& iteration : cycles_.loops[index].iterations) {
      if (single_pass_at(iteration.kernels.start) == nullptr) iterations.push_back(iteration);
    }
    if (iterations.empty()) return;
    for (const cycles::IterationTime& iteration : iterations) {
      for (std::uint32_t k = iteration.kernels.start; k < iteration.kernels.end; ++k) {
        is_taken_[k] = true;
      }
    }
    const auto count = static_cast<double>(iterations.size());
    const auto from = static_cast<std::ptrdiff_t>(std::floor(count * share_.from));
    const auto to = static_cast<std::ptrdiff_t>(std::floor(count * share_.to));
    if (from >= to) return;
    add_iterations(index, {iterations.begin() + from, iterations.begin() + to});
  }

  void add_iterations(std::uint32_t index, std::vector<cycles::IterationTime> iterations) {
    const cycles::Loop& loop = cycles_.loops[index];
    CompareItem item;
    item.body = body_of(index, iterations);
    item.iterations = std::move(iterations);
    item.reaches_next = reaching_next(index, item.iterations);
    item.side.loop = index;
    item.side.phase = loop.phase;
    item.side.role = loop.role;
    item.side.start = item.iterations.front().kernels.start;
    item.side.end = end_of_instance(item.iterations);
    add(std::move(item));
  }

  // The iteration that the nest took for the body; the first one where that is left out.
  [[nodiscard]] cycles::Iteration body_of(
      std::uint32_t index, const std::vector<cycles::IterationTime>& iterations) const {
    const std::uint32_t start = cycles_.nest.loops[index].body_start;
    for (const cycles::IterationTime& iteration : iterations) {
      if (iteration.kernels.start == start) return iteration.kernels;
    }
    return iterations.front().kernels;
  }

  [[nodiscard]] std::vector<bool> reaching_next(
      std::uint32_t index, const std::vector<cycles::IterationTime>& iterations) const {
    std::set<std::uint32_t> last_starts;
    for (const cycles::LoopInstance& instance : cycles_.nest.loops[index].instances) {
      last_starts.insert(instance.iterations.back().start);
    }
    std::vector<bool> reaches_next;
    for (const cycles::IterationTime& iteration : iterations) {
      reaches_next.push_back(!last_starts.contains(iteration.kernels.start));
    }
    return reaches_next;
  }

  [[nodiscard]] static std::uint32_t end_of_instance(
      const std::vector<cycles::IterationTime>& iterations) {
    std::uint32_t end = iterations.front().kernels.end;
    for (std::size_t i = 1; i < iterations.size() && iterations[i].kernels.start == end; ++i) {
      end = iterations[i].kernels.end;
    }
    return end;
  }

  void find_cuts() {
    for (const cycles::PhaseSpan& span : cycles_.phases) {
      cuts_.insert(span.start);
      cuts_.insert(span.end);
    }
    for (std::uint32_t i = 0; i < cycles_.nest.loops.size(); ++i) {
      if (!is_request(i)) continue;
      for (const cycles::LoopInstance& instance : cycles_.nest.loops[i].instances) {
        for (const cycles::Iteration& iteration : instance.iterations) {
          cuts_.insert(iteration.start);
          cuts_.insert(iteration.end);
        }
      }
    }
  }

  void add_segments() {
    const auto size = static_cast<std::uint32_t>(cycles_.stream.size());
    for (std::uint32_t start = 0; start < size;) {
      if (is_taken_[start]) {
        ++start;
        continue;
      }
      std::uint32_t end = start + 1;
      while (end < size && !is_taken_[end] && !cuts_.contains(end)) ++end;
      add_segment({start, end});
      start = end;
    }
  }

  // Equal segments are occurrences of one item.
  void add_segment(cycles::Iteration range) {
    const std::vector<std::uint32_t> names(cycles_.stream.names.begin() + range.start,
                                           cycles_.stream.names.begin() + range.end);
    const cycles::PhaseSpan* span = span_at(range.start);
    const cycles::PhaseName phase = span != nullptr ? span->phase : cycles::PhaseName::kUnknown;
    const auto [found, is_new] = segments_.try_emplace({phase, names}, items_.size());
    if (is_new) {
      CompareItem item;
      item.body = range;
      item.side.phase = phase;
      item.side.role = single_pass_at(range.start) != nullptr ? cycles::LoopRole::kPass
                                                              : cycles::LoopRole::kUnknown;
      item.side.start = range.start;
      item.side.end = range.end;
      item.iterations.push_back(time_of(range));
      item.reaches_next.push_back(false);
      add(std::move(item));
      return;
    }
    CompareItem& item = items_[found->second];
    item.iterations.push_back(time_of(range));
    item.reaches_next.push_back(false);
    ++item.side.iterations;
  }

  // From its first kernel to its last end.
  [[nodiscard]] cycles::IterationTime time_of(cycles::Iteration range) const {
    const cycles::KernelStream& stream = cycles_.stream;
    cycles::IterationTime time{range, stream.starts[range.start], {}, {}, {}};
    Time reached = time.start;
    for (std::uint32_t k = range.start; k < range.end; ++k) {
      time.kernel_sum += stream.duration(k);
      if (stream.ends[k] <= reached) continue;
      time.busy += stream.ends[k] - std::max(stream.starts[k], reached);
      reached = stream.ends[k];
    }
    time.wall = reached - time.start;
    return time;
  }

  void add(CompareItem item) {
    item.side.stream = stream_;
    item.side.kernels = item.body.size();
    item.side.iterations = static_cast<std::uint32_t>(item.iterations.size());
    items_.push_back(std::move(item));
  }

  const cycles::StreamCycles& cycles_;
  std::uint32_t stream_;
  IterationShare share_;
  const WholePhases& whole_;
  std::vector<bool> is_taken_;
  double span_ps_ = 0;  // of the stream
  std::set<std::uint32_t> cuts_;
  std::map<std::pair<cycles::PhaseName, std::vector<std::uint32_t>>, std::size_t> segments_;
  std::vector<CompareItem> items_;
};

}  // namespace

WholePhases whole_phases(const cycles::Cycles& a, const cycles::Cycles& b) {
  WholePhases whole = {cycles::PhaseName::kPrefill};
  for (const cycles::Cycles* cycles : {&a, &b}) {
    for (const cycles::StreamCycles& stream : cycles->streams) {
      for (const cycles::PhaseSpan& span : stream.phases) {
        if (span.loop != cycles::kNoLoop && span.phase != cycles::PhaseName::kUnknown)
          whole.insert(span.phase);
      }
    }
  }
  return whole;
}

std::vector<CompareItem> inner_items(const cycles::StreamCycles& cycles, std::uint32_t stream,
                                     const WholePhases& whole) {
  return ItemFinder(cycles, stream, {}, whole).find_inner();
}

std::vector<CompareItem> compare_items(const cycles::StreamCycles& cycles, std::uint32_t stream,
                                       IterationShare share, const WholePhases& whole) {
  return ItemFinder(cycles, stream, share, whole).find();
}

}  // namespace lockstep::analysis::compare
