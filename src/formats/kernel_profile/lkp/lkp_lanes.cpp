// Lanes of a file that may claim anything.
#include "formats/kernel_profile/lkp/lkp_lanes.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "formats/kernel_profile/kernel_findings.h"
#include "lockstep/profile_layout.h"

namespace lockstep::formats::kernel_profile {
namespace {

// Room above for the ticks of records, which may be wraps later.
constexpr std::uint64_t kMaxTicks = std::uint64_t{1} << 61;

std::int32_t multiprocessor(std::uint32_t number) {
  return number > INT32_MAX ? -1 : static_cast<std::int32_t>(number);
}

// A stretch of a section that a lane claims for itself.
struct Claim {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  std::size_t lane = 0;
};

// Cuts claims to the items that are there, and gives those that two lanes claim to the first one:
// a file whose lanes all claim all records would take for ever.
void settle(std::vector<Claim>& claims, std::uint64_t items, const char* what,
            Diagnostics& findings) {
  std::ranges::sort(claims, [](const Claim& a, const Claim& b) {
    return std::pair(a.first, a.lane) < std::pair(b.first, b.lane);
  });
  std::uint64_t taken = 0;
  for (Claim& claim : claims) {
    if (claim.count == 0) continue;
    const std::uint64_t room = claim.first < items ? items - claim.first : 0;
    if (claim.first < taken || room == 0 || claim.count > room) {
      const std::uint64_t kept = claim.first < taken ? 0 : std::min(claim.count, room);
      findings.add(kBadLane, Place::row(claim.lane),
                   fmt::format("lane entry {} claims {} {} from {}, {} could be given", claim.lane,
                               claim.count, what, claim.first, kept));
      claim.count = kept;
    }
    taken = std::max(taken, claim.first + claim.count);
  }
}

class LaneTaker {
 public:
  LaneTaker(const LkpSections& sections, double step_ns, trace::KernelProfile& profile,
            Diagnostics& findings)
      : sections_(sections), step_ns_(step_ns), profile_(profile), findings_(findings) {
    for (std::size_t i = 0; i < profile.launches.size(); ++i) {
      launch_index_.emplace(profile.launches[i].id, static_cast<std::uint32_t>(i));
    }
  }

  void run() {
    for (std::size_t i = 0; i < sections_.lanes.size(); ++i) take(i);
    settle(record_claims_, sections_.records.size, "records", findings_);
    settle(region_claims_, sections_.regions.size, "regions", findings_);
    settle(anchor_claims_, sections_.anchors.size(), "anchors", findings_);
    report_unclaimed(record_claims_, sections_.records.size, "records");
    report_unclaimed(region_claims_, sections_.regions.size, "regions");
    for (const Claim& claim : record_claims_) give_records(claim, 0);
    for (const Claim& claim : region_claims_) give_records(claim, sections_.records.size);
    for (const Claim& claim : anchor_claims_) give_anchors(claim);
    std::ranges::stable_sort(
        profile_.lanes, [](const trace::KernelLane& a, const trace::KernelLane& b) {
          return std::tuple(a.launch, a.block, a.group) < std::tuple(b.launch, b.block, b.group);
        });
  }

 private:
  // Where nothing else tells of a loss: writers leave no record without a lane.
  void report_unclaimed(const std::vector<Claim>& claims, std::uint64_t items, const char* what) {
    std::uint64_t claimed = 0;
    for (const Claim& claim : claims) claimed += claim.count;
    if (claimed >= items || findings_.has_loss()) return;
    findings_.add(kUnclaimedRecords, Place::none(),
                  fmt::format("{} of {} {}", items - claimed, items, what), items - claimed);
  }

  void take(std::size_t row) {
    const lkp::Lane raw = sections_.lanes[row];
    const auto launch = launch_index_.find(raw.launch);
    if (launch == launch_index_.end()) {
      findings_.add(
          kBadLane, Place::row(row),
          fmt::format("lane entry {} is of launch {}, which is not there", row, raw.launch));
      return;
    }
    if ((raw.flags & profile::kFinalized) != 0 && raw.seen > raw.written) {
      findings_.add(kDropped, Place::row(row),
                    fmt::format("launch {}, block {}, group {}", raw.launch, raw.block, raw.group),
                    raw.seen - raw.written);
    }
    // A lane counts every record, kept or not.
    if ((raw.flags & profile::kFinalized) != 0 && raw.seen < raw.written) {
      findings_.add(kBadLane, Place::row(row),
                    fmt::format("lane entry {} has {} records and says that it saw {}", row,
                                raw.written, raw.seen));
    }
    const std::size_t index = profile_.lanes.size();
    const bool is_steady = (raw.flags & profile::kSteadyClock) != 0;
    profile_.lanes.push_back(
        {.launch = launch->second,
         .block = raw.block,
         .group = raw.group,
         .sm = multiprocessor(raw.sm_begin),
         .sm_end = multiprocessor(raw.sm_end),
         .cluster_rank = raw.cluster_rank,
         .leader_thread = raw.leader_thread,
         .seen = raw.seen,
         .written = 0,
         .capacity = raw.capacity,
         .is_finalized = (raw.flags & profile::kFinalized) != 0,
         .is_ring = (raw.flags & profile::kRing) != 0,
         .is_elected = (raw.flags & profile::kElected) != 0,
         .clock = is_steady ? trace::LaneClock::kGlobalTimer : trace::LaneClock::kCycles,
         .name = {}});
    const bool has_regions = (raw.flags & profile::kRegionRecords) != 0;
    (has_regions ? region_claims_ : record_claims_)
        .push_back({raw.first_record, raw.written, index});
    anchor_claims_.push_back({raw.first_anchor, raw.anchors, index});
  }

  void give_records(const Claim& claim, std::uint64_t offset) {
    trace::KernelLane& lane = profile_.lanes[claim.lane];
    lane.written = claim.count;
    lane.first_record = claim.count == 0 ? 0 : offset + claim.first;
    if (!lane.is_finalized) lane.seen = std::max(lane.seen, lane.written);
  }

  void give_anchors(const Claim& claim) {
    trace::KernelLane& lane = profile_.lanes[claim.lane];
    lane.first_anchor = profile_.anchors.size();
    const std::uint64_t slowest = step_ns_ > 1 && lane.clock == trace::LaneClock::kGlobalTimer
                                      ? static_cast<std::uint64_t>(kMaxTicks / step_ns_)
                                      : kMaxTicks;
    std::uint64_t timer = 0;
    std::uint64_t clock = 0;
    for (std::uint64_t i = claim.first; i < claim.first + claim.count; ++i) {
      const lkp::Anchor raw = sections_.anchors[i];
      if (raw.timer == 0) continue;  // given up: the timer did not step
      const bool is_good = raw.timer >= timer && raw.clock_before >= clock &&
                           raw.clock_after >= raw.clock_before && raw.timer < kMaxTicks &&
                           raw.clock_after < slowest;
      if (!is_good) {
        findings_.add(kBadAnchor, Place::row(i), fmt::format("anchor entry {}", i));
        continue;
      }
      timer = raw.timer;
      clock = raw.clock_before;
      profile_.anchors.push_back({static_cast<std::int64_t>(raw.timer),
                                  ticks_of(raw.clock_before, lane),
                                  ticks_of(raw.clock_after, lane)});
    }
    lane.anchor_count = static_cast<std::uint32_t>(profile_.anchors.size() - lane.first_anchor);
  }

  [[nodiscard]] std::int64_t ticks_of(std::uint64_t clock, const trace::KernelLane& lane) const {
    if (lane.clock == trace::LaneClock::kCycles) return static_cast<std::int64_t>(clock);
    return std::llround(static_cast<long double>(clock) * step_ns_);
  }

  const LkpSections& sections_;
  double step_ns_;
  trace::KernelProfile& profile_;
  Diagnostics& findings_;
  std::unordered_map<std::uint32_t, std::uint32_t> launch_index_;
  std::vector<Claim> record_claims_;
  std::vector<Claim> region_claims_;
  std::vector<Claim> anchor_claims_;
};

}  // namespace

void take_lanes(const LkpSections& sections, double steady_step_ns, trace::KernelProfile& profile,
                Diagnostics& findings) {
  LaneTaker(sections, steady_step_ns, profile, findings).run();
}

}  // namespace lockstep::formats::kernel_profile
