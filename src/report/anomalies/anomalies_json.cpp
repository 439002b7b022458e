// Keys in the order of the contract; the same anomalies give the same bytes.
#include "report/anomalies/anomalies_json.h"

#include <algorithm>

#include <fmt/format.h>

#include "analysis/anomalies/timeline/ratio.h"
#include "report/anomalies/anomalies_bubble_json.h"
#include "report/anomalies/anomalies_ops_json.h"
#include "report/anomalies/anomalies_verdict_json.h"
#include "report/anomalies/words/reason_words.h"
#include "report/anomalies/words/word_parts.h"
#include "report/layout/quantities.h"
#include "report/sinks/json_row.h"
#include "report/sinks/json_text.h"

namespace lockstep::report::anomalies {
namespace {

using Json = nlohmann::ordered_json;

Json rank_json(const analysis::anomalies::DeviceTimeline& timeline) {
  return timeline.rank_number ? Json(*timeline.rank_number) : Json(nullptr);
}

// Where an entry of a list over all devices belongs.
void write_device(const analysis::anomalies::DeviceAnomalies& device, sinks::JsonText& text) {
  text.member("rank", rank_json(device.timeline));
  text.member("device", device.timeline.device_id);
}

void write_global(const analysis::anomalies::GlobalGaps& global, sinks::JsonText& text) {
  text.begin_object("global_device_gap_analysis");
  text.raw_member("capture_span_ms", sinks::exact_ms(global.span));
  text.raw_member("device_busy_union_ms", sinks::exact_ms(global.busy));
  text.raw_member("any_busy_union_ms", sinks::exact_ms(global.any_busy));
  text.raw_member("device_gap_ms", sinks::exact_ms(global.gap));
  text.raw_member("device_gap_ratio",
                  sinks::exact_ratio(analysis::anomalies::ratio_of(global.gap, global.span)));
  text.raw_member("largest_gap_ms", sinks::exact_ms(global.largest));
  text.begin_array("top_gap_windows");
  for (const algo::Interval& gap : global.top) {
    const Time start{gap.begin};
    const Time end{gap.end};
    text.raw_element(sinks::JsonRow()
                         .raw("start_us", sinks::exact_us(start))
                         .raw("end_us", sinks::exact_us(end))
                         .raw("duration_ms", sinks::exact_ms(end - start))
                         .member("start_ns", floor_ns(start))
                         .member("end_ns", floor_ns(end))
                         .finish());
  }
  text.end_array();
  text.end_object();
}

void write_spread(std::string_view name, const analysis::anomalies::MetricSpread& spread,
                  sinks::JsonText& text) {
  const auto key = [&](std::string_view what) { return fmt::format("{}_ms_{}", name, what); };
  const WideTime mean = WideTime{layout::floored_ns_of(spread.mean_ps)} * kPicosecondsPerNanosecond;
  text.raw_member(key("avg"), sinks::exact_ms(mean));
  text.raw_member(key("median"), sinks::exact_ms(spread.median));
  text.raw_member(key("p90"), sinks::exact_ms(spread.p90));
  text.raw_member(key("p95"), sinks::exact_ms(spread.p95));
}

void write_recurring(const analysis::anomalies::DeviceAnomalies& device,
                     const analysis::anomalies::StepGroup& group, const trace::Trace& trace,
                     sinks::JsonText& text) {
  const auto kernel = [&](std::uint32_t i) {
    return i == analysis::anomalies::kNoKernel
               ? Json(nullptr)
               : Json(kernel_name(trace, device.timeline.kernels[i]));
  };
  text.begin_array("recurring");
  for (const analysis::anomalies::RecurringGap& one : group.recurring) {
    Json bubbles = Json::array();
    for (const std::uint32_t i : one.bubbles) bubbles.push_back(bubble_id(device, i));
    text.raw_element(sinks::JsonRow()
                         .member("position", one.position)
                         .member("kernel_before", kernel(one.kernel_before))
                         .member("kernel_after", kernel(one.kernel_after))
                         .member("steps", one.steps)
                         .raw("median_ms", sinks::exact_ms(one.median))
                         .raw("total_ms", sinks::exact_ms(one.total))
                         .member("labels", names_of(one.labels))
                         .member("bubble_ids", bubbles)
                         .finish());
  }
  text.end_array();
}

void write_group(const analysis::anomalies::DeviceAnomalies& device,
                 const analysis::anomalies::StepGroup& group, const trace::Trace& trace,
                 sinks::JsonText& text) {
  text.begin_object();
  text.member("group_id", group.id);
  write_device(device, text);
  text.member("group_size", group.steps.size());
  text.member("kernels", group.kernels);
  text.raw_member("total_service_ms", sinks::exact_ms(group.total_service));
  write_spread("service", group.service, text);
  write_spread("device_busy_union", group.device_busy, text);
  write_spread("underfeed", group.underfeed, text);
  text.raw_member("underfeed_ratio_avg", sinks::exact_ratio(group.underfeed_ratio));
  text.raw_member("underfeed_ratio_median", sinks::exact_ratio(group.underfeed_ratio_median));
  text.raw_member("underfeed_ratio_p90", sinks::exact_ratio(group.underfeed_ratio_p90));
  text.raw_member("underfeed_ratio_p95", sinks::exact_ratio(group.underfeed_ratio_p95));
  write_spread("prelaunch_gap", group.prelaunch, text);
  write_spread("tail_gap", group.tail, text);
  write_spread("inter_step_gap", group.inter_step, text);
  write_spread("internal_bubble_total", group.internal_total, text);
  write_spread("largest_internal_bubble", group.largest_internal, text);
  text.member("dominant_idle_pattern", name_of(group.pattern));
  text.member("dominant_anomaly_tags", names_of(group.dominant_tags));
  text.member("labels", names_of(group.labels));
  text.raw_member("bubble_step_share", sinks::exact_ratio(group.bubble_step_share));
  text.member("recurring_bubble_pattern", group.is_recurring);
  write_recurring(device, group, trace, text);
  Json example = nullptr;
  if (group.shape_example) {
    example = Json::array({device.steps[group.shape_example->first].id,
                           device.steps[group.shape_example->second].id});
  }
  text.member("shape_example", example);
  text.member("requires_followup", group.requires_followup);
  text.end_object();
}

void write_metrics(const analysis::anomalies::GapMetrics& gaps, sinks::JsonText& text) {
  text.raw_member("service_ms", sinks::exact_ms(gaps.service));
  text.raw_member("device_busy_union_ms", sinks::exact_ms(gaps.device_busy));
  text.raw_member("any_busy_union_ms", sinks::exact_ms(gaps.any_busy));
  text.raw_member("computing_union_ms", sinks::exact_ms(gaps.computing));
  text.raw_member("underfeed_ms", sinks::exact_ms(gaps.underfeed));
  text.raw_member("underfeed_ratio",
                  sinks::exact_ratio(analysis::anomalies::ratio_of(gaps.underfeed, gaps.service)));
  text.raw_member("prelaunch_gap_ms", sinks::exact_ms(gaps.prelaunch));
  text.raw_member("prelaunch_launch_ms", sinks::exact_ms(gaps.prelaunch_launch));
  text.raw_member("tail_gap_ms", sinks::exact_ms(gaps.tail));
  text.raw_member("inter_step_gap_ms", sinks::exact_ms(gaps.inter_step));
  text.raw_member("internal_bubble_total_ms", sinks::exact_ms(gaps.internal_total));
  text.raw_member("largest_internal_bubble_ms", sinks::exact_ms(gaps.largest_internal));
  text.member("bubble_count", gaps.bubble_count);
  text.member("significant_bubble_count", gaps.significant_bubble_count);
  text.raw_member("dispatch_gap_ms", sinks::exact_ms(gaps.dispatch_total));
  text.member("dispatch_gap_count", gaps.dispatch_count);
  text.raw_member("exposed_copy_ms", sinks::exact_ms(gaps.exposed_copy));
  text.raw_member("artefact_idle_ms", sinks::exact_ms(gaps.artefact_idle));
}

void write_step(const analysis::anomalies::DeviceAnomalies& device,
                const analysis::anomalies::AnomalyStep& step,
                const analysis::anomalies::Thresholds& thresholds, sinks::JsonText& text) {
  const auto device_time = [&](Time time) {
    return step.device_window ? Json(floor_ns(time)) : Json(nullptr);
  };
  const std::pair<Time, Time> window = step.device_window.value_or(std::pair<Time, Time>());
  text.begin_object();
  text.member("step_id", step.id);
  text.member("name", step_label(step));
  write_device(device, text);
  text.member("group_id", device.groups[step.group].id);
  text.member("window", name_of(step.window));
  text.member("start_ns", floor_ns(step.start));
  text.member("end_ns", floor_ns(step.end));
  text.member("device_start_ns", device_time(window.first));
  text.member("device_end_ns", device_time(window.second));
  text.member("device_shift_ns", device_time(step.device_shift()));
  text.member("kernels", step.kernels.size());
  write_metrics(step.facts.gaps, text);
  text.member("tags", names_of(step.tags));
  text.begin_array("tag_reasons");
  for (const analysis::anomalies::TagReason& reason : step.reasons) {
    text.raw_element(sinks::JsonRow()
                         .member("tag", name_of(reason.tag))
                         .member("text", reason_words(reason, thresholds))
                         .finish());
  }
  text.end_array();
  text.member("labels", names_of(step.labels));
  text.end_object();
}

void write_finding(const analysis::anomalies::DeviceAnomalies& device,
                   const analysis::anomalies::Finding& finding, const FindingWords& words,
                   sinks::JsonText& text) {
  const auto bubble_time = [&](Time analysis::anomalies::Bubble::* time) {
    return finding.bubble ? Json(floor_ns(device.bubbles[*finding.bubble].*time)) : Json(nullptr);
  };
  text.begin_object();
  text.member("kind", name_of(finding.kind));
  text.member("priority", name_of(finding.priority));
  write_device(device, text);
  text.member("group_id", device.groups[finding.group].id);
  text.member("step_id", finding.step ? Json(device.steps[*finding.step].id) : Json(nullptr));
  text.member("scope", finding.scope ? Json(name_of(*finding.scope)) : Json(nullptr));
  text.member("bubble_id",
              finding.bubble ? Json(bubble_id(device, *finding.bubble)) : Json(nullptr));
  text.member("start_ns", bubble_time(&analysis::anomalies::Bubble::start));
  text.member("end_ns", bubble_time(&analysis::anomalies::Bubble::end));
  text.raw_member("cost_ms", sinks::exact_ms(finding.cost));
  text.member("labels", names_of(finding.labels));
  text.member("text", words.text);
  text.member("evidence", words.evidence);
  text.end_object();
}

void write_artefact(const analysis::anomalies::DeviceAnomalies& device,
                    const analysis::anomalies::Artefact& artefact, const std::string& because,
                    sinks::JsonText& text) {
  const analysis::anomalies::AnomalyStep& step = device.steps[artefact.step];
  text.begin_object();
  text.member("tag", name_of(artefact.tag));
  text.member("step_id", step.id);
  text.raw_member("idle_ms", sinks::exact_ms(artefact.idle));
  text.raw_member("share_of_step", sinks::exact_ratio(analysis::anomalies::ratio_of(
                                       artefact.idle, step.facts.gaps.service)));
  text.member("because", because);
  text.end_object();
}

// What is said of one device as a whole.
void write_overall(const analysis::anomalies::DeviceAnomalies& device, const DeviceWords& words,
                   sinks::JsonText& text) {
  write_answers(words.answers, text);
  write_op_rankings(device, text);
  write_small_ops(device.ops.small, words.small_ops, text);
}

Json dominant_group(const analysis::anomalies::DeviceAnomalies& device) {
  return device.groups.empty() ? Json(nullptr) : Json(device.groups.front().id);
}

void write_device_entry(const analysis::anomalies::DeviceAnomalies& device,
                        const DeviceWords& words, sinks::JsonText& text) {
  text.begin_object();
  write_device(device, text);
  text.member("input", device.timeline.source);
  text.member("kernels", device.timeline.kernels.size());
  text.member("copies", device.timeline.copies.size());
  text.member("steps", device.steps.size());
  text.member("bubbles", device.bubbles.size());
  text.member("dominant_group_id", dominant_group(device));
  text.member("requires_host_followup", device.requires_host_followup);
  text.member("confidence", name_of(device.confidence));
  write_global(device.global, text);
  write_overall(device, words, text);
  text.end_object();
}

// One array over all devices; `write` writes the elements of one.
template <typename Write>
void write_all(std::string_view key, const analysis::anomalies::Anomalies& anomalies,
               sinks::JsonText& text, Write write) {
  text.begin_array(key);
  for (const analysis::anomalies::DeviceAnomalies& device : anomalies.devices) write(device);
  text.end_array();
}

void write_thresholds(const analysis::anomalies::AnomaliesOptions& options, sinks::JsonText& text) {
  Json thresholds = Json::object();
  for (const analysis::anomalies::ThresholdField& field : analysis::anomalies::threshold_fields()) {
    thresholds[std::string(field.name)] = options.thresholds.*field.value;
  }
  text.member("thresholds", thresholds);
  text.member("compat", name_of(options.rules));
}

// The keys of the reference's schema.
void write_contract(const AnomaliesReport& report, BubbleLimit bubbles, sinks::JsonText& text) {
  const analysis::anomalies::Anomalies& anomalies = report.anomalies;
  const analysis::anomalies::DeviceAnomalies& dominant =
      anomalies.devices[anomalies.dominant_device];
  const auto all = [&](std::string_view key, auto write) {
    write_all(key, anomalies, text, write);
  };
  text.member("enabled", true);
  text.member("dominant_group_id", dominant_group(dominant));
  write_global(dominant.global, text);
  all("step_group_anomalies", [&](const analysis::anomalies::DeviceAnomalies& device) {
    for (const analysis::anomalies::StepGroup& group : device.groups)
      write_group(device, group, report.trace, text);
  });
  all("bubble_windows", [&](const analysis::anomalies::DeviceAnomalies& device) {
    write_bubbles(device, report.trace, bubbles, text);
  });
  all("wait_anchor_ops", [&](const analysis::anomalies::DeviceAnomalies& device) {
    write_wait_anchors(device, device.ops.wait_anchors, text);
  });
  all("soft_root_cause_summary", [&](const analysis::anomalies::DeviceAnomalies& device) {
    for (std::size_t i = 0; i < device.causes.size(); ++i)
      write_cause(device.causes[i], report.words_of(device).causes[i], text);
  });
  text.member("requires_host_followup",
              std::ranges::any_of(anomalies.devices,
                                  &analysis::anomalies::DeviceAnomalies::requires_host_followup));
  text.member("confidence", name_of(dominant.confidence));
}

// What stands beside them.
void write_more(const AnomaliesReport& report, sinks::JsonText& text) {
  const analysis::anomalies::Anomalies& anomalies = report.anomalies;
  const auto all = [&](std::string_view key, auto write) {
    write_all(key, anomalies, text, write);
  };
  all("steps", [&](const analysis::anomalies::DeviceAnomalies& device) {
    for (const analysis::anomalies::AnomalyStep& step : device.steps)
      write_step(device, step, report.options.thresholds, text);
  });
  text.member("steps_are_marked", anomalies.steps_are_marked);
  all("findings", [&](const analysis::anomalies::DeviceAnomalies& device) {
    for (std::size_t i = 0; i < device.findings.size(); ++i)
      write_finding(device, device.findings[i], report.words_of(device).findings[i], text);
  });
  text.begin_array("recommendations");
  for (std::size_t i = 0; i < anomalies.recommendations.size(); ++i)
    write_recommendation(anomalies.recommendations[i], report.words.recommendations[i], text);
  text.end_array();
  write_thresholds(report.options, text);
  text.member("evidence_gaps", report.words.evidence_gaps);
  all("artefacts", [&](const analysis::anomalies::DeviceAnomalies& device) {
    for (std::size_t i = 0; i < device.artefacts.size(); ++i)
      write_artefact(device, device.artefacts[i], report.words_of(device).artefacts[i], text);
  });
  all("compute_wait_anchor_ops", [&](const analysis::anomalies::DeviceAnomalies& device) {
    write_wait_anchors(device, device.ops.compute_wait_anchors, text);
  });
  all("aicpu_ops", [&](const analysis::anomalies::DeviceAnomalies& device) {
    write_aicpu(device, report.trace, text);
  });
  all("structures",
      [&](const analysis::anomalies::DeviceAnomalies& device) { write_structures(device, text); });
  text.member("dominant_device", anomalies.dominant_device);
  write_overall(anomalies.devices[anomalies.dominant_device],
                report.words.devices[anomalies.dominant_device], text);
  all("devices", [&](const analysis::anomalies::DeviceAnomalies& device) {
    write_device_entry(device, report.words_of(device), text);
  });
}

void write_document(const AnomaliesReport& report, BubbleLimit bubbles, sinks::JsonText& text) {
  text.member("schema", "lockstep.anomalies/2");
  Json paths = Json::array();
  for (const formats::input::InputFacts& input : report.inputs) paths.push_back(input.path);
  text.member("inputs", paths);
  text.begin_object("anomaly_discovery");
  write_contract(report, bubbles, text);
  write_more(report, text);
  text.end_object();
}

}  // namespace

std::string anomalies_json(const AnomaliesReport& report, BubbleLimit bubbles) {
  sinks::JsonText text;
  write_document(report, bubbles, text);
  return text.finish();
}

Status write_anomalies_json(const AnomaliesReport& report, BubbleLimit bubbles,
                            io::ByteSink& sink) {
  sinks::JsonText text(sink);
  write_document(report, bubbles, text);
  return text.finish_in_sink();
}

}  // namespace lockstep::report::anomalies
