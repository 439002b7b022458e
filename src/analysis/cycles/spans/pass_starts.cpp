// Counts attention between the runs of every name.
#include "analysis/cycles/spans/pass_starts.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace lockstep::analysis::cycles {
namespace {

// A pass has at least so many attention kernels, and there are at least so many passes: fewer
// happen by chance.
constexpr std::uint32_t kFewestAttention = 2;
constexpr std::size_t kFewestPasses = 3;
// The passes must hold so much of all attention.
constexpr double kShareOfAttention = 0.8;

// Runs of one name, those with no attention between them as one.
struct Runs {
  std::vector<std::uint32_t> first_kernels;
  std::vector<std::uint32_t> attention_before;  // of each
};

class StartFinder {
 public:
  StartFinder(const KernelStream& stream, const WorkCounter& work, Iteration range)
      : stream_(stream), work_(work), range_(range) {
    for (std::uint32_t i = range.start; i < range.end; ++i) {
      if (work.is_forward_attention(i)) {
        ++attention_;
        continue;
      }
      Runs& runs = by_name_[stream.names[i]];
      if (!runs.attention_before.empty() && runs.attention_before.back() == attention_) continue;
      runs.first_kernels.push_back(i);
      runs.attention_before.push_back(attention_);
    }
  }

  [[nodiscard]] std::vector<std::uint32_t> run() {
    find_landmarks();
    const std::uint32_t layers = chosen_number();
    if (layers == 0) return {};
    std::erase_if(landmarks_, [&](const Landmark& one) { return one.layers != layers; });
    std::vector<std::uint32_t> starts = after_sampling();
    if (starts.empty()) starts = at_the_longest_gap();
    std::erase_if(starts, [&](std::uint32_t start) { return !has_attention_behind(start); });
    return starts;
  }

 private:
  struct Landmark {
    std::uint32_t name = 0;
    std::uint32_t layers = 0;  // attention between two runs
    bool samples = false;
    bool begins = false;  // a lookup, or a convolution over a picture or sound
  };

  // Names with the same number of attention kernels between all their runs.
  void find_landmarks() {
    for (const auto& [name, runs] : by_name_) {
      const std::optional<std::uint32_t> layers = distance(runs);
      if (!layers) continue;
      const std::uint32_t first = runs.first_kernels.front();
      const WorkCount work = work_.count({first, first + 1});
      const kernels::KernelRole role = stream_.symbol(first).facts.role;
      landmarks_.push_back({name, *layers, work.samplings > 0,
                            work.lookups > 0 || role == kernels::KernelRole::kConvolution});
    }
    std::ranges::sort(landmarks_, {}, &Landmark::name);
  }

  [[nodiscard]] std::optional<std::uint32_t> distance(const Runs& runs) const {
    const std::vector<std::uint32_t>& at = runs.attention_before;
    if (at.size() < kFewestPasses) return std::nullopt;
    const std::uint32_t first = at[1] - at[0];
    for (std::size_t i = 1; i < at.size(); ++i) {
      if (at[i] - at[i - 1] != first) return std::nullopt;
    }
    const auto held = static_cast<double>(first) * static_cast<double>(at.size());
    if (first < kFewestAttention || held < kShareOfAttention * attention_) return std::nullopt;
    return first;
  }

  // 0 where nothing tells that these are passes: kinds of layers take turns, too.
  [[nodiscard]] std::uint32_t chosen_number() const {
    std::uint32_t sampled = 0;
    std::uint32_t begun = 0;
    for (const Landmark& one : landmarks_) {
      if (one.samples) sampled = std::max(sampled, one.layers);
      if (one.begins) begun = std::max(begun, one.layers);
    }
    return sampled > 0 ? sampled : begun;
  }

  // Behind the last of those sampling kernels before the next attention; routers sample, too.
  [[nodiscard]] std::vector<std::uint32_t> after_sampling() const {
    std::unordered_set<std::uint32_t> names;
    for (const Landmark& one : landmarks_) {
      if (one.samples) names.insert(one.name);
    }
    std::vector<std::uint32_t> starts;
    if (names.empty()) return starts;
    bool is_open = false;  // no attention since the last start
    for (std::uint32_t i = range_.start; i < range_.end; ++i) {
      if (work_.is_forward_attention(i)) is_open = false;
      if (!names.contains(stream_.names[i])) continue;
      if (is_open) {
        starts.back() = i + 1;
      } else {
        starts.push_back(i + 1);
      }
      is_open = true;
    }
    return starts;
  }

  // The host prepares the next pass while the device waits; not behind what begins the pass.
  [[nodiscard]] std::vector<std::uint32_t> at_the_longest_gap() const {
    std::uint32_t first = range_.end;  // that begins the last pass
    for (const Landmark& one : landmarks_) {
      if (one.begins) first = std::min(first, by_name_.at(one.name).first_kernels.back());
    }
    std::vector<std::uint32_t> best;
    std::int64_t longest = 0;
    for (const Landmark& one : landmarks_) {
      std::vector<std::uint32_t> starts = by_name_.at(one.name).first_kernels;
      if (starts.back() > first) continue;
      if (by_name_.at(one.name).attention_before.front() == 0) starts.erase(starts.begin());
      std::vector<std::int64_t> gaps;
      for (const std::uint32_t start : starts)
        gaps.push_back((stream_.starts[start] - stream_.ends[start - 1]).ps);
      std::ranges::sort(gaps);
      const std::int64_t median = gaps[gaps.size() / 2];
      if (!best.empty() && median <= longest) continue;
      best = std::move(starts);
      longest = median;
    }
    return best;
  }

  [[nodiscard]] bool has_attention_behind(std::uint32_t start) const {
    for (std::uint32_t i = start; i < range_.end; ++i) {
      if (work_.is_forward_attention(i)) return true;
    }
    return false;
  }

  const KernelStream& stream_;
  const WorkCounter& work_;
  Iteration range_;
  std::unordered_map<std::uint32_t, Runs> by_name_;
  std::uint32_t attention_ = 0;
  std::vector<Landmark> landmarks_;
};

}  // namespace

std::vector<std::uint32_t> pass_starts(const KernelStream& stream, const WorkCounter& work,
                                       Iteration range) {
  if (work.trains()) return {};
  return StartFinder(stream, work, range).run();
}

}  // namespace lockstep::analysis::cycles
