// How long two groups of one block are inside regions at the same time.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "algo/intervals/intervals.h"
#include "analysis/kernel_profile/figures/kernel_summary.h"
#include "base/diagnostics.h"
#include "base/time.h"

namespace lockstep::analysis::kernel_profile {

extern const DiagnosticKind kManyGroups;
extern const DiagnosticKind kManyPairs;

// Pairs are quadratic; blocks with more groups are left out. A block has at most 32 warps.
inline constexpr std::size_t kMaxOverlapGroups = 64;

// However few lanes there are.
inline constexpr std::uint64_t kOverlapPairs = 1U << 16;

// The launches whose groups are compared: in their order as long as there are at most as many pairs
// of groups as lanes or kOverlapPairs. What is left out is said.
[[nodiscard]] std::vector<bool> launches_with_overlap(const trace::KernelProfile& profile,
                                                      Diagnostics& findings);

struct GroupCovering {
  std::uint32_t group = 0;
  std::vector<algo::Interval> covering;  // ps
};

class OverlapTally {
 public:
  void add_block(std::uint32_t launch, std::span<const GroupCovering> groups,
                 Diagnostics& findings);
  void absorb(const OverlapTally& other);
  [[nodiscard]] std::vector<GroupOverlap> finish() const;  // by launch, then by group

 private:
  struct Pair {
    std::uint32_t launch = 0;
    std::uint32_t first = 0;
    std::uint32_t second = 0;
    friend auto operator<=>(const Pair&, const Pair&) = default;
  };
  struct Sums {
    WideTime both = 0;
    WideTime first = 0;
    WideTime second = 0;
  };
  std::map<Pair, Sums> pairs_;
};

}  // namespace lockstep::analysis::kernel_profile
