// Changes of events as rows.
#include "report/kernel/kernel_compare_json.h"

#include <string>

#include "report/kernel/kernel_ns.h"
#include "report/sinks/json_row.h"

namespace lockstep::report::kernel {
namespace {

using Json = nlohmann::ordered_json;

std::string change_row(const analysis::kernel_profile::TimeChange& change) {
  sinks::JsonRow row;
  row.raw("delta_ns", exact_ns(change.delta));
  return row.raw("ratio", change.ratio ? sinks::exact_ratio(*change.ratio) : "null").finish();
}

std::string side_row(const std::optional<analysis::kernel_profile::EventStatistics>& side) {
  if (!side) return "null";
  sinks::JsonRow row;
  row.member("count", side->count).raw("total_ns", exact_ns(side->total));
  row.raw("p50_ns", exact_ns(side->p50)).raw("p95_ns", exact_ns(side->p95));
  return row.raw("lane_share", sinks::exact_ratio(side->lane_share)).finish();
}

std::string event_row(const analysis::kernel_profile::EventChange& one) {
  sinks::JsonRow row;
  row.member("name", one.name).raw("before", side_row(one.a)).raw("now", side_row(one.b));
  row.raw("total", change_row(one.total)).raw("total_per_launch", change_row(one.per_launch));
  row.raw("p50", change_row(one.p50)).raw("p95", change_row(one.p95));
  row.member("count_delta", one.count_delta)
      .raw("share_delta", sinks::exact_ratio(one.share_delta));
  row.member("p", one.p ? Json(*one.p) : Json());
  row.member("adjusted_p", one.adjusted_p ? Json(*one.adjusted_p) : Json());
  return row.member("significant", one.is_significant).finish();
}

}  // namespace

void write_kernel_comparison(const KernelReport& report, sinks::JsonText& json) {
  const analysis::kernel_profile::KernelComparison& comparison = *report.comparison;
  json.begin_object("compare");
  json.member("with", report.compared_with);
  json.raw_member("launch_time", change_row(comparison.launch_time));
  json.raw_member("lane_time", change_row(comparison.lane_time));
  json.member("only_before", comparison.only_a);
  json.member("only_now", comparison.only_b);
  json.member("significant", comparison.significant);
  json.begin_array("events");
  for (const analysis::kernel_profile::EventChange& one : comparison.events)
    json.raw_element(event_row(one));
  json.end_array();
  json.end_object();
}

}  // namespace lockstep::report::kernel
