// Launches by the order of events, and where that is not Proton's by their blocks.
#include "formats/kernel_profile/other_tools/proton_launches.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

namespace lockstep::formats::kernel_profile {
namespace {

// What tells two runs of one block apart.
using BlockRun = std::pair<std::int32_t, std::uint64_t>;  // multiprocessor, time of its end
BlockRun run_of(const ProtonScope& scope) { return {scope.block.core, scope.finalization}; }

// Scopes of one kernel that one call stack launched.
using KernelKey = std::pair<std::string_view, std::uint32_t>;
KernelKey kernel_of(const ProtonScope& scope) { return {scope.block.kernel, scope.stack}; }

// Says where the next launch begins in the order of the file.
class LaunchBorders {
 public:
  [[nodiscard]] bool is_next(const ProtonScope& scope) {
    const bool is_next = last_ == nullptr || opens_launch(scope);
    if (is_next) blocks_.clear();
    blocks_.try_emplace(scope.block.cta, run_of(scope));
    last_ = &scope;
    return is_next;
  }

 private:
  // A block runs once a launch, on one multiprocessor, and ends once.
  [[nodiscard]] bool opens_launch(const ProtonScope& scope) const {
    if (kernel_of(scope) != kernel_of(*last_) || scope.place() < last_->place()) return true;
    const auto known = blocks_.find(scope.block.cta);
    return known != blocks_.end() && known->second != run_of(scope);
  }

  const ProtonScope* last_ = nullptr;
  std::unordered_map<std::uint64_t, BlockRun> blocks_;
};

std::vector<std::uint32_t> launches_by_order(std::span<const ProtonScope> scopes) {
  std::vector<std::uint32_t> launches;
  LaunchBorders borders;
  std::uint32_t count = 0;
  for (const ProtonScope& scope : scopes) {
    if (borders.is_next(scope)) ++count;
    launches.push_back(count - 1);
  }
  return launches;
}

using Line = std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>;  // block, warp, line

// What the order of the file makes a launch.
struct LaunchInOrder {
  std::set<std::pair<std::uint64_t, std::uint32_t>> lanes;
  std::map<Line, std::int64_t> begins;  // of the last scope of a line
  std::set<std::string_view> names;
  std::uint64_t scopes = 0;
  std::int64_t first_begin = INT64_MAX;
  std::int64_t last_begin = INT64_MIN;  // of the first scopes of blocks
};

class KernelInOrder {
 public:
  void add(const ProtonScope& scope, std::uint32_t launch) {
    const Line line{scope.block.cta, scope.warp, scope.line};
    if (launch_ == nullptr || launch != number_ || line != line_) go_to(launch, line, scope.begin);
    launch_->scopes += 1;
    launch_->names.insert(scope.name);
    launch_->first_begin = std::min(launch_->first_begin, scope.begin);
    names_.insert(scope.name);
    goes_back_on_line_ |= scope.begin < *begin_;
    *begin_ = scope.begin;
    goes_back_ |= scope.begin < last_begin_;
    last_begin_ = scope.begin;
    has_timer_ = scope.megahertz > 0;
  }

  // Whether Proton may have written it so: launches that follow each other, as it waits for the end
  // of each, and are all alike or have many scopes each.
  [[nodiscard]] bool is_orderly() const {
    // Scopes of a line follow each other. Those of the next warp begin while the last one runs.
    const bool is_by_time = !goes_back_ && lanes_.size() > 1 && names_.size() > 1;
    if (goes_back_on_line_ || is_by_time) return false;
    if (launches_.size() < 2) return true;
    if (has_timer_ && !follow_each_other()) return false;
    double lanes = 0;
    double names = 0;
    std::uint64_t scopes = 0;
    // The last one may be cut off.
    for (auto it = launches_.begin(); std::next(it) != launches_.end(); ++it) {
      lanes += static_cast<double>(it->second.lanes.size()) / static_cast<double>(lanes_.size());
      names += static_cast<double>(it->second.names.size()) / static_cast<double>(names_.size());
      scopes += it->second.scopes;
    }
    const auto count = static_cast<double>(launches_.size() - 1);
    if (lanes >= kAlike * count && names >= kMostNames * count) return true;
    const bool has_many = static_cast<double>(scopes) >= kManyScopes * count;
    return has_many && lanes >= kMostLanes * count;
  }

 private:
  // Scopes of a line mostly stand together.
  void go_to(std::uint32_t launch, const Line& line, std::int64_t begin) {
    number_ = launch;
    line_ = line;
    launch_ = &launches_[launch];
    begin_ = &launch_->begins.try_emplace(line, begin).first->second;
    const auto [block, warp, number] = line;
    if (launch_->lanes.emplace(block, warp).second) {
      launch_->last_begin = std::max(launch_->last_begin, begin);
    }
    lanes_.emplace(block, warp);
  }

  static constexpr double kAlike = 0.9;       // of the lanes of a kernel are in its launches
  static constexpr double kMostNames = 0.75;  // of its scopes, by name
  static constexpr double kMostLanes = 0.25;
  static constexpr double kManyScopes = 8;  // a launch; events in the order of time give two

  // Blocks begin when the timer says; all else lies behind that in cycles.
  [[nodiscard]] bool follow_each_other() const {
    for (auto it = launches_.begin(); std::next(it) != launches_.end(); ++it) {
      if (it->second.last_begin > std::next(it)->second.first_begin) return false;
    }
    return true;
  }

  std::map<std::uint32_t, LaunchInOrder> launches_;
  LaunchInOrder* launch_ = nullptr;  // that of the last scope, with its number and line
  std::uint32_t number_ = 0;
  Line line_{};
  std::int64_t* begin_ = nullptr;
  std::set<std::pair<std::uint64_t, std::uint32_t>> lanes_;
  std::set<std::string_view> names_;
  std::int64_t last_begin_ = 0;
  bool goes_back_ = false;
  bool goes_back_on_line_ = false;
  bool has_timer_ = false;
};

bool is_order_of_proton(std::span<const ProtonScope> scopes,
                        std::span<const std::uint32_t> launches) {
  std::map<KernelKey, KernelInOrder> kernels;
  for (std::size_t i = 0; i < scopes.size(); ++i) {
    kernels[kernel_of(scopes[i])].add(scopes[i], launches[i]);
  }
  return std::ranges::all_of(kernels,
                             [](const auto& kernel) { return kernel.second.is_orderly(); });
}

using ScopeSpan = std::span<const ProtonScope* const>;

// Scopes with no gap between them: at every moment one is open.
struct Cluster {
  ScopeSpan scopes;
  std::int64_t gap_before = 0;
};

std::vector<Cluster> clusters_of(ScopeSpan scopes) {
  std::vector<Cluster> clusters;
  std::int64_t end = scopes.empty() ? 0 : scopes.front()->begin;
  while (!scopes.empty()) {
    const std::int64_t gap = scopes.front()->begin - end;
    std::size_t size = 0;
    while (size < scopes.size() && (size == 0 || scopes[size]->begin <= end)) {
      end = std::max(end, scopes[size]->end());
      ++size;
    }
    clusters.push_back({scopes.first(size), gap});
    scopes = scopes.subspan(size);
  }
  return clusters;
}

// The launches of one kernel.
class LaunchesByBlocks {
 public:
  explicit LaunchesByBlocks(std::span<const Cluster> clusters) : clusters_(clusters) {
    for (std::size_t i = 0; i < clusters.size(); ++i) add(i);
    firsts_.push_back(clusters.size());
    for (std::size_t l = 0; l + 1 < firsts_.size(); ++l) is_told_ &= is_one(l);
  }

  // The first clusters of launches, and the end.
  [[nodiscard]] std::span<const std::size_t> firsts() const { return firsts_; }
  // Whether what looks like one launch is one.
  [[nodiscard]] bool is_told() const { return is_told_; }

 private:
  // Two runs of one block look alike now and then, those of so many never.
  static constexpr std::size_t kManyBlocks = 16;
  // Gaps inside of a launch are shorter than those between launches by this.
  static constexpr std::int64_t kShorter = 4;

  struct LastRun {
    BlockRun run;
    std::size_t cluster = 0;
  };

  // A block that runs otherwise than before has been launched again, at the widest gap in between.
  void add(std::size_t cluster) {
    while (!widest_.empty() &&
           clusters_[widest_.back()].gap_before < clusters_[cluster].gap_before) {
      widest_.pop_back();
    }
    widest_.push_back(cluster);
    std::optional<std::size_t> last_of_other;
    for (const ProtonScope* const scope : clusters_[cluster].scopes) {
      const auto [known, is_new] = blocks_.try_emplace(scope->block.cta);
      LastRun& before = known->second;
      const bool is_other = !is_new && before.run != run_of(*scope);
      // Twice at once: launches overlap, or their times are of no timer.
      if (is_other && before.cluster == cluster) is_told_ = false;
      const bool is_of_launch = !is_new && before.cluster >= firsts_.back();
      if (is_other && is_of_launch && before.cluster < cluster) {
        last_of_other = std::max(last_of_other.value_or(0), before.cluster);
      }
      before = {run_of(*scope), cluster};
    }
    if (!last_of_other) return;
    const std::size_t border = *std::ranges::upper_bound(widest_, *last_of_other);
    firsts_.push_back(border);
    least_border_ = std::min(least_border_, clusters_[border].gap_before);
  }

  [[nodiscard]] bool is_one(std::size_t launch) const {
    std::set<std::tuple<std::uint64_t, std::uint32_t, std::string_view>> scopes;
    std::map<std::uint64_t, std::pair<std::size_t, std::size_t>> blocks;  // first, last cluster
    bool repeats = false;
    bool has_times = true;
    for (std::size_t i = firsts_[launch]; i < firsts_[launch + 1]; ++i) {
      for (const ProtonScope* const scope : clusters_[i].scopes) {
        const ProtonBlock& block = scope->block;
        repeats |= !scopes.emplace(block.cta, scope->warp, scope->name).second;
        has_times &= scope->finalization > 0 && scope->megahertz > 0;
        blocks.try_emplace(block.cta, i, i).first->second.second = i;
      }
    }
    // What is there once was launched once.
    if (!repeats) return true;
    return has_times && blocks.size() >= kManyBlocks && are_inner_gaps(launch, blocks);
  }

  // Whether all gaps of a launch are inside of it: short ones, or such that many blocks come back
  // as they were.
  [[nodiscard]] bool are_inner_gaps(
      std::size_t launch,
      const std::map<std::uint64_t, std::pair<std::size_t, std::size_t>>& blocks) const {
    std::map<std::size_t, std::int64_t> changes;  // of how many blocks there are on both sides
    for (const auto& [block, range] : blocks) {
      ++changes[range.first + 1];
      --changes[range.second + 1];
    }
    std::int64_t both_sides = 0;
    for (std::size_t i = firsts_[launch] + 1; i < firsts_[launch + 1]; ++i) {
      if (const auto change = changes.find(i); change != changes.end()) {
        both_sides += change->second;
      }
      const bool is_short = clusters_[i].gap_before <= least_border_ / kShorter;
      const bool is_proven = both_sides >= std::int64_t{kManyBlocks};
      if (both_sides > 0 && !is_proven && !(is_short && firsts_.size() > 2)) return false;
    }
    return true;
  }

  std::span<const Cluster> clusters_;
  std::unordered_map<std::uint64_t, LastRun> blocks_;
  std::vector<std::size_t> widest_;  // clusters behind which no gap is wider, in their order
  std::vector<std::size_t> firsts_ = {0};
  std::int64_t least_border_ = INT64_MAX;
  bool is_told_ = true;
};

// Where one launch of a kernel begins, and its scopes.
struct FoundLaunch {
  std::int64_t begin = 0;
  std::vector<const ProtonScope*> scopes;
};

ProtonLaunches launches_by_blocks(std::span<const ProtonScope> scopes) {
  std::map<KernelKey, std::vector<const ProtonScope*>> kernels;
  for (const ProtonScope& scope : scopes) kernels[kernel_of(scope)].push_back(&scope);
  ProtonLaunches told{std::vector<std::uint32_t>(scopes.size()), false, true};
  std::vector<FoundLaunch> launches;
  for (auto& [key, all] : kernels) {
    std::ranges::stable_sort(all, {}, &ProtonScope::begin);
    const std::vector<Cluster> clusters = clusters_of(all);
    const LaunchesByBlocks found(clusters);
    told.is_told &= found.is_told();
    for (std::size_t l = 0; l + 1 < found.firsts().size(); ++l) {
      FoundLaunch& launch = launches.emplace_back();
      launch.begin = clusters[found.firsts()[l]].scopes.front()->begin;
      for (std::size_t i = found.firsts()[l]; i < found.firsts()[l + 1]; ++i) {
        launch.scopes.insert(launch.scopes.end(), clusters[i].scopes.begin(),
                             clusters[i].scopes.end());
      }
    }
  }
  std::ranges::stable_sort(launches, {}, &FoundLaunch::begin);
  for (std::uint32_t launch = 0; launch < launches.size(); ++launch) {
    for (const ProtonScope* const scope : launches[launch].scopes) {
      told.of_scope[static_cast<std::size_t>(scope - scopes.data())] = launch;
    }
  }
  return told;
}

}  // namespace

ProtonLaunches tell_launches(std::span<const ProtonScope> scopes) {
  std::vector<std::uint32_t> by_order = launches_by_order(scopes);
  if (is_order_of_proton(scopes, by_order)) return {std::move(by_order)};
  return launches_by_blocks(scopes);
}

}  // namespace lockstep::formats::kernel_profile
