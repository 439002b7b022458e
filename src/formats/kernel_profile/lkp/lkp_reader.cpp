// From sections to a profile.
#include "formats/kernel_profile/lkp/lkp_reader.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "formats/kernel_profile/kernel_findings.h"
#include "formats/kernel_profile/lane_checks.h"
#include "formats/kernel_profile/lkp/lkp_checks.h"
#include "formats/kernel_profile/lkp/lkp_lanes.h"
#include "formats/kernel_profile/lkp/lkp_records.h"
#include "formats/kernel_profile/lkp/lkp_sections.h"
#include "formats/kernel_profile/name_limit.h"
#include "formats/kernel_profile/other_tools/kernel_json.h"

namespace lockstep::formats::kernel_profile {
namespace {

// The usual step of AMD's steady counter: 100 MHz.
constexpr double kUsualSteadyStepNs = 10;
constexpr std::size_t kMaxKernelNames = 1U << 20;

std::vector<trace::KernelLaunch> launches_of(const LkpSections& sections, const LkpMeta& meta) {
  std::vector<trace::KernelLaunch> launches;
  launches.reserve(sections.launches.size());
  for (std::size_t i = 0; i < sections.launches.size(); ++i) {
    const lkp::Launch raw = sections.launches[i];
    trace::KernelLaunch launch;
    launch.id = raw.id;
    launch.channel = raw.channel;
    launch.number = raw.number;
    if (raw.kernel < meta.kernels.size()) launch.kernel = meta.kernels[raw.kernel];
    launch.grid = {raw.grid[0], raw.grid[1], raw.grid[2]};
    launch.threads = {raw.threads[0], raw.threads[1], raw.threads[2]};
    launch.cluster = {raw.cluster[0], raw.cluster[1], raw.cluster[2]};
    launch.groups = raw.groups;
    launch.lanes_expected = raw.lanes_expected;
    launches.push_back(std::move(launch));
  }
  return launches;
}

void report_losses(const LkpLosses& losses, Diagnostics& findings) {
  const auto add = [&](const DiagnosticKind& kind, std::uint64_t count) {
    if (count != 0) findings.add(kind, Place::none(), {}, count);
  };
  add(kLostLeaders, losses.lost_leaders);
  add(kMixedLaunches, losses.mixed_lanes);
  add(kOverwrittenLaunches, losses.overwritten_launches);
  add(kStaleLanes, losses.stale_lanes);
}

}  // namespace

LkpMeta parse_lkp_meta(std::span<const std::byte> json, Diagnostics& findings) {
  LkpMeta meta;
  if (json.empty()) return meta;
  simdjson::dom::parser parser;
  const auto root = kernel_json::parse(parser, json);
  if (!root.ok()) {
    findings.add(kBadMeta, Place::none(), root.error().message);
    return meta;
  }
  const simdjson::dom::element object = root.value();
  meta.producer = kernel_json::text(object, "producer");
  meta.device = kernel_json::text(object, "device");
  meta.arch = kernel_json::text(object, "arch");
  if (simdjson::dom::element tick; object["tick"].get(tick) == simdjson::SUCCESS) {
    meta.timer_tick_ns = kernel_json::rate(tick, "timer_ns");
    meta.clock_ghz = kernel_json::rate(tick, "clock_ghz");
  }
  meta.events = kernel_json::names(object, "events");
  meta.kernels = kernel_json::names(object, "kernels", kMaxKernelNames);
  if (simdjson::dom::element losses; object["losses"].get(losses) == simdjson::SUCCESS) {
    meta.losses = {.overwritten_launches = kernel_json::number(losses, "overwritten_launches"),
                   .stale_lanes = kernel_json::number(losses, "stale_lanes"),
                   .lost_leaders = kernel_json::number(losses, "lost_leaders"),
                   .mixed_lanes = kernel_json::number(losses, "mixed_lanes")};
  }
  return meta;
}

Result<trace::KernelProfile> read_lkp(std::shared_ptr<const io::FileBytes> file,
                                      std::span<const std::string> names, RecordChecks checks,
                                      Diagnostics& findings) {
  auto found = find_lkp_sections(*file, findings);
  LOCKSTEP_RETURN_IF_ERROR(file->status());
  LOCKSTEP_ASSIGN_OR_RETURN(const LkpSections sections, std::move(found));
  LkpMeta meta = parse_lkp_meta(sections.meta, findings);
  trace::KernelProfile profile;
  profile.format = "lkp";
  limit_names(meta.kernels, sections.launches.size(), file->size(), findings);
  profile.launches = launches_of(sections, meta);
  profile.producer = std::move(meta.producer);
  profile.device = std::move(meta.device);
  profile.arch = std::move(meta.arch);
  profile.timer_tick_ns = meta.timer_tick_ns;
  profile.clock_ghz = meta.clock_ghz;
  profile.event_names =
      names.empty() ? std::move(meta.events) : std::vector(names.begin(), names.end());

  const bool has_step = meta.timer_tick_ns > 0;
  const double step_ns = has_step ? meta.timer_tick_ns : kUsualSteadyStepNs;
  take_lanes(sections, step_ns, profile, findings);
  const bool has_steady = std::ranges::any_of(profile.lanes, [](const trace::KernelLane& lane) {
    return lane.clock == trace::LaneClock::kGlobalTimer;
  });
  if (has_steady && !has_step) findings.add(kTickUnknown);

  const auto records = std::make_shared<LkpRecords>(
      sections.records, sections.regions, profile.event_names.size(), step_ns, std::move(file));
  report_losses(meta.losses, findings);
  report_lanes(profile, true, findings);
  if (checks == RecordChecks::kNow) {
    check_records(profile, *records);
    report_records(profile, *records, findings);
  }
  LOCKSTEP_RETURN_IF_ERROR(records->status());
  profile.records = records;
  return profile;
}

}  // namespace lockstep::formats::kernel_profile
