// Claims on the JSON document of `anomalies`.
#include "report/anomalies/anomalies_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/anomalies/anomalies_for_test.h"

namespace lockstep::report::anomalies {
namespace {

using Json = nlohmann::ordered_json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;

std::vector<std::string> keys_of(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& item : object.items()) keys.push_back(item.key());
  return keys;
}

Json discovery_of(const AnomaliesFixture& made, BubbleLimit bubbles = kBubblesPerGroup) {
  return Json::parse(anomalies_json(made.report(), bubbles))["anomaly_discovery"];
}

TEST(AnomaliesJson, KeysStandInTheOrderOfTheContract) {
  const AnomaliesFixture made;
  const Json document = Json::parse(anomalies_json(made.report(), kBubblesPerGroup));
  EXPECT_THAT(keys_of(document), ElementsAre("schema", "inputs", "anomaly_discovery"));
  EXPECT_EQ(document["schema"], "lockstep.anomalies/2");
  EXPECT_EQ(document["inputs"].dump(), R"(["a.json"])");
  EXPECT_THAT(keys_of(document["anomaly_discovery"]),
              ElementsAre("enabled", "dominant_group_id", "global_device_gap_analysis",
                          "step_group_anomalies", "bubble_windows", "wait_anchor_ops",
                          "soft_root_cause_summary", "requires_host_followup", "confidence",
                          "steps", "steps_are_marked", "findings", "recommendations", "thresholds",
                          "compat", "evidence_gaps", "artefacts", "compute_wait_anchor_ops",
                          "aicpu_ops", "structures", "dominant_device", "five_questions",
                          "op_rankings", "small_ops", "devices"));
}

TEST(AnomaliesJson, MillisecondsAreExactWithSixDecimals) {
  const AnomaliesFixture made;
  const std::string text = anomalies_json(made.report(), kBubblesPerGroup);
  EXPECT_THAT(text, HasSubstr("\"service_ms\": 1.000000,"));
  EXPECT_THAT(text, HasSubstr("\"device_busy_union_ms\": 0.310123,"));
  EXPECT_THAT(text, HasSubstr("\"start_us\": 1300.000,"));
  EXPECT_THAT(text, HasSubstr("\"underfeed_ratio\": 0.700000,"));
}

TEST(AnomaliesJson, StepsTellTheirWindowsAndVerdicts) {
  const Json steps = discovery_of(AnomaliesFixture())["steps"];
  EXPECT_EQ(steps[0]["step_id"], "0");
  EXPECT_EQ(steps[0]["name"], "ProfilerStep#1");
  EXPECT_EQ(steps[0]["window"], "host");
  EXPECT_EQ(steps[0]["device_start_ns"], 400'000);
  EXPECT_EQ(steps[0]["device_shift_ns"], 400'000);
  EXPECT_TRUE(steps[1]["device_start_ns"].is_null());
  EXPECT_TRUE(steps[1]["device_shift_ns"].is_null());
  EXPECT_EQ(steps[0]["tags"].dump(), R"(["DEVICE_IDLE_GAP_HEAVY","PRELAUNCH_GAP_HEAVY"])");
  EXPECT_EQ(steps[0]["tag_reasons"][1].dump(),
            R"({"tag":"PRELAUNCH_GAP_HEAVY","text":"prelaunch gap 400.000 us >= 100.000 us"})");
  EXPECT_EQ(steps[0]["labels"].dump(), R"(["possible_untraced_host_blocking"])");
  EXPECT_EQ(steps[1]["artefact_idle_ms"], 0.29);
  EXPECT_EQ(steps[1]["bubble_count"], 1);
  EXPECT_EQ(steps[1]["significant_bubble_count"], 2);
}

TEST(AnomaliesJson, BubblesTellWhoLaunchedTheKernelBehindThem) {
  const Json bubbles = discovery_of(AnomaliesFixture())["bubble_windows"];
  ASSERT_EQ(bubbles.size(), 3U);
  const Json& stall = bubbles[1];
  EXPECT_EQ(stall["bubble_id"], "b1");
  EXPECT_EQ(stall["scope"], "step_internal");
  EXPECT_EQ(stall["step_id"], "1");
  EXPECT_EQ(stall["group_id"], "g0");
  EXPECT_EQ(stall["duration_ns"], 400'000);
  EXPECT_EQ(stall["sync_marker_overlap_ratio"], 0.85);
  EXPECT_EQ(stall["host_part_ns"], 377'000);
  EXPECT_EQ(stall["queued_part_ns"], 23'000);
  EXPECT_EQ(stall["launched_by"].dump(),
            R"({"op":"aten::copy_","outermost_op":"aten::to","call":"cudaLaunchKernel",)"
            R"("call_start_ns":1672000,"call_end_ns":1677000,"thread":"1","late_stage":"operator",)"
            R"("stages":{"host_ns":10000,"operator_ns":362000,"task_queue_ns":0,)"
            R"("launch_call_ns":5000,"device_queue_ns":23000,"unknown_ns":0}})");
  EXPECT_EQ(stall["evidence_ops"].dump(), R"(["cudaMemcpyAsync","cudaLaunchKernel"])");
  EXPECT_EQ(stall["kernels_before"].size(), 2U);
  EXPECT_EQ(stall["kernels_after"][0].dump(),
            R"({"name":"Cast","type":"AI_CORE","kind":"kernel","stream":"7",)"
            R"("start_ns":1700000,"duration_ns":10000})");
  EXPECT_TRUE(stall["artefact"].is_null());
  EXPECT_EQ(bubbles[2]["artefact"], "UNRECORDED_WORK");
}

TEST(AnomaliesJson, WhatIsNotKnownOfALaunchIsNull) {
  const Json late = discovery_of(AnomaliesFixture())["bubble_windows"][0];
  EXPECT_TRUE(late["host_part_ns"].is_null());
  EXPECT_TRUE(late["queued_part_ns"].is_null());
  EXPECT_TRUE(late["launched_by"].is_null());
  EXPECT_TRUE(late["inside_op"].is_null());
  EXPECT_EQ(late["touches_capture_edge"], true);
}

TEST(AnomaliesJson, BubblesOfEachGroupAreLimited) {
  const AnomaliesFixture made;
  EXPECT_EQ(discovery_of(made, 1)["bubble_windows"].size(), 1U);
  EXPECT_EQ(discovery_of(made, kAllBubbles)["bubble_windows"].size(), 3U);
}

TEST(AnomaliesJson, GroupsTellSpreadsAndPlaces) {
  const Json group = discovery_of(AnomaliesFixture())["step_group_anomalies"][0];
  EXPECT_THAT(keys_of(group),
              IsSupersetOf({"group_id", "group_size", "service_ms_avg", "device_busy_union_ms_avg",
                            "underfeed_ratio_avg", "prelaunch_gap_ms_avg", "tail_gap_ms_avg",
                            "internal_bubble_total_ms_avg", "dominant_idle_pattern",
                            "dominant_anomaly_tags", "requires_followup",
                            "largest_internal_bubble_ms_p95", "recurring_bubble_pattern"}));
  EXPECT_EQ(group["group_size"], 2);
  EXPECT_EQ(group["largest_internal_bubble_ms_p95"], 0.38);
  EXPECT_EQ(group["dominant_idle_pattern"], "mixed");
  EXPECT_EQ(group["shape_example"].dump(), R"(["0","1"])");
  EXPECT_EQ(group["recurring"][0].dump(),
            R"({"position":2,"kernel_before":"gemm","kernel_after":"Cast","steps":1,)"
            R"("median_ms":0.4,"total_ms":0.4,"labels":["possible_sync_or_h2d"],)"
            R"("bubble_ids":["b1"]})");
}

TEST(AnomaliesJson, WaitAnchorsTellWhyTheyAreFalseHotspots) {
  const Json anchor = discovery_of(AnomaliesFixture())["wait_anchor_ops"][0];
  EXPECT_EQ(anchor["op_name"], "Cast");
  EXPECT_EQ(anchor["wait_us_avg"], 400);
  EXPECT_EQ(anchor["is_false_hotspot_risk"], true);
  EXPECT_EQ(anchor["exported_wait_ns"], 390'000);
  EXPECT_EQ(anchor["evidence"].dump(),
            R"(["97.6 % of its 410.000 us total cost is waiting",)"
            R"("its kernels run 10.000 us on average","number 1 by mean total cost"])");
}

TEST(AnomaliesJson, OperatorsAreRankedTwice) {
  const Json rankings = discovery_of(AnomaliesFixture())["op_rankings"];
  EXPECT_EQ(rankings["by_total_cost"][1]["op_name"], "Cast");
  EXPECT_EQ(rankings["by_duration"][1]["op_name"], "norm");
  EXPECT_TRUE(rankings["by_duration"][1]["exported_wait_ns"].is_null());
}

TEST(AnomaliesJson, FindingsCausesAndAdviceAreTold) {
  const Json discovery = discovery_of(AnomaliesFixture());
  const Json& finding = discovery["findings"][0];
  EXPECT_EQ(finding["kind"], "step_outlier");
  EXPECT_EQ(finding["priority"], "P1");
  EXPECT_EQ(finding["step_id"], "1");
  EXPECT_EQ(finding["bubble_id"], "b1");
  EXPECT_EQ(finding["start_ns"], 1'300'000);
  EXPECT_EQ(finding["cost_ms"], 0.4);
  EXPECT_TRUE(discovery["findings"][1]["step_id"].is_null());
  EXPECT_EQ(discovery["soft_root_cause_summary"][0]["target_id"], "g0");
  EXPECT_TRUE(discovery["soft_root_cause_summary"][1]["target_id"].is_null());
  EXPECT_EQ(discovery["recommendations"][0]["evidence_gap"], "No Python stacks were recorded.");
  EXPECT_TRUE(discovery["recommendations"][1]["evidence_gap"].is_null());
  EXPECT_EQ(discovery["artefacts"][0]["because"],
            "the host waits for the device while nothing is recorded");
  EXPECT_EQ(discovery["five_questions"][4].dump(),
            R"({"question":"Is the evidence enough for a root cause?","answer":"Answer 5."})");
}

TEST(AnomaliesJson, StructuresHaveFourClocks) {
  const Json breakdown = discovery_of(AnomaliesFixture())["structures"][0];
  EXPECT_EQ(breakdown["evidence"], "loop");
  EXPECT_EQ(breakdown["readings"].dump(), R"(["bubbles","wait_heavy"])");
  EXPECT_EQ(breakdown["clocks"].dump(),
            R"({"wall_ms":0.71,"busy_union_ms":0.31,"kernel_sum_ms":0.31,"total_cost_ms":0.71})");
  EXPECT_EQ(breakdown["structures"][0]["block"]["top_ops"][0]["op_name"], "gemm");
  EXPECT_EQ(breakdown["types"][1]["gaps_before_ms"], 0.4);
}

TEST(AnomaliesJson, AiCpuOperatorsTellHowMuchIsHidden) {
  EXPECT_EQ(discovery_of(AnomaliesFixture())["aicpu_ops"][0].dump(),
            R"({"op_name":"norm","stream":"20","start_ns":500000,"duration_ns":50000,)"
            R"("masked_ns":5000,"masked_ratio":0.1,"class":"AICPU_EXPOSED_NOT_ALLOWED"})");
}

TEST(AnomaliesJson, ThresholdsAndRulesAreEchoed) {
  AnomaliesFixture made;
  made.options.thresholds.heavy_gap_us = 500;
  made.options.rules = analysis::anomalies::AnomalyRules::kScript;
  const Json discovery = discovery_of(made);
  EXPECT_EQ(discovery["thresholds"].size(), analysis::anomalies::threshold_fields().size());
  EXPECT_EQ(discovery["thresholds"]["heavy_gap_us"], 500);
  EXPECT_EQ(discovery["compat"], "script");
}

TEST(AnomaliesJson, SeveralDevicesShareTheLists) {
  AnomaliesFixture made;
  made.anomalies.devices.push_back(made.device());
  analysis::anomalies::DeviceAnomalies& second = made.anomalies.devices[1];
  second.timeline.rank_number.reset();
  second.timeline.device_id = "1";
  second.groups[0].id = "d1.g0";
  second.confidence = analysis::anomalies::Confidence::kHigh;
  second.global.span = at_us(77);
  made.anomalies.devices[0].requires_host_followup = false;
  made.anomalies.dominant_device = 1;
  const Json discovery = discovery_of(made);
  EXPECT_EQ(discovery["steps"].size(), 4U);
  EXPECT_TRUE(discovery["steps"][3]["rank"].is_null());
  EXPECT_EQ(discovery["steps"][3]["device"], "1");
  EXPECT_EQ(discovery["dominant_group_id"], "d1.g0");
  EXPECT_EQ(discovery["confidence"], "high");
  EXPECT_EQ(discovery["requires_host_followup"], true);
  EXPECT_EQ(discovery["global_device_gap_analysis"]["capture_span_ms"], 0.077);
  EXPECT_EQ(discovery["devices"][0]["global_device_gap_analysis"]["capture_span_ms"], 1.31);
  EXPECT_EQ(discovery["devices"][0]["dominant_group_id"], "g0");
}

}  // namespace
}  // namespace lockstep::report::anomalies
