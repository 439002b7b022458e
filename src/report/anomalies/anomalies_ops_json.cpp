// Rows of the operator table, and one step taken apart.
#include "report/anomalies/anomalies_ops_json.h"

#include <algorithm>

#include <fmt/format.h>

#include "analysis/anomalies/timeline/ratio.h"
#include "report/anomalies/words/structure_words.h"
#include "report/layout/quantities.h"
#include "report/sinks/json_row.h"

namespace lockstep::report::anomalies {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kRankedOps = 20;
constexpr std::size_t kOpsOfABlock = 5;

WideTime mean_of(WideTime sum, std::uint64_t count) {
  return count == 0 ? 0 : sum / static_cast<WideTime>(count);
}

// The place by mean total cost, from 1, as the rule for wait anchors counts it.
std::size_t rank_of(const analysis::anomalies::OpTable& ops, const analysis::anomalies::OpRow& row,
                    bool only_computing) {
  return 1 + static_cast<std::size_t>(
                 std::ranges::count_if(ops.rows, [&](const analysis::anomalies::OpRow& other) {
                   if (only_computing && other.kind == trace::Kind::kCommunication) return false;
                   return mean_of(other.total_cost(), other.count) >
                          mean_of(row.total_cost(), row.count);
                 }));
}

Json anchor_evidence(const analysis::anomalies::OpTable& ops, const analysis::anomalies::OpRow& row,
                     bool only_computing) {
  Json evidence =
      Json::array({fmt::format("{} of its {} total cost is waiting",
                               layout::share_of(row.to_device, row.total_cost()),
                               layout::human_time_of(row.total_cost())),
                   fmt::format("its kernels run {} on average",
                               layout::human_time_of(mean_of(row.duration, row.count))),
                   fmt::format("number {} by mean total cost", rank_of(ops, row, only_computing))});
  if (row.waits_in_artefact()) evidence.push_back("most of the wait is an artefact, no idleness");
  return evidence;
}

void add_op(const analysis::anomalies::OpRow& row, sinks::JsonRow& out) {
  out.member("op_name", row.text)
      .member("type", row.type)
      .member("kind", name_of(row.kind))
      .member("count", row.count)
      .raw("duration_us_avg", sinks::exact_us(mean_of(row.duration, row.count)))
      .raw("wait_us_avg", sinks::exact_us(mean_of(row.to_device, row.count)))
      .raw("total_cost_us_avg", sinks::exact_us(mean_of(row.total_cost(), row.count)))
      .raw("wait_ratio", sinks::exact_ratio(row.wait_ratio()))
      .member("is_false_hotspot_risk", row.is_wait_anchor)
      .member("duration_ns", layout::floored_ns(row.duration))
      .member("gap_to_device_ns", layout::floored_ns(row.to_device))
      .member("gap_to_stream_ns", layout::floored_ns(row.to_stream))
      .member("gap_to_compute_ns", layout::floored_ns(row.to_compute))
      .member("total_cost_ns", layout::floored_ns(row.total_cost()))
      .member("exported_wait_ns",
              row.exported_wait ? Json(layout::floored_ns(*row.exported_wait)) : Json(nullptr))
      .raw("comm_wait_ratio", sinks::exact_ratio(row.comm_wait_share));
}

void write_ranking(std::string_view key, const analysis::anomalies::DeviceAnomalies& device,
                   std::span<const std::uint32_t> order, sinks::JsonText& text) {
  text.begin_array(key);
  for (const std::uint32_t i : order.first(std::min(order.size(), kRankedOps))) {
    sinks::JsonRow row;
    add_op(device.ops.rows[i], row);
    text.raw_element(row.finish());
  }
  text.end_array();
}

std::string clocks_json(const analysis::anomalies::Clocks& clocks) {
  return sinks::JsonRow()
      .raw("wall_ms", sinks::exact_ms(clocks.wall))
      .raw("busy_union_ms", sinks::exact_ms(clocks.busy))
      .raw("kernel_sum_ms", sinks::exact_ms(clocks.kernel_sum))
      .raw("total_cost_ms", sinks::exact_ms(clocks.total_cost))
      .finish();
}

std::string ops_of_block(const analysis::anomalies::DeviceAnomalies& device,
                         const analysis::anomalies::BlockOrSide& block) {
  std::vector<std::string> ops;
  for (const analysis::anomalies::OpShare& share : block.ops) {
    if (ops.size() == kOpsOfABlock) break;
    ops.push_back(sinks::JsonRow()
                      .member("op_name", device.ops.rows[share.row].text)
                      .member("count", share.count)
                      .raw("clocks", clocks_json(share.clocks))
                      .finish());
  }
  return sinks::json_list(ops);
}

std::string block_json(const analysis::anomalies::DeviceAnomalies& device,
                       const analysis::anomalies::BlockOrSide& block) {
  return sinks::JsonRow()
      .member("kernels", block.kernels)
      .raw("clocks", clocks_json(block.clocks))
      .member("readings", names_of(block.readings))
      .raw("top_ops", ops_of_block(device, block))
      .finish();
}

void write_structure(const analysis::anomalies::DeviceAnomalies& device,
                     const analysis::anomalies::Structure& one, sinks::JsonText& text) {
  text.begin_object();
  text.member("name", structure_words(one.name));
  text.member("type", structure_type_words(one.name.kind));
  text.member("is_layer", one.is_layer);
  text.member("start_ns", floor_ns(one.start));
  text.member("end_ns", floor_ns(one.end));
  text.member("kernels", one.kernels);
  text.raw_member("clocks", clocks_json(one.clocks));
  text.member("readings", names_of(one.readings));
  text.raw_member("share_of_step", sinks::exact_ratio(one.share_of_step));
  text.raw_member("computing_share", sinks::exact_ratio(one.computing_share));
  text.raw_member("aicpu_share", sinks::exact_ratio(one.aicpu_share));
  text.raw_member("communication_share", sinks::exact_ratio(one.communication_share));
  text.raw_member("bubbles_inside_ms", sinks::exact_ms(one.bubbles_inside));
  text.raw_member("largest_bubble_ms", sinks::exact_ms(one.largest_bubble));
  text.raw_member("gap_before_ms", sinks::exact_ms(one.gap_before));
  text.raw_member("block", block_json(device, one.block));
  text.raw_member("side", block_json(device, one.side));
  text.end_object();
}

std::string structure_type_json(const analysis::anomalies::StructureType& type) {
  return sinks::JsonRow()
      .member("type", structure_type_words(type.kind))
      .member("count", type.count)
      .raw("clocks", clocks_json(type.clocks))
      .member("readings", names_of(type.readings))
      .raw("bubbles_inside_ms", sinks::exact_ms(type.bubbles_inside))
      .raw("gaps_before_ms", sinks::exact_ms(type.gaps_before))
      .finish();
}

}  // namespace

void write_wait_anchors(const analysis::anomalies::DeviceAnomalies& device,
                        const std::vector<std::uint32_t>& anchors, sinks::JsonText& text) {
  const bool only_computing = &anchors == &device.ops.compute_wait_anchors;
  for (const std::uint32_t i : anchors) {
    const analysis::anomalies::OpRow& op = device.ops.rows[i];
    sinks::JsonRow row;
    add_op(op, row);
    row.member("location", device_words(device.timeline));
    row.member("evidence", anchor_evidence(device.ops, op, only_computing));
    text.raw_element(row.finish());
  }
}

void write_aicpu(const analysis::anomalies::DeviceAnomalies& device, const trace::Trace& trace,
                 sinks::JsonText& text) {
  for (const analysis::anomalies::AicpuRow& one : device.ops.aicpu) {
    const analysis::anomalies::DeviceWork& work = device.timeline.kernels[one.kernel];
    text.raw_element(sinks::JsonRow()
                         .member("op_name", kernel_name(trace, work))
                         .member("stream", std::string(stream_id(trace, work.track)))
                         .member("start_ns", floor_ns(work.start))
                         .member("duration_ns", floor_ns(one.duration))
                         .member("masked_ns", floor_ns(one.masked))
                         .raw("masked_ratio", sinks::exact_ratio(analysis::anomalies::ratio_of(
                                                  one.masked, one.duration)))
                         .member("class", name_of(one.aicpu))
                         .finish());
  }
}

void write_structures(const analysis::anomalies::DeviceAnomalies& device, sinks::JsonText& text) {
  for (std::size_t g = 0; g < device.structures.size(); ++g) {
    const analysis::anomalies::StructureBreakdown& breakdown = device.structures[g];
    text.begin_object();
    text.member("group_id", device.groups[g].id);
    text.member("step_id", device.steps[breakdown.step].id);
    text.member("evidence", name_of(breakdown.evidence));
    text.raw_member("clocks", clocks_json(breakdown.clocks));
    text.member("readings", names_of(breakdown.readings));
    text.raw_member("bubbles_inside_ms", sinks::exact_ms(breakdown.bubbles_inside));
    text.raw_member("bubbles_between_ms", sinks::exact_ms(breakdown.bubbles_between));
    text.begin_array("types");
    for (const analysis::anomalies::StructureType& type : breakdown.types)
      text.raw_element(structure_type_json(type));
    text.end_array();
    text.begin_array("structures");
    for (const analysis::anomalies::Structure& one : breakdown.structures)
      write_structure(device, one, text);
    text.end_array();
    text.end_object();
  }
}

void write_op_rankings(const analysis::anomalies::DeviceAnomalies& device, sinks::JsonText& text) {
  std::vector<std::uint32_t> by_cost(device.ops.rows.size());
  for (std::uint32_t i = 0; i < by_cost.size(); ++i) by_cost[i] = i;
  text.begin_object("op_rankings");
  write_ranking("by_total_cost", device, by_cost, text);
  write_ranking("by_duration", device, device.ops.by_duration, text);
  text.end_object();
}

void write_small_ops(const analysis::anomalies::SmallOps& small, const std::string& judgement,
                     sinks::JsonText& text) {
  text.raw_member("small_ops", sinks::JsonRow()
                                   .member("count", small.count)
                                   .member("all", small.all)
                                   .raw("duration_ms", sinks::exact_ms(small.duration))
                                   .raw("gaps_ms", sinks::exact_ms(small.gaps))
                                   .member("matters", small.matters)
                                   .member("judgement", judgement)
                                   .finish());
}

}  // namespace lockstep::report::anomalies
