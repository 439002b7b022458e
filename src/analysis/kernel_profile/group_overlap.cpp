// Sums over blocks of what the coverings of two groups share.
#include "analysis/kernel_profile/group_overlap.h"

#include <algorithm>

#include "analysis/kernel_profile/saturated_time.h"

namespace lockstep {

const DiagnosticKind kManyGroups{
    "many_groups", Severity::kInfo,
    "Blocks have more than 64 groups; which of them run at the same time was not measured."};

void OverlapTally::add_block(std::uint32_t launch, std::span<const GroupCovering> groups,
                             Diagnostics& findings) {
  if (groups.size() > kMaxOverlapGroups) {
    findings.add(kManyGroups);
    return;
  }
  std::vector<WideTime> lengths;
  for (const GroupCovering& group : groups)
    lengths.push_back(WideTime{total_length(group.covering)});
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (std::size_t j = i + 1; j < groups.size(); ++j) {
      if (groups[i].group == groups[j].group) continue;
      const bool is_ordered = groups[i].group < groups[j].group;
      const std::size_t first = is_ordered ? i : j;
      const std::size_t second = is_ordered ? j : i;
      Sums& sums = pairs_[{launch, groups[first].group, groups[second].group}];
      sums.both += WideTime{shared_length(groups[i].covering, groups[j].covering)};
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

}  // namespace lockstep
