// Lanes walked by threads, a block at a time, and what they gathered put together.
#include "analysis/kernel_profile/figures/kernel_summary.h"

#include <algorithm>
#include <string>
#include <utility>

#include "analysis/kernel_profile/figures/critical_lanes.h"
#include "analysis/kernel_profile/figures/group_overlap.h"
#include "analysis/kernel_profile/figures/imbalance.h"
#include "analysis/kernel_profile/figures/kernel_zero.h"
#include "analysis/kernel_profile/regions/async_pairs.h"
#include "analysis/kernel_profile/regions/lane_walk.h"
#include "base/threads/on_threads.h"

namespace lockstep::analysis::kernel_profile {

const DiagnosticKind kMissingLanes{
    "missing_lanes", Severity::kInfo,
    "Lanes of a launch are not there: their leaders never called init, or never came to their "
    "end."};

namespace {

// Lanes [first, last) of whole blocks, and what was found in them: put together in their order,
// findings do not depend on who walked what.
struct Batch {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  Diagnostics findings;
};

// Enough to make taking a batch cheap, and little beside what a thread walks in all.
constexpr std::uint64_t kBatchRecords = 1U << 16U;

bool are_of_one_block(const trace::KernelLane& a, const trace::KernelLane& b) {
  return a.launch == b.launch && a.block == b.block;
}

std::vector<Batch> batches_of(const trace::KernelProfile& profile) {
  std::vector<Batch> batches;
  std::uint64_t records = 0;
  for (std::uint32_t i = 0; i < profile.lanes.size(); ++i) {
    const bool may_cut = i == 0 || !are_of_one_block(profile.lanes[i - 1], profile.lanes[i]);
    if (may_cut && (i == 0 || records >= kBatchRecords)) {
      batches.emplace_back().first = i;
      records = 0;
    }
    batches.back().last = i + 1;
    records += 1 + profile.lanes[i].written;
  }
  return batches;
}

// What one thread gathers.
struct Gathering {
  LaneWalk walk;
  OverlapTally overlap;
  std::vector<GroupCovering> block;  // coverings of its groups

  void walk_batch(const trace::KernelProfile& profile, const std::vector<bool>& has_overlap,
                  Batch& batch, std::vector<LaneResult>& lanes, std::vector<LaneFacts>& facts);
};

void Gathering::walk_batch(const trace::KernelProfile& profile,
                           const std::vector<bool>& has_overlap, Batch& batch,
                           std::vector<LaneResult>& lanes, std::vector<LaneFacts>& facts) {
  for (std::uint32_t i = batch.first; i < batch.last; ++i) {
    const trace::KernelLane& lane = profile.lanes[i];
    walk.walk(i, lanes[i], facts[i], batch.findings);
    const bool is_first = i == batch.first || !are_of_one_block(profile.lanes[i - 1], lane);
    const bool is_last = i + 1 == batch.last || !are_of_one_block(profile.lanes[i + 1], lane);
    if (is_first) block.clear();
    if ((is_first && is_last) || !has_overlap[lane.launch]) continue;
    if (block.size() <= kMaxOverlapGroups) block.push_back({lane.group, walk.covering()});
    if (is_last) overlap.add_block(lane.launch, block, batch.findings);
  }
}

void report_missing_lanes(const trace::KernelProfile& profile,
                          const std::vector<LaunchResult>& launches, Diagnostics& findings) {
  for (const LaunchResult& launch : launches) {
    if (launch.lanes_seen >= launch.lanes_expected) continue;
    findings.add(kMissingLanes, Place::row(launch.launch),
                 "launch " + std::to_string(profile.launches[launch.launch].id) + " has " +
                     std::to_string(launch.lanes_seen) + " of " +
                     std::to_string(launch.lanes_expected),
                 launch.lanes_expected - launch.lanes_seen);
  }
}

std::vector<LaunchResult> launch_results(const trace::KernelProfile& profile,
                                         const std::vector<LaneResult>& lanes,
                                         const std::vector<LaneFacts>& facts) {
  std::vector<LaunchResult> launches(profile.launches.size());
  std::vector<bool> has_time(launches.size());
  for (std::uint32_t i = 0; i < launches.size(); ++i) {
    launches[i].launch = i;
    launches[i].lanes_expected = profile.launches[i].lanes_expected;
  }
  for (const LaneResult& lane : lanes) {
    const std::uint32_t of = profile.lanes[lane.lane].launch;
    LaunchResult& launch = launches[of];
    ++launch.lanes_seen;
    if (!facts[lane.lane].has_ticks) continue;
    launch.start = has_time[of] ? std::min(launch.start, lane.start) : lane.start;
    launch.end = has_time[of] ? std::max(launch.end, lane.end) : lane.end;
    has_time[of] = true;
  }
  return launches;
}

}  // namespace

KernelSummary summarize_kernel(const trace::KernelProfile& profile,
                               const KernelSummaryOptions& options, Diagnostics& findings) {
  KernelSummary summary;
  summary.time = fit_time_base(profile, options.time, findings);
  summary.lanes.resize(profile.lanes.size());
  std::vector<LaneFacts> facts(profile.lanes.size());
  std::vector<Batch> batches = batches_of(profile);
  const std::vector<bool> has_overlap = launches_with_overlap(profile, findings);
  const std::size_t threads = thread_count(options.threads);
  std::vector<Gathering> gatherings;
  for (std::size_t i = 0; i < std::max<std::size_t>(1, std::min(threads, batches.size())); ++i) {
    gatherings.push_back({LaneWalk(profile, summary.time, options), {}, {}});
  }
  run_on_threads(threads, batches.size(), [&](std::size_t thread, std::size_t batch) {
    gatherings[thread].walk_batch(profile, has_overlap, batches[batch], summary.lanes, facts);
  });
  for (const Batch& batch : batches) findings.absorb(batch.findings, {});
  Gathering& all = gatherings.front();
  for (std::size_t i = 1; i < gatherings.size(); ++i) {
    all.walk.absorb(std::move(gatherings[i].walk));
    all.overlap.absorb(gatherings[i].overlap);
  }
  summary.launches = launch_results(profile, summary.lanes, facts);
  report_missing_lanes(profile, summary.launches, findings);
  summary.events = all.walk.events.finish(threads);
  summary.critical = find_critical_lanes(profile, summary.lanes, facts);
  summary.blocks = measure_imbalance(profile, summary.lanes, Sharer::kBlock);
  summary.sms = measure_imbalance(profile, summary.lanes, Sharer::kMultiprocessor);
  summary.groups = measure_imbalance(profile, summary.lanes, Sharer::kGroup);
  summary.overlap = all.overlap.finish();
  summary.gaps = all.walk.gaps.take();
  summary.async_pairs = pair_async_edges(std::move(all.walk.async_edges), findings);
  summary.records = all.walk.records;
  count_from_earliest(summary, facts);
  return summary;
}

}  // namespace lockstep::analysis::kernel_profile
