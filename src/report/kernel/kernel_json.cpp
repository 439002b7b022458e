// The document from front to back; regions are as many as the records, so they are plain text.
#include "report/kernel/kernel_json.h"

#include <functional>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analysis/kernel_profile/clocks/saturated_time.h"
#include "analysis/kernel_profile/regions/lane_markers.h"
#include "report/kernel/kernel_compare_json.h"
#include "report/kernel/kernel_ns.h"
#include "report/sinks/json_row.h"
#include "report/sinks/json_text.h"

namespace lockstep::report::kernel {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSchema = "lockstep.kernel-decode/2";

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json extent_or_null(const trace::Extent3& extent) {
  return extent.count() == 0 ? Json() : Json({extent.x, extent.y, extent.z});
}

Json sm_or_null(const trace::KernelLane& lane) { return lane.sm < 0 ? Json() : Json(lane.sm); }

std::string place_words(const Place& place) {
  switch (place.unit) {
    case Place::Unit::kByte:
      return fmt::format("byte {}", place.at);
    case Place::Unit::kRow:
      return fmt::format("row {}", place.at);
    case Place::Unit::kTime:  // no profile of a kernel has one
    case Place::Unit::kNone:
      break;
  }
  return {};
}

// Where the first one was met: a place in the input, the lane or what else is told of it.
Json first_of(const Diagnostic& one) {
  const std::string place = place_words(one.first);
  if (place.empty() || one.example.empty()) return text_or_null(place + one.example);
  return fmt::format("{}: {}", place, one.example);
}

class KernelDocument {
 public:
  explicit KernelDocument(const KernelReport& report) : report_(report) {}
  KernelDocument(const KernelReport& report, io::ByteSink& sink) : report_(report), json_(sink) {}

  sinks::JsonText& write() {
    write_head();
    write_launches();
    json_.begin_array("lanes");
    for (const analysis::kernel_profile::LaneResult& lane : report_.summary.lanes) write_lane(lane);
    json_.end_array();
    write_events();
    write_critical();
    write_imbalance();
    write_overlap();
    write_gaps();
    write_async();
    if (report_.comparison != nullptr) write_kernel_comparison(report_, json_);
    write_findings();
    return json_;
  }

 private:
  void write_head() {
    const analysis::kernel_profile::TimeBase& time = report_.summary.time;
    json_.member("schema", kSchema);
    json_.member("input", report_.input);
    json_.member("format", report_.profile.format);
    json_.member("producer", text_or_null(report_.profile.producer));
    json_.member("device", text_or_null(report_.profile.device));
    json_.member("arch", text_or_null(report_.profile.arch));
    json_.begin_object("time");
    json_.member("source", name_of(time.source));
    json_.raw_member("tick_ns", fmt::format("{:.6g}", time.tick_ns));
    json_.raw_member("uncertainty_ns", band_ns(time.uncertainty));
    json_.member("origin_ns", time.origin_ns);
    json_.raw_member("overhead_cycles", fmt::format("{:g}", report_.overhead_ticks));
    json_.end_object();
  }

  void write_launches() {
    json_.begin_array("launches");
    for (const analysis::kernel_profile::LaunchResult& result : report_.summary.launches) {
      const trace::KernelLaunch& launch = report_.launch(result.launch);
      sinks::JsonRow row;
      row.member("id", launch.id).member("kernel", text_or_null(launch.kernel));
      row.member("grid", extent_or_null(launch.grid));
      row.member("block", extent_or_null(launch.threads));
      row.member("cluster", extent_or_null(launch.cluster)).member("groups", launch.groups);
      row.raw("start_ns", exact_ns(result.start)).raw("end_ns", exact_ns(result.end));
      row.member("lanes_expected",
                 result.lanes_expected == 0 ? Json() : Json(result.lanes_expected));
      row.member("lanes_seen", result.lanes_seen);
      row.member("channel", launch.channel).member("number", launch.number);
      json_.raw_element(row.finish());
    }
    json_.end_array();
  }

  void write_lane(const analysis::kernel_profile::LaneResult& result) {
    const trace::KernelLane& lane = report_.lane(result.lane);
    json_.begin_object();
    json_.member("launch", report_.launch(lane.launch).id);
    json_.member("block", lane.block);
    json_.member("group", lane.group);
    json_.member("name", text_or_null(lane.name));
    json_.member("sm", sm_or_null(lane));
    json_.raw_member("start_ns", exact_ns(result.start));
    json_.raw_member("end_ns", exact_ns(result.end));
    json_.member("seen", lane.seen);
    json_.member("written", lane.written);
    json_.member("dropped", dropped_of(lane));
    json_.member("finalized", lane.is_finalized);
    if (report_.lists_regions) write_markers(result, trace::counts_cycles(lane.clock));
    json_.end_object();
  }

  // Those of the summary, or, where it kept none, of this lane alone.
  void write_markers(const analysis::kernel_profile::LaneResult& result, bool has_cycles) {
    if (report_.has_regions) {
      write_markers(result.regions, result.instants, has_cycles, std::identity());
      return;
    }
    const analysis::kernel_profile::LaneTimeline& lane = markers_.read(result.lane);
    write_markers(lane.regions, lane.instants, has_cycles,
                  [this](const auto& marker) { return markers_.timed(marker); });
  }

  template <typename Regions, typename Instants, typename Timed>
  void write_markers(const Regions& regions, const Instants& instants, bool has_cycles,
                     Timed timed) {
    json_.begin_array("regions");
    for (const auto& region : regions) json_.raw_element(region_row(timed(region), has_cycles));
    json_.end_array();
    json_.begin_array("instants");
    for (const auto& instant : instants) json_.raw_element(instant_row(timed(instant)));
    json_.end_array();
  }

  std::string instant_row(const analysis::kernel_profile::TimedInstant& timed) {
    const analysis::kernel_profile::LaneInstant& instant = timed.instant;
    return fmt::format(
        R"({{"name": {}, "event": {}, "at_ns": {}, "uncertainty_ns": {}, "payload": {}}})",
        quoted_name(instant.event), instant.event, exact_ns(timed.at.time),
        band_ns(timed.at.uncertainty), payload(instant.has_payload, instant.payload));
  }

  // Appended piece by piece into one string: there may be as many as there are records.
  const std::string& region_row(const analysis::kernel_profile::TimedRegion& timed,
                                bool has_cycles) {
    const analysis::kernel_profile::LaneRegion& region = timed.region;
    row_ = "{\"name\": ";
    row_ += quoted_name(region.event);
    row_ += ", \"event\": ";
    append_integer(region.event);
    row_ += ", \"start_ns\": ";
    append_ns(row_, timed.start.time);
    row_ += ", \"duration_ns\": ";
    append_ns(row_, timed.duration);
    row_ += ", \"duration_cycles\": ";
    append_or_null(has_cycles, timed.ticks);
    row_ += ", \"uncertainty_ns\": ";
    append_band(row_, timed.start.uncertainty);
    row_ += ", \"depth\": ";
    append_integer(region.depth);
    row_ += ", \"payload\": ";
    append_or_null(region.has_payload, region.payload);
    row_ += ", \"status\": \"";
    row_ += name_of(region.status);
    row_ += "\"}";
    return row_;
  }

  void append_integer(std::int64_t value) {
    const fmt::format_int digits(value);
    row_.append(digits.data(), digits.size());
  }
  void append_or_null(bool is_there, std::int64_t value) {
    if (is_there) {
      append_integer(value);
    } else {
      row_ += "null";
    }
  }

  static std::string payload(bool is_there, std::uint32_t value) {
    return is_there ? std::to_string(value) : "null";
  }

  // Quoted once an event, not once a region.
  const std::string& quoted_name(std::uint32_t event) {
    if (event >= kMostCachedNames) {
      rare_name_ = Json(report_.profile.event_name(event)).dump(-1, ' ', false, kReplace);
      return rare_name_;
    }
    if (event >= names_.size()) names_.resize(event + 1);
    if (names_[event].empty()) {
      names_[event] = Json(report_.profile.event_name(event)).dump(-1, ' ', false, kReplace);
    }
    return names_[event];
  }

  void write_events() {
    json_.begin_array("events");
    for (const analysis::kernel_profile::EventStatistics& one : report_.summary.events) {
      sinks::JsonRow row;
      row.raw("name", quoted_name(one.event)).member("event", one.event).member("count", one.count);
      row.raw("total_ns", exact_ns(one.total)).raw("min_ns", exact_ns(one.min));
      row.raw("p50_ns", exact_ns(one.p50)).raw("p95_ns", exact_ns(one.p95));
      row.raw("max_ns", exact_ns(one.max)).raw("lane_share", sinks::exact_ratio(one.lane_share));
      row.member("lanes", one.lanes);
      json_.raw_element(row.finish());
    }
    json_.end_array();
  }

  // The beginning of every row that is on one lane.
  sinks::JsonRow lane_row(std::uint32_t index) {
    const trace::KernelLane& lane = report_.lane(index);
    sinks::JsonRow row;
    row.member("launch", report_.launch(lane.launch).id);
    row.member("block", lane.block).member("group", lane.group).member("sm", sm_or_null(lane));
    return row;
  }

  void write_critical() {
    json_.begin_array("critical");
    for (const analysis::kernel_profile::CriticalLane& one : report_.summary.critical) {
      sinks::JsonRow row = lane_row(one.lane);
      row.raw("end_ns", exact_ns(one.end)).raw("slack_ns", exact_ns(one.slack));
      row.raw("name", quoted_name(one.longest_event)).member("event", one.longest_event);
      row.raw("total_ns", exact_ns(one.longest_total));
      json_.raw_element(row.finish());
    }
    json_.end_array();
  }

  void write_imbalance() {
    json_.begin_object("imbalance");
    const auto add = [&](std::string_view key, const analysis::kernel_profile::Imbalance& one) {
      sinks::JsonRow row;
      row.raw("max_ns", exact_ns(one.max)).raw("mean_ns", exact_ns(one.mean));
      json_.raw_member(key, row.raw("ratio", sinks::exact_ratio(one.ratio)).finish());
    };
    add("blocks", report_.summary.blocks);
    add("sms", report_.summary.sms);
    add("groups", report_.summary.groups);
    json_.end_object();
  }

  void write_overlap() {
    json_.begin_array("overlap");
    for (const analysis::kernel_profile::GroupOverlap& one : report_.summary.overlap) {
      sinks::JsonRow row;
      row.member("launch", report_.launch(one.launch).id);
      row.member("first_group", one.first_group).member("second_group", one.second_group);
      row.raw("both_ns", exact_ns(one.both)).raw("either_ns", exact_ns(one.either));
      json_.raw_element(row.raw("ratio", sinks::exact_ratio(one.ratio)).finish());
    }
    json_.end_array();
  }

  void write_gaps() {
    json_.begin_array("gaps");
    for (const analysis::kernel_profile::LaneGap& one : report_.summary.gaps) {
      sinks::JsonRow row = lane_row(one.lane);
      row.raw("start_ns", exact_ns(one.start)).raw("duration_ns", exact_ns(one.duration));
      row.raw("after", quoted_name(one.after_event));
      json_.raw_element(row.raw("before", quoted_name(one.before_event)).finish());
    }
    json_.end_array();
  }

  void write_async() {
    json_.begin_array("async");
    for (const analysis::kernel_profile::AsyncPair& one : report_.summary.async_pairs) {
      sinks::JsonRow row;
      row.raw("name", quoted_name(one.event)).member("event", one.event).member("token", one.token);
      row.raw("begin", lane_row(one.begin_lane).raw("at_ns", exact_ns(one.begin.time)).finish());
      row.raw("end", lane_row(one.end_lane).raw("at_ns", exact_ns(one.end.time)).finish());
      const WideTime duration = WideTime{one.end.time.ps} - one.begin.time.ps;
      row.raw("duration_ns", exact_ns(analysis::kernel_profile::saturated_time(duration)));
      json_.raw_element(row.finish());
    }
    json_.end_array();
  }

  void write_findings() {
    json_.begin_array("findings");
    for (const Diagnostic& one : report_.findings.entries()) {
      json_.element({{"kind", one.kind->name},
                     {"severity", name_of(one.kind->severity)},
                     {"count", one.count},
                     {"first", first_of(one)},
                     {"text", one.text()}});
    }
    json_.end_array();
  }

  static constexpr std::uint32_t kMostCachedNames = 65'536;  // no format has more events
  static constexpr auto kReplace = Json::error_handler_t::replace;

  const KernelReport& report_;
  analysis::kernel_profile::LaneMarkers markers_{report_.profile, report_.summary.time,
                                                 report_.overhead_ticks};
  sinks::JsonText json_;
  std::vector<std::string> names_;  // by event, quoted
  std::string rare_name_;
  std::string row_;  // of a region, made again and again
};

}  // namespace

std::string kernel_json(const KernelReport& report) {
  return KernelDocument(report).write().finish();
}

Status write_kernel_json(const KernelReport& report, io::ByteSink& sink) {
  return KernelDocument(report, sink).write().finish_in_sink();
}

}  // namespace lockstep::report::kernel
