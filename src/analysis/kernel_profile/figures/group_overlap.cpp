// Sums over blocks of what the coverings of two groups share.
#include "analysis/kernel_profile/figures/group_overlap.h"

#include <algorithm>
#include <string>

#include "analysis/kernel_profile/clocks/saturated_time.h"

namespace lockstep::analysis::kernel_profile {

const DiagnosticKind kManyGroups{
    "many_groups", Severity::kInfo,
    "Blocks have more than 64 groups; which of them run at the same time was not measured."};

const DiagnosticKind kManyPairs{
    "many_group_pairs", Severity::kInfo,
    "There are more pairs of groups than lanes; which groups of these launches run at the same "
    "time was not measured."};

namespace {

std::uint64_t pairs_of(std::uint64_t count) { return count * (count - 1) / 2; }

// At most so many pairs of groups share a block: those of all groups, or of each block.
std::uint64_t most_pairs(std::span<const trace::KernelLane> lanes) {
  std::vector<std::uint32_t> groups;
  std::uint64_t in_blocks = 0;
  for (std::size_t first = 0, last = 0; first < lanes.size(); first = last) {
    while (last < lanes.size() && lanes[last].block == lanes[first].block) ++last;
    const std::size_t count = last - first;
    if (count < 2 || count > kMaxOverlapGroups) continue;
    in_blocks += pairs_of(count);
    for (const trace::KernelLane& lane : lanes.subspan(first, count)) groups.push_back(lane.group);
  }
  if (in_blocks == 0) return 0;
  std::ranges::sort(groups);
  const auto twice = std::ranges::unique(groups);
  const std::uint64_t different = groups.size() - twice.size();
  // Beyond, the square of it would overflow, and no limit is as high.
  return different > UINT32_MAX ? in_blocks : std::min(in_blocks, pairs_of(different));
}

}  // namespace

std::vector<bool> launches_with_overlap(const trace::KernelProfile& profile,
                                        Diagnostics& findings) {
  std::uint64_t room = std::max<std::uint64_t>(profile.lanes.size(), kOverlapPairs);
  std::vector<bool> measured(profile.launches.size());
  const std::span<const trace::KernelLane> lanes(profile.lanes);
  for (std::size_t first = 0, last = 0; first < lanes.size(); first = last) {
    const std::uint32_t launch = lanes[first].launch;
    while (last < lanes.size() && lanes[last].launch == launch) ++last;
    const std::uint64_t pairs = most_pairs(lanes.subspan(first, last - first));
    if (pairs > room) {
      findings.add(kManyPairs, Place::row(launch),
                   "launch " + std::to_string(profile.launches[launch].id));
      continue;
    }
    room -= pairs;
    measured[launch] = true;
  }
  return measured;
}

void OverlapTally::add_block(std::uint32_t launch, std::span<const GroupCovering> groups,
                             Diagnostics& findings) {
  if (groups.size() > kMaxOverlapGroups) {
    findings.add(kManyGroups);
    return;
  }
  std::vector<WideTime> lengths;
  for (const GroupCovering& group : groups)
    lengths.push_back(WideTime{algo::total_length(group.covering)});
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (std::size_t j = i + 1; j < groups.size(); ++j) {
      if (groups[i].group == groups[j].group) continue;
      const bool is_ordered = groups[i].group < groups[j].group;
      const std::size_t first = is_ordered ? i : j;
      const std::size_t second = is_ordered ? j : i;
      Sums& sums = pairs_[{launch, groups[first].group, groups[second].group}];
      sums.both += WideTime{algo::shared_length(groups[i].covering, groups[j].covering)};
      sums.first += lengths[first];
      sums.second += lengths[second];
    }
  }
}

void OverlapTally::absorb(const OverlapTally& other) {
  for (const auto& [pair, theirs] : other.pairs_) {
    Sums& mine = pairs_[pair];
    mine.both += theirs.both;
    mine.first += theirs.first;
    mine.second += theirs.second;
  }
}

std::vector<GroupOverlap> OverlapTally::finish() const {
  std::vector<GroupOverlap> overlaps;
  for (const auto& [pair, sums] : pairs_) {
    GroupOverlap overlap;
    overlap.launch = pair.launch;
    overlap.first_group = pair.first;
    overlap.second_group = pair.second;
    overlap.both = saturated_time(sums.both);
    overlap.either = saturated_time(sums.first + sums.second - sums.both);
    const WideTime smaller = std::min(sums.first, sums.second);
    if (smaller > 0) overlap.ratio = static_cast<double>(sums.both) / static_cast<double>(smaller);
    overlaps.push_back(overlap);
  }
  return overlaps;
}

}  // namespace lockstep::analysis::kernel_profile
