// Any markers in any lanes: pairing and summing up neither crash nor say figures that do not add
// up. Eight bytes make a lane or a marker.
#include "analysis/kernel_profile/figures/kernel_summary.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "fuzz_check.h"

namespace lockstep {
namespace {

constexpr std::size_t kItemBytes = 8;
constexpr std::uint8_t kFirstLane = 240;

// A number of up to 64 bits from two bytes: small ones are likely, limits are possible.
std::int64_t number_from(std::uint8_t value, std::uint8_t shift) {
  const auto wide = static_cast<std::uint64_t>(static_cast<std::int8_t>(value));
  return static_cast<std::int64_t>(wide << (shift % 64));
}

std::int64_t sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

class MadeProfile {
 public:
  MadeProfile() { profile_.launches.resize(3); }

  void add(std::span<const std::uint8_t> bytes) {
    if (bytes[0] >= kFirstLane || profile_.lanes.empty()) {
      add_lane(bytes);
    } else {
      add_record(bytes);
    }
  }

  trace::KernelProfile finish() {
    std::ranges::stable_sort(profile_.lanes, {}, [](const trace::KernelLane& lane) {
      return std::tuple(lane.launch, lane.block, lane.group);
    });
    profile_.records = std::make_shared<trace::DecodedRecords>(std::move(records_));
    return std::move(profile_);
  }

 private:
  void add_lane(std::span<const std::uint8_t> bytes) {
    trace::KernelLane lane;
    lane.launch = bytes[1] % 3;
    lane.block = bytes[2] % 4;
    lane.group = bytes[3];
    lane.sm = static_cast<std::int32_t>(bytes[4] % 4) - 1;
    lane.sm_end = bytes[4] >= 250 ? 7 : lane.sm;
    lane.is_ring = (bytes[5] & 1U) != 0;
    lane.clock = (bytes[5] & 2U) != 0 ? trace::LaneClock::kCycles : trace::LaneClock::kGlobalTimer;
    dropped_ = bytes[5] >> 6U;
    lane.seen = dropped_;
    lane.first_record = records_.size();
    lane.first_anchor = profile_.anchors.size();
    lane.anchor_count = bytes[6] % 3;
    tick_ = number_from(bytes[7], bytes[6]);
    // Clocks of anchors are below 2^62 in every format.
    std::int64_t clock = tick_ & ((std::int64_t{1} << 61U) - 1);
    for (std::uint32_t i = 0; i < lane.anchor_count; ++i) {
      const std::int64_t timer = clock / 2 + bytes[2];
      profile_.anchors.push_back({timer, clock, clock + bytes[3]});
      clock += 1 + (std::int64_t{bytes[4]} << (bytes[2] % 32));
    }
    profile_.lanes.push_back(std::move(lane));
  }

  void add_record(std::span<const std::uint8_t> bytes) {
    trace::KernelRecord record;
    record.type = static_cast<trace::RecordType>(bytes[0] % 5);
    record.is_async = bytes[0] >= 200;
    record.has_payload = (bytes[1] & 1U) != 0;
    record.event = bytes[2] < 250 ? bytes[2] % 8U : bytes[2] << 8U;
    record.payload = bytes[3] % 8U;
    record.length = static_cast<std::uint32_t>(number_from(bytes[4], bytes[7]));
    tick_ = sum(tick_, number_from(bytes[5], bytes[6]));
    record.ticks = tick_;
    records_.push_back(record);
    ++profile_.lanes.back().written;
    ++profile_.lanes.back().seen;
  }

  trace::KernelProfile profile_;
  std::vector<trace::KernelRecord> records_;
  std::int64_t tick_ = 0;
  std::uint64_t dropped_ = 0;
};

void check_lane(const analysis::kernel_profile::LaneResult& lane) {
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  LOCKSTEP_FUZZ_CHECK(lane.start <= lane.end);
  for (const analysis::kernel_profile::TimedRegion& timed : lane.regions) {
    LOCKSTEP_FUZZ_CHECK(timed.region.begin <= timed.region.end);
    LOCKSTEP_FUZZ_CHECK(timed.region.begin >= last);
    LOCKSTEP_FUZZ_CHECK(timed.region.depth < lane.regions.size());
    LOCKSTEP_FUZZ_CHECK(timed.duration >= Time{} && timed.ticks >= 0);
    last = timed.region.begin;
  }
}

void check(const analysis::kernel_profile::KernelSummary& summary) {
  std::uint64_t whole = 0;
  for (const analysis::kernel_profile::LaneResult& lane : summary.lanes) {
    check_lane(lane);
    for (const analysis::kernel_profile::TimedRegion& timed : lane.regions)
      whole += timed.region.status == analysis::kernel_profile::RegionStatus::kOk;
  }
  std::uint64_t counted = 0;
  for (const analysis::kernel_profile::EventStatistics& event : summary.events) {
    counted += event.count;
    LOCKSTEP_FUZZ_CHECK(event.min <= event.p50 && event.p50 <= event.p95);
    LOCKSTEP_FUZZ_CHECK(event.p95 <= event.max && event.lanes <= event.count);
  }
  LOCKSTEP_FUZZ_CHECK(counted == whole);
  for (const analysis::kernel_profile::GroupOverlap& overlap : summary.overlap) {
    LOCKSTEP_FUZZ_CHECK(overlap.first_group < overlap.second_group);
    LOCKSTEP_FUZZ_CHECK(overlap.both <= overlap.either);
  }
  for (const analysis::kernel_profile::LaneGap& gap : summary.gaps)
    LOCKSTEP_FUZZ_CHECK(gap.duration > Time{});
}

}  // namespace
}  // namespace lockstep

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  lockstep::MadeProfile made;
  const std::span<const std::uint8_t> bytes(data, size);
  for (std::size_t i = 0; i + lockstep::kItemBytes <= size; i += lockstep::kItemBytes)
    made.add(bytes.subspan(i, lockstep::kItemBytes));
  const lockstep::trace::KernelProfile profile = made.finish();
  lockstep::Diagnostics findings;
  lockstep::analysis::kernel_profile::KernelSummaryOptions options;
  options.threads = 1;  // more would only slow the search down
  options.overhead_ticks = size % 2 == 0 ? 0 : 3;
  lockstep::check(lockstep::analysis::kernel_profile::summarize_kernel(profile, options, findings));
  return 0;
}
