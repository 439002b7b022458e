// From drafts of lanes to a profile.
#include "formats/kernel_profile/profile_builder.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "formats/kernel_profile/kernel_findings.h"
#include "formats/kernel_profile/lane_checks.h"

namespace lockstep::formats::kernel_profile {
namespace {

void report_unnamed(const trace::KernelProfile& profile,
                    std::span<const trace::KernelRecord> records, Diagnostics& findings) {
  if (profile.event_names.empty()) return;
  for (const trace::KernelRecord& record : records) {
    if (record.event < profile.event_names.size()) continue;
    findings.add(kEventWithoutName, Place::none(), fmt::format("event {}", record.event));
  }
}

}  // namespace

LaneDraft& ProfileBuilder::lane(std::uint32_t launch, std::uint64_t block, std::uint32_t group) {
  const auto [at, is_new] = index_.try_emplace({launch, block, group}, drafts_.size());
  return is_new ? add_lane(launch, block, group) : drafts_[at->second];
}

LaneDraft& ProfileBuilder::add_lane(std::uint32_t launch, std::uint64_t block,
                                    std::uint32_t group) {
  LaneDraft& draft = drafts_.emplace_back();
  draft.lane.launch = launch;
  draft.lane.block = block;
  draft.lane.group = group;
  return draft;
}

std::optional<std::uint32_t> ProfileBuilder::event_named(std::string_view name) {
  const auto known = event_numbers_.find(name);
  if (known != event_numbers_.end()) return known->second;
  const auto number = static_cast<std::uint32_t>(profile.event_names.size());
  if (number >= trace::kMaxKernelEvents) return std::nullopt;
  event_numbers_.emplace(name, number);
  profile.event_names.emplace_back(name);
  return number;
}

trace::KernelProfile ProfileBuilder::finish(bool has_ends, Diagnostics& findings) {
  std::ranges::stable_sort(drafts_, [](const LaneDraft& a, const LaneDraft& b) {
    return std::tuple(a.lane.launch, a.lane.block, a.lane.group) <
           std::tuple(b.lane.launch, b.lane.block, b.lane.group);
  });
  std::size_t total = 0;
  for (const LaneDraft& draft : drafts_) total += draft.records.size();
  std::vector<trace::KernelRecord> records;
  records.reserve(total);
  for (LaneDraft& draft : drafts_) {
    trace::KernelLane& lane = draft.lane;
    lane.first_record = records.size();
    lane.written = draft.records.size();
    lane.seen = lane.written + draft.dropped;
    lane.first_anchor = profile.anchors.size();
    lane.anchor_count = static_cast<std::uint32_t>(draft.anchors.size());
    records.insert(records.end(), draft.records.begin(), draft.records.end());
    profile.anchors.insert(profile.anchors.end(), draft.anchors.begin(), draft.anchors.end());
    profile.lanes.push_back(std::move(lane));
    draft = {};
  }
  report_lanes(profile, has_ends, findings);
  report_drops(profile, findings);
  report_unnamed(profile, records, findings);
  profile.records = std::make_shared<trace::DecodedRecords>(std::move(records));
  return std::move(profile);
}

void add_region(std::vector<trace::KernelRecord>& records, std::int64_t begin, std::int64_t end,
                trace::KernelRecord record) {
  record.ticks = begin;
  if (end - begin <= std::int64_t{UINT32_MAX}) {
    record.type = trace::RecordType::kRegion;
    record.length = static_cast<std::uint32_t>(end - begin);
    records.push_back(record);
    return;
  }
  record.type = trace::RecordType::kBegin;
  records.push_back(record);
  record.type = trace::RecordType::kEnd;
  record.ticks = end;
  records.push_back(record);
}

double timer_step_ns(std::uint64_t bits, std::uint64_t times) {
  // Of n times with a finer step the chance that all share a coarser one is below 2^-n.
  constexpr std::uint64_t kEnough = 8;
  if (times < kEnough || bits == 0) return 0;
  const int zeros = std::countr_zero(bits);
  if (zeros >= 10) return 1024;
  return static_cast<double>(1U << std::min(zeros, 5));
}

}  // namespace lockstep::formats::kernel_profile
