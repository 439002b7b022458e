// Claims on the JSON of in-kernel profiles.
#include "report/kernel/kernel_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/kernel/kernel_for_test.h"

namespace lockstep::report::kernel {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::ordered_json;

Json document(const KernelReport& report) { return Json::parse(kernel_json(report)); }

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> names;
  for (const auto& [key, value] : object.items()) names.push_back(key);
  return names;
}

TEST(KernelJson, HasTheKeysOfTheContract) {
  const KernelFixture fixture;
  EXPECT_THAT(keys(document(fixture.report())),
              ElementsAre("schema", "input", "format", "producer", "device", "arch", "time",
                          "launches", "lanes", "events", "critical", "imbalance", "overlap", "gaps",
                          "async", "findings"));
}

TEST(KernelJson, TellsTheTimeBase) {
  const KernelFixture fixture;
  const Json time = document(fixture.report())["time"];
  EXPECT_EQ(time["source"], "cycles+anchors");
  EXPECT_EQ(time["tick_ns"], 0.505);
  EXPECT_EQ(time["uncertainty_ns"], 2);
  EXPECT_EQ(time["origin_ns"], 1'700'000'000'000'000'000);
}

TEST(KernelJson, HasNoBandWhereNothingTiesTimes) {
  KernelFixture fixture;
  fixture.summary.time.uncertainty = analysis::kernel_profile::kUnknownUncertainty;
  fixture.summary.lanes[0].regions[0].start.uncertainty =
      analysis::kernel_profile::kUnknownUncertainty;
  const Json told = document(fixture.report());
  EXPECT_TRUE(told["time"]["uncertainty_ns"].is_null());
  EXPECT_TRUE(told["lanes"][0]["regions"][0]["uncertainty_ns"].is_null());
}

TEST(KernelJson, TellsLaunches) {
  const KernelFixture fixture;
  const Json launch = document(fixture.report())["launches"][0];
  EXPECT_EQ(launch["id"], 7);
  EXPECT_EQ(launch["kernel"], "gemm");
  EXPECT_EQ(launch["grid"], Json({2, 1, 1}));
  EXPECT_EQ(launch["block"], Json({256, 1, 1}));
  EXPECT_TRUE(launch["cluster"].is_null());
  EXPECT_EQ(launch["end_ns"], 5050);
  EXPECT_EQ(launch["lanes_seen"], 4);
}

TEST(KernelJson, TellsLanesWithTheirRegionsAndInstants) {
  const KernelFixture fixture;
  const Json lane = document(fixture.report())["lanes"][3];
  EXPECT_EQ(lane["launch"], 7);
  EXPECT_EQ(lane["sm"], 11);
  EXPECT_EQ(lane["written"], 2);
  EXPECT_EQ(lane["dropped"], 6);
  EXPECT_EQ(lane["finalized"], true);
  const Json region = lane["regions"][0];
  EXPECT_THAT(keys(region),
              ElementsAre("name", "event", "start_ns", "duration_ns", "duration_cycles",
                          "uncertainty_ns", "depth", "payload", "status"));
  EXPECT_EQ(region["name"], "compute");
  EXPECT_EQ(region["start_ns"], 1010);
  EXPECT_EQ(region["duration_ns"], 4040);
  EXPECT_EQ(region["duration_cycles"], 8000);
  EXPECT_EQ(region["payload"], 9);
  EXPECT_EQ(region["status"], "ok");
  const Json instant = lane["instants"][0];
  EXPECT_EQ(instant["name"], "event 3");
  EXPECT_EQ(instant["at_ns"], 2020);
  EXPECT_TRUE(instant["payload"].is_null());
}

TEST(KernelJson, KeepsPicoseconds) {
  KernelFixture fixture;
  fixture.summary.lanes[0].regions[0].duration = Time{505};
  EXPECT_THAT(kernel_json(fixture.report()), HasSubstr("\"duration_ns\": 0.505,"));
}

TEST(KernelJson, HasNoCyclesWhereTheTimerWasRead) {
  KernelFixture fixture;
  fixture.profile.lanes[0].clock = trace::LaneClock::kGlobalTimer;
  EXPECT_TRUE(document(fixture.report())["lanes"][0]["regions"][0]["duration_cycles"].is_null());
}

TEST(KernelJson, LeavesRegionsOutWhereTheyAreNotWanted) {
  const KernelFixture fixture;
  KernelReport report = fixture.report();
  report.lists_regions = false;
  const Json lane = document(report)["lanes"][0];
  EXPECT_FALSE(lane.contains("regions"));
  EXPECT_FALSE(lane.contains("instants"));
  EXPECT_TRUE(lane.contains("written"));
}

TEST(KernelJson, TellsTheAnswers) {
  const KernelFixture fixture;
  const Json told = document(fixture.report());
  EXPECT_EQ(told["events"][0]["name"], "compute");
  EXPECT_EQ(told["events"][0]["p50_ns"], 2020);
  EXPECT_EQ(told["events"][1]["lane_share"], 0.25);
  EXPECT_EQ(told["critical"][0]["block"], 1);
  EXPECT_EQ(told["critical"][0]["slack_ns"], 1262.5);
  EXPECT_EQ(told["imbalance"]["blocks"]["ratio"], 1.333333);
  EXPECT_EQ(told["overlap"][0]["both_ns"], 1515);
  EXPECT_EQ(told["gaps"][0]["after"], "load");
  EXPECT_EQ(told["gaps"][0]["before"], "store");
  EXPECT_EQ(told["async"][0]["token"], 5);
  EXPECT_EQ(told["async"][0]["begin"]["group"], 0);
  EXPECT_EQ(told["async"][0]["end"]["group"], 1);
  EXPECT_EQ(told["async"][0]["duration_ns"], 1010);
}

TEST(KernelJson, TellsFindingsWithTheFirstPlace) {
  KernelFixture fixture;
  static constexpr DiagnosticKind kOfALane = {"migrated_lane", Severity::kInfo, "It moved."};
  static constexpr DiagnosticKind kOfNothing = {"odd", Severity::kError, "It is odd."};
  fixture.findings.add(kOfALane, {}, "block 0 group 1");
  fixture.findings.add(kOfNothing);
  static constexpr DiagnosticKind kOfAPlace = {"cut", Severity::kDataLoss, "It is cut."};
  fixture.findings.add(kOfAPlace, Place::row(4));
  const Json findings = document(fixture.report())["findings"];
  EXPECT_THAT(keys(findings[0]), ElementsAre("kind", "severity", "count", "first", "text"));
  EXPECT_EQ(findings[0]["kind"], "dropped_records");
  EXPECT_EQ(findings[0]["count"], 6);
  EXPECT_EQ(findings[0]["first"], "byte 128: block 1 group 1");
  EXPECT_EQ(findings[1]["first"], "block 0 group 1");
  EXPECT_TRUE(findings[2]["first"].is_null());
  EXPECT_EQ(findings[3]["first"], "row 4");
}

TEST(KernelJson, NamesThatAreNoTextAreMadeText) {
  KernelFixture fixture;
  fixture.profile.event_names[1] = "a\"b\xff\n";
  const Json events = document(fixture.report())["events"];
  std::vector<std::string> names;
  for (const Json& event : events) names.push_back(event["name"]);
  EXPECT_THAT(names, Contains("a\"b\xEF\xBF\xBD\n"));
}

TEST(KernelJson, TellsAComparison) {
  const KernelFixture fixture;
  KernelReport report = fixture.report();
  EXPECT_THAT(kernel_json(report), Not(HasSubstr("\"compare\"")));
  analysis::kernel_profile::KernelComparison comparison;
  analysis::kernel_profile::EventChange change;
  change.name = "compute";
  change.b = fixture.summary.events[0];
  change.total = {Time{-500}, std::nullopt};
  comparison.events = {change};
  comparison.launch_time = {Time{1'000}, 1.25};
  comparison.only_b = 1;
  report.comparison = &comparison;
  report.compared_with = "old.lkp";
  const Json told = document(report)["compare"];
  EXPECT_EQ(told["with"], "old.lkp");
  EXPECT_EQ(told["launch_time"]["ratio"], 1.25);
  EXPECT_EQ(told["only_now"], 1);
  EXPECT_TRUE(told["events"][0]["before"].is_null());
  EXPECT_EQ(told["events"][0]["now"]["count"], 2);
  EXPECT_EQ(told["events"][0]["total"]["delta_ns"], -0.5);
  EXPECT_TRUE(told["events"][0]["total"]["ratio"].is_null());
}

}  // namespace
}  // namespace lockstep::report::kernel
