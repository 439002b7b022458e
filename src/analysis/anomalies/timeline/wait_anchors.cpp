// Ranks rows by mean cost, in integers.
#include "analysis/anomalies/timeline/wait_anchors.h"

#include <algorithm>
#include <compare>

#include "algo/intervals/covering_index.h"
#include "algo/intervals/intervals.h"

namespace lockstep::analysis::anomalies {
namespace {

std::strong_ordering compare_means(const OpRow& a, const OpRow& b) {
  return a.total_cost() * static_cast<WideTime>(b.count) <=>
         b.total_cost() * static_cast<WideTime>(a.count);
}

bool is_ranked_before(const OpRow& a, const OpRow& b) {
  const std::strong_ordering by_mean = compare_means(a, b);
  if (by_mean != 0) return by_mean > 0;
  return a.text != b.text ? a.text < b.text : a.kind < b.kind;
}

bool is_short_and_waits(const OpRow& row, const Thresholds& thresholds) {
  const double mean_us = static_cast<double>(row.duration) / static_cast<double>(row.count) /
                         static_cast<double>(kPicosecondsPerMicrosecond);
  return row.wait_ratio() > thresholds.wait_anchor_ratio && mean_us < thresholds.wait_anchor_us;
}

}  // namespace

std::vector<std::uint32_t> find_wait_anchors(std::span<const OpRow> rows,
                                             std::vector<std::uint32_t> among,
                                             const Thresholds& thresholds) {
  std::ranges::sort(
      among, [&](std::uint32_t a, std::uint32_t b) { return is_ranked_before(rows[a], rows[b]); });
  std::vector<std::uint32_t> anchors;
  std::size_t rank = 0;  // rows of one mean share the rank of the first
  for (std::size_t i = 0; i < among.size(); ++i) {
    if (i == 0 || compare_means(rows[among[i]], rows[among[i - 1]]) != 0) rank = i + 1;
    if (static_cast<double>(rank) > thresholds.wait_anchor_rank) break;
    if (is_short_and_waits(rows[among[i]], thresholds)) anchors.push_back(among[i]);
  }
  return anchors;
}

OpTable with_artefact_waits(OpTable table, const DeviceTimeline& timeline,
                            std::span<const KernelGaps> gaps,
                            std::vector<algo::Interval> artefacts) {
  algo::reduce_to_covering(artefacts);
  const algo::CoveringIndex in_artefact(artefacts);
  for (std::size_t i = 0; i < timeline.kernels.size(); ++i) {
    const Time start = timeline.kernels[i].start;
    table.rows[table.row_of[i]].artefact_wait +=
        static_cast<WideTime>(in_artefact.length_in({(start - gaps[i].to_device).ps, start.ps}));
  }
  return table;
}

}  // namespace lockstep::analysis::anomalies
