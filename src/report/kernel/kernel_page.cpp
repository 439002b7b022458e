// The sections in their order; each says nothing when it has nothing to say.
#include "report/kernel/kernel_page.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analysis/kernel_profile/clocks/saturated_time.h"
#include "base/text.h"
#include "report/kernel/kernel_compare_page.h"
#include "report/kernel/kernel_timeline_text.h"
#include "report/layout/health_text.h"
#include "report/layout/input_words.h"
#include "report/layout/page.h"
#include "report/layout/quantities.h"

namespace lockstep::report::kernel {
namespace {

using Align = layout::Table::Align;

constexpr std::size_t kRows = 12;  // of the timeline
constexpr std::size_t kFewOverlaps = 4;
constexpr std::size_t kIndent = 2;
constexpr std::int64_t kWorthGap = 100;  // a gap of less than a hundredth of a launch costs nothing
constexpr double kWorthTelling = 1.005;  // a ratio that two decimals show as 1.00 is none

std::size_t shown_of(std::size_t all, std::uint32_t top, std::size_t divisor) {
  if (top == 0) return all;
  return std::min<std::size_t>(all, std::max<std::size_t>(1, top / divisor));
}

std::string event_words(const KernelReport& report, std::uint32_t event) {
  return report.profile.event_name(event);
}

std::string device_words(const trace::KernelProfile& profile) {
  if (profile.device.empty()) return profile.arch;
  if (profile.arch.empty()) return profile.device;
  return fmt::format("{} ({})", profile.device, profile.arch);
}

// Of the lanes that are told of: the profile may hold those of other launches.
std::uint64_t anchors_of_lanes(const trace::KernelProfile& profile) {
  std::uint64_t anchors = 0;
  for (const trace::KernelLane& lane : profile.lanes) anchors += lane.anchor_count;
  return anchors;
}

bool has_stamps(const trace::KernelProfile& profile) {
  return std::ranges::any_of(profile.lanes, [](const trace::KernelLane& lane) {
    return lane.clock == trace::LaneClock::kStampedCycles;
  });
}

// Begins of blocks are on the device's timer; inside them cycles are counted.
std::string stamped_time_sentence(const KernelReport& report) {
  const std::string cycles = report.profile.clock_ghz > 0
                                 ? fmt::format("cycles of {:.3f} ns", report.summary.time.tick_ns)
                                 : "cycles, counted as 1 ns each,";
  return fmt::format("Time is {} from the begin of their block, which the device's timer tells{}.",
                     cycles,
                     report.profile.timer_tick_ns > 0
                         ? fmt::format(" in steps of {:g} ns", report.profile.timer_tick_ns)
                         : "");
}

std::string time_sentence(const KernelReport& report) {
  const analysis::kernel_profile::TimeBase& time = report.summary.time;
  const std::string band_text = band_words(report);
  const std::string band = band_text.empty() ? "" : ", " + band_text;
  switch (time.source) {
    case analysis::kernel_profile::TimeSource::kGlobalTimer:
      return fmt::format("Time is the device's timer, in steps of {:g} ns{}.", time.tick_ns, band);
    case analysis::kernel_profile::TimeSource::kAnchoredCycles:
      if (has_stamps(report.profile)) return stamped_time_sentence(report);
      return fmt::format("Time is cycles of {:.3f} ns, tied to the device's timer by {}{}.",
                         time.tick_ns, counted(anchors_of_lanes(report.profile), "anchor"), band);
    case analysis::kernel_profile::TimeSource::kCycles:
      break;
  }
  if (!is_in_cycles(report)) {
    return fmt::format(
        "Time is cycles of {:.3f} ns; nothing ties multiprocessors to each other, so only times of "
        "one multiprocessor compare.",
        time.tick_ns);
  }
  return "Time is cycles; nothing ties them to nanoseconds or multiprocessors to each other, so "
         "only times of one multiprocessor compare.";
}

void add_head(const KernelReport& report, layout::Page& page) {
  const trace::KernelProfile& profile = report.profile;
  std::string facts = profile.format;
  if (const std::string device = device_words(profile); !device.empty()) facts += ", " + device;
  if (!profile.producer.empty()) facts += ", by " + profile.producer;
  facts += fmt::format(", {}, {}", counted(profile.lanes.size(), "lane"),
                       counted(report.summary.records, "record"));
  page.title({{"", layout::shown_input(report.input), {std::move(facts)}}});
  // Without a lane nothing has a time.
  if (!report.summary.lanes.empty()) page.paragraph(time_sentence(report));
  if (report.overhead_ticks > 0) {
    const bool is_one = report.overhead_ticks == 1;
    page.paragraph(fmt::format("{:g} {} taken off every region.", report.overhead_ticks,
                               is_one ? "cycle a marker was" : "cycles a marker were"));
  }
}

// What is missing weighs on every figure below, so it is said before them.
void add_loss(const KernelReport& report, layout::Page& page) {
  std::uint64_t dropped = 0;
  std::uint64_t lanes = 0;
  for (const trace::KernelLane& lane : report.profile.lanes) {
    const std::uint64_t here = dropped_of(lane);
    dropped += here;
    lanes += here > 0 ? 1 : 0;
  }
  if (dropped == 0) return;
  page.warning(fmt::format("{} of {} did not fit and are missing below.",
                           counted(dropped, "record"), counted(lanes, "lane")));
}

// They lie by launch.
const analysis::kernel_profile::CriticalLane* critical_of(const KernelReport& report,
                                                          std::uint32_t launch) {
  const auto& all = report.summary.critical;
  const auto found =
      std::ranges::lower_bound(all, launch, {}, &analysis::kernel_profile::CriticalLane::launch);
  return found == all.end() || found->launch != launch ? nullptr : &*found;
}

std::string lanes_words(const analysis::kernel_profile::LaunchResult& result) {
  if (result.lanes_expected == 0) return grouped(result.lanes_seen);
  return fmt::format("{} of {}", grouped(result.lanes_seen), grouped(result.lanes_expected));
}

std::string or_dash(const trace::Extent3& extent) {
  return extent.count() == 0 ? "-" : extent_words(extent);
}

std::string kernel_words(const trace::KernelLaunch& launch) {
  return launch.kernel.empty() ? "-" : demangled(launch.kernel);
}

void add_launches(const KernelReport& report, std::uint32_t top, layout::Page& page) {
  std::vector<analysis::kernel_profile::LaunchResult> launches = report.summary.launches;
  const std::size_t shown = shown_of(launches.size(), top, 2);
  if (shown < launches.size()) {
    std::ranges::stable_sort(
        launches, std::ranges::greater{}, [](const analysis::kernel_profile::LaunchResult& launch) {
          return analysis::kernel_profile::time_between(launch.start, launch.end);
        });
  }
  std::vector<std::vector<std::string>> rows;
  for (const analysis::kernel_profile::LaunchResult& result : std::span(launches).first(shown)) {
    const trace::KernelLaunch& launch = report.launch(result.launch);
    const analysis::kernel_profile::CriticalLane* const critical =
        critical_of(report, result.launch);
    rows.push_back(
        {grouped(launch.id), kernel_time(report, result.start),
         kernel_time(report, analysis::kernel_profile::time_between(result.start, result.end)),
         or_dash(launch.grid), or_dash(launch.threads), or_dash(launch.cluster),
         grouped(launch.groups), lanes_words(result),
         critical == nullptr ? "-" : kernel_time(report, critical->slack), kernel_words(launch)});
  }
  page.heading(shown == launches.size()
                   ? "Launches"
                   : fmt::format("Launches (the {} longest of {}; --top 0 shows all)", shown,
                                 grouped(launches.size())));
  page.table({{"id", Align::kRight},
              {"start", Align::kRight, false, 2},
              {"time", Align::kRight},
              {"grid", Align::kRight, false, 4},
              {"threads", Align::kRight, false, 3},
              {"cluster", Align::kRight, false, 1},
              {"groups", Align::kRight, false, 5},
              {"lanes", Align::kRight},
              {"last after median", Align::kRight, false, 6},
              {"kernel", Align::kLeft, true, 0, layout::Table::Holds::kKernels}},
             std::move(rows));
}

void add_events(const KernelReport& report, std::uint32_t top, layout::Page& page) {
  const std::vector<analysis::kernel_profile::EventStatistics>& events = report.summary.events;
  if (events.empty()) return;
  const std::size_t shown = shown_of(events.size(), top, 1);
  std::vector<std::vector<std::string>> rows;
  for (const analysis::kernel_profile::EventStatistics& one : std::span(events).first(shown)) {
    rows.push_back(
        {event_words(report, one.event), grouped(one.count), kernel_time(report, one.total),
         kernel_time(report, one.p50), kernel_time(report, one.p95), kernel_time(report, one.min),
         kernel_time(report, one.max), layout::percent_of(one.lane_share), grouped(one.lanes)});
  }
  page.heading(shown == events.size()
                   ? "Events, over all lanes"
                   : fmt::format("Events, over all lanes ({} of {}; --top 0 shows all)", shown,
                                 events.size()));
  page.table({{"event", Align::kLeft, true},
              {"count", Align::kRight},
              {"total", Align::kRight},
              {"p50", Align::kRight},
              {"p95", Align::kRight, false, 3},
              {"min", Align::kRight, false, 2},
              {"max", Align::kRight},
              {"share of lane", Align::kRight},
              {"lanes", Align::kRight, false, 1}},
             std::move(rows));
}

std::string critical_sentence(const KernelReport& report,
                              const analysis::kernel_profile::CriticalLane& critical) {
  const trace::KernelLane& lane = report.lane(critical.lane);
  const std::string place = lane.sm < 0 ? "" : fmt::format(" on SM {}", lane.sm);
  std::string text = fmt::format("{}{} ends last, {} after the median lane",
                                 lane_words(report.profile, critical.lane), place,
                                 kernel_time(report, critical.slack));
  if (critical.longest_total.ps > 0) {
    text += fmt::format("; its longest event, {}, takes {} in all",
                        event_words(report, critical.longest_event),
                        kernel_time(report, critical.longest_total));
  }
  return text + ".";
}

// The longest launches first: theirs cost most.
void add_critical(const KernelReport& report, std::uint32_t top, layout::Page& page) {
  std::vector<analysis::kernel_profile::CriticalLane> all = report.summary.critical;
  if (all.empty()) return;
  std::ranges::stable_sort(all, std::ranges::greater{},
                           &analysis::kernel_profile::CriticalLane::slack);
  std::vector<layout::PageItem> items;
  for (const analysis::kernel_profile::CriticalLane& one :
       std::span(all).first(shown_of(all.size(), top, 4))) {
    items.push_back({"", critical_sentence(report, one), {}});
  }
  page.heading("Critical lanes");
  page.list(std::move(items));
}

void add_balance(const KernelReport& report, layout::Page& page) {
  const analysis::kernel_profile::KernelSummary& summary = report.summary;
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](std::string_view name, const analysis::kernel_profile::Imbalance& one) {
    if (one.ratio < kWorthTelling) return;
    rows.push_back({std::string(name), kernel_time(report, one.max), kernel_time(report, one.mean),
                    fmt::format("{:.2f}", one.ratio)});
  };
  add("blocks", summary.blocks);
  add("SMs", summary.sms);
  add("groups", summary.groups);
  if (rows.empty()) return;
  page.heading("Imbalance of the time inside regions, summed over lanes");
  page.table({{"between", Align::kLeft},
              {"longest", Align::kRight},
              {"mean", Align::kRight},
              {"ratio", Align::kRight}},
             std::move(rows));
}

void add_overlap(const KernelReport& report, std::uint32_t top, layout::Page& page) {
  std::vector<analysis::kernel_profile::GroupOverlap> all = report.summary.overlap;
  if (all.empty()) return;
  std::ranges::stable_sort(all, std::ranges::greater{},
                           &analysis::kernel_profile::GroupOverlap::both);
  const std::size_t shown = top == 0 ? all.size() : std::min(all.size(), kFewOverlaps);
  const bool has_launches = report.profile.launches.size() > 1;
  std::vector<std::vector<std::string>> rows;
  for (const analysis::kernel_profile::GroupOverlap& one : std::span(all).first(shown)) {
    std::string groups = fmt::format("{} and {}", one.first_group, one.second_group);
    if (has_launches) groups += fmt::format(" of launch {}", report.launch(one.launch).id);
    rows.push_back({std::move(groups), kernel_time(report, one.both),
                    kernel_time(report, one.either), layout::percent_of(one.ratio)});
  }
  page.heading(shown == all.size()
                   ? "Overlap of groups in the same blocks, summed over blocks"
                   : fmt::format("Overlap of groups in the same blocks, summed over blocks "
                                 "({} of {}; --top 0 shows all)",
                                 shown, all.size()));
  page.table({{"groups", Align::kLeft},
              {"both inside a region", Align::kRight},
              {"either", Align::kRight},
              {"of the shorter one", Align::kRight}},
             std::move(rows));
}

Time longest_launch(const KernelReport& report) {
  Time longest;
  for (const analysis::kernel_profile::LaunchResult& launch : report.summary.launches) {
    longest = std::max(longest, analysis::kernel_profile::time_between(launch.start, launch.end));
  }
  return longest;
}

void add_gaps(const KernelReport& report, std::uint32_t top, layout::Page& page) {
  const std::vector<analysis::kernel_profile::LaneGap>& all = report.summary.gaps;
  if (all.empty()) return;
  std::vector<std::vector<std::string>> rows;
  const std::int64_t least = top == 0 ? 0 : longest_launch(report).ps / kWorthGap;
  for (const analysis::kernel_profile::LaneGap& one :
       std::span(all).first(shown_of(all.size(), top, 3))) {
    if (one.duration.ps < least) break;
    rows.push_back({kernel_time(report, one.duration), kernel_time(report, one.start),
                    lane_words(report.profile, one.lane), event_words(report, one.after_event),
                    event_words(report, one.before_event)});
  }
  if (rows.empty()) return;
  page.heading("Longest gaps between regions");
  page.table({{"time", Align::kRight},
              {"at", Align::kRight},
              {"lane", Align::kLeft},
              {"after", Align::kLeft, true},
              {"before", Align::kLeft, true}},
             std::move(rows));
}

std::string picture_heading(const KernelReport& report, const KernelPicture& picture) {
  std::string text = "Timeline";
  if (report.profile.launches.size() > 1) {
    text += fmt::format(" of launch {}, the longest", report.launch(picture.launch).id);
  }
  if (picture.lanes_left_out > 0) {
    static constexpr std::array<std::string_view, 3> kShown = {
        ": the block that ends last (*)", ": the block that ends last (*) and the median one",
        ": the block that ends last (*), the median one and the first"};
    text += kShown[std::min(picture.blocks.size(), kShown.size()) - 1];
  } else if (picture.blocks.size() > 1) {
    text += "; * ends last";
  }
  if (!picture.has_common_start) text += "; each block from its own start";
  if (picture.lanes_left_out > 0) {
    text += fmt::format("; {} not shown", counted(picture.lanes_left_out, "lane"));
  }
  return text;
}

void add_timeline(const KernelReport& report, std::size_t width, layout::Page& page) {
  const KernelPicture picture = choose_picture(report, kRows);
  if (picture.blocks.empty()) return;
  page.heading(picture_heading(report, picture));
  page.drawing(draw_kernel_timeline(report, picture, width - kIndent));
}

}  // namespace

layout::Page kernel_page(const KernelReport& report, std::uint32_t top,
                         const layout::PageRoom& room) {
  layout::Page page;
  add_head(report, page);
  add_loss(report, page);
  add_launches(report, top, page);
  if (report.summary.lanes.empty()) page.paragraph("No lane was recorded.");
  add_events(report, top, page);
  if (report.comparison != nullptr) add_kernel_comparison(report, top, page);
  add_critical(report, top, page);
  add_balance(report, page);
  add_overlap(report, top, page);
  add_gaps(report, top, page);
  add_timeline(report, room.drawings, page);
  layout::add_health(report.findings, 1, "Findings", page);
  return page;
}

std::string kernel_text(const KernelReport& report, std::uint32_t top,
                        const layout::TextStyle& style) {
  return layout::page_text(kernel_page(report, top, layout::PageRoom::of(style)), style);
}

std::string kernel_markdown(const KernelReport& report, std::uint32_t top) {
  return layout::page_markdown("Inside the kernel", kernel_page(report, top, {}));
}

}  // namespace lockstep::report::kernel
