// One pair of items as rows that add up.
#pragma once

#include "algo/statistics/series_difference.h"
#include "analysis/compare/compare.h"
#include "analysis/compare/samples.h"

namespace lockstep::analysis::compare {

// Everything of a pair but what needs all pairs at once (adjusted p, significance). `limits`
// are in ps.
[[nodiscard]] ComparePair pair_items(const KernelBook& book, const CompareItem& a,
                                     const ItemSamples& samples_a, const CompareItem& b,
                                     const ItemSamples& samples_b,
                                     const algo::DifferenceLimits& limits);

// An item that has no partner; fills in the walls.
[[nodiscard]] PairSide side_of(const CompareItem& item, const Sample& walls);

}  // namespace lockstep::analysis::compare
