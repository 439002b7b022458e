// JSON of run-iket (with tables and inline) and of intra-kernel-profiler.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "formats/kernel_profile/decoding_for_test.h"

namespace lockstep::formats::kernel_profile {
namespace {

const std::string kIket = R"({
  "stringTable": ["mainloop", "checkpoint"],
  "locationTable": [
    {"smId": 4, "tpcId": 0, "gpcId": 0, "ctaId": [1, 1, 0], "warpId": 0},
    {"smId": 4, "tpcId": 0, "gpcId": 0, "ctaId": [1, 1, 0], "warpId": 3}],
  "launches": [{
    "kernelName": "gemm", "gridId": 7, "gridDimX": 2, "gridDimY": 2, "gridDimZ": 1,
    "blockDimX": 128, "blockDimY": 1, "blockDimZ": 1,
    "ranges": [
      {"rangeNameIdx": 0, "startTs": 1024, "endTs": 2048, "warpLocIdxs": [0, 0],
       "internalEvents": [{"timestamp": 1024, "payloadVal": 42}]},
      {"rangeNameIdx": 0, "startTs": 3000, "endTs": 4000, "warpLocIdxs": [0, 1]}],
    "markers": [
      {"markerNameIdx": 1, "timestamp": 1504, "locIdx": 1, "payloadType": 6, "payloadVal": 5},
      {"markerNameIdx": 1, "timestamp": 1600, "locIdx": 1, "payloadType": 0, "payloadVal": 0}],
    "warpLifetimes": [{"startTs": 960, "endTs": 4096, "locIdx": 0}]}],
  "graphLaunches": {"g": [{"kernelName": "graph", "ranges": [], "markers": []}]}})";

TEST(IketJson, RangesMarkersAndLifetimesOfTables) {
  const Decoded decoded = decode_for_test(kIket, {});
  EXPECT_EQ(decoded.lanes(),
            "3/0: -0@1024+1024=42 ~B0@3000=0\n"
            "3/3: I1@1504=5 I1@1600 ~E0@4000=0\n");
  EXPECT_EQ(decoded.found(), "");
  const trace::KernelProfile& profile = decoded.profile;
  EXPECT_EQ(profile.format, "iket");
  EXPECT_EQ(profile.timer_tick_ns, 32);
  EXPECT_EQ(profile.event_name(1), "checkpoint");
  ASSERT_EQ(profile.launches.size(), 2U);
  EXPECT_EQ(profile.launches[0].kernel, "gemm");
  EXPECT_EQ(profile.launches[0].groups, 4U);
  EXPECT_EQ(profile.launches[1].kernel, "graph");
  EXPECT_EQ(profile.lanes[0].sm, 4);
  ASSERT_EQ(profile.anchors_of(profile.lanes[0]).size(), 2U);
  EXPECT_EQ(profile.anchors_of(profile.lanes[0])[0].timer_ns, 960);
  EXPECT_EQ(profile.anchors_of(profile.lanes[0])[1].clock_after, 4096);
}

TEST(IketJson, NamesAndPlacesMayStandInline) {
  const Decoded decoded = decode_for_test(R"({"launches": [{"kernelName": "k",
    "ranges": [{"rangeName": "a", "rangeScope": 0, "startTs": 10, "endTs": 30,
      "warpLocs": [{"smId": 1, "ctaId": [2, 0, 0], "warpId": 1}], "internalEvents": []}],
    "markers": [{"markerName": "b", "timestamp": 20,
      "location": {"smId": 1, "ctaId": [2, 0, 0], "warpId": 1}}],
    "warpLifetimes": [{"startTs": 5, "endTs": 40,
      "warpLocation": {"smId": 1, "ctaId": [2, 0, 0], "warpId": 1}}]}]})",
                                          {});
  EXPECT_EQ(decoded.lanes(), "2/1: -0@10+20 I1@20\n");
  EXPECT_EQ(decoded.found(), "");
}

TEST(IketJson, WrongEntriesAreDroppedAndCounted) {
  const Decoded decoded = decode_for_test(R"({"stringTable": ["a"],
    "locationTable": [{"ctaId": [0, 0], "warpId": 0}, {"ctaId": [0, 0, 0], "warpId": 0}],
    "launches": [{"ranges": [
      {"rangeNameIdx": 9, "startTs": 1, "endTs": 2, "warpLocIdxs": [1]},
      {"rangeNameIdx": 0, "startTs": 5, "endTs": 2, "warpLocIdxs": [1]},
      {"rangeNameIdx": 0, "startTs": -5, "endTs": 2, "warpLocIdxs": [1]},
      {"rangeNameIdx": 0, "startTs": 1, "endTs": 2, "warpLocIdxs": [0]},
      {"rangeNameIdx": 0, "startTs": 1, "endTs": 2, "warpLocIdxs": [7]},
      {"rangeNameIdx": 0, "startTs": 1, "endTs": 2, "warpLocIdxs": []},
      {"rangeNameIdx": 0, "startTs": 1, "endTs": 2}, 5],
     "markers": [{"markerNameIdx": 0, "timestamp": "x", "locIdx": 1}],
     "warpLifetimes": [{"startTs": 1, "locIdx": 1}]}, 5, {}, []]})",
                                          {});
  EXPECT_EQ(decoded.lanes(), "");
  EXPECT_EQ(decoded.found(), "bad_record 13");
  EXPECT_EQ(decoded.profile.launches.size(), 1U);
}

TEST(IketJson, AListUnderADamagedNameIsALoss) {
  std::string text = kIket;
  text.replace(text.find("\"ranges\""), 8, "\"rangXs\"");
  EXPECT_EQ(decode_for_test(text, {}).found(), "bad_record 1");
}

TEST(IketJson, TwoRangesThatBecameOneAreALoss) {
  std::string text = kIket;
  const std::size_t border = text.find("},\n      {\"rangeNameIdx\"");
  ASSERT_NE(border, std::string::npos);
  text.replace(border, 10, ",");
  EXPECT_EQ(decode_for_test(text, {}).found(), "bad_record 1");
}

TEST(IketJson, ARangeOfManySecondsIsABeginAndAnEnd) {
  const Decoded decoded = decode_for_test(R"({"launches": [{"ranges": [
    {"rangeName": "a", "startTs": 10, "endTs": 5000000000,
     "warpLocs": [{"ctaId": [0, 0, 0], "warpId": 0}]}]}]})",
                                          {});
  EXPECT_EQ(decoded.lanes(), "0/0: B0@10 E0@5000000000\n");
}

TEST(IketJson, GivenNamesReplaceThoseOfTheFile) {
  const Decoded decoded = decode_for_test(kIket, {.names = {"x"}});
  EXPECT_EQ(decoded.profile.event_name(0), "x");
  EXPECT_EQ(decoded.profile.event_name(1), "checkpoint");
}

TEST(IkpJson, CompleteEventsAreRegionsInNanoseconds) {
  const Decoded decoded = decode_for_test(R"({"displayTimeUnit": "ns", "traceEvents": [
    {"ph": "M", "name": "process_name", "pid": 124, "tid": 0, "args": {"name": "sm 124"}},
    {"name": "compute", "ph": "X", "ts": 12345.000000, "dur": 758.0, "pid": 124, "tid": 2,
     "args": {"sm": 124, "block": 3, "warp": 2}},
    {"name": "mark", "ph": "i", "s": "t", "ts": 12400, "args": {"sm": 124, "block": 3, "warp": 2}},
    {"name": "compute", "ph": "B", "ts": 0, "args": {"sm": 1, "block": 0, "warp": 0}},
    {"name": "compute", "ph": "E", "ts": 5, "args": {"sm": 1, "block": 0, "warp": 0}}]})",
                                          {});
  EXPECT_EQ(decoded.lanes(), "0/0: B0@0 E0@5\n3/2: -0@12345+758 I1@12400\n");
  EXPECT_EQ(decoded.found(), "");
  EXPECT_EQ(decoded.profile.format, "ikp");
  EXPECT_EQ(decoded.profile.lanes[1].sm, 124);
  EXPECT_EQ(decoded.profile.event_name(1), "mark");
}

TEST(IkpJson, GivenNamesReplaceThoseOfTheFile) {
  const Decoded decoded = decode_for_test(
      R"({"traceEvents": [{"name": "a", "ph": "i", "ts": 1, "args": {"block": 0, "warp": 0}}]})",
      {.names = {"x", "y"}});
  EXPECT_EQ(decoded.profile.event_names, std::vector<std::string>{"x"});
}

TEST(IkpJson, EventsWithoutAPlaceOrTimeAreDropped) {
  const Decoded decoded = decode_for_test(R"({"traceEvents": [
    {"ph": "X", "ts": 1, "dur": 1, "args": {"block": 0}}, {"ph": "X", "ts": 1, "args": {"block": 0, "warp": 0}},
    {"ph": "i", "ts": -1, "args": {"block": 0, "warp": 0}}, {"ph": "?"}, 7]})",
                                          {});
  EXPECT_EQ(decoded.lanes(), "");
  EXPECT_EQ(decoded.found(), "bad_record 5");
}

TEST(IkpJson, TwoEventsThatBecameOneAreALoss) {
  const Decoded decoded = decode_for_test(R"({"traceEvents": [
    {"name": "a", "ph": "i", "ts": 1, "args": {"block": 0, "warp": 0},
     "name": "b", "ph": "i", "ts": 2, "args": {"block": 0, "warp": 0}},
    {"ph": "M", "name": "process_name", "ph": "M", "name": "thread_name"}]})",
                                          {});
  EXPECT_EQ(decoded.lanes(), "");
  EXPECT_EQ(decoded.found(), "bad_record 2");
}

TEST(JsonProfiles, OtherJsonIsRefused) {
  const std::string none =
      "is JSON, but neither of run-iket, intra-kernel-profiler nor Triton's Proton";
  EXPECT_EQ(decode_for_test("{\"a\": 1}", {}).error, none);
  EXPECT_TRUE(decode_for_test("{\"a\": ", {}).error.starts_with("is not valid JSON: "));
  EXPECT_EQ(decode_for_test("{\"traceEvents\": 5}", {}).error, none);
  EXPECT_EQ(decode_for_test(kIket, {.format = KernelFormat::kIkp}).error, none);
}

TEST(JsonProfiles, TracesOfWholeRunsAreRefusedWithTheCommandThatReadsThem) {
  const std::string event = R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7})";
  const std::string rest =
      " trace, and no event of it was recorded inside a kernel. 'lockstep info' and 'lockstep "
      "cycles' read it";
  EXPECT_EQ(decode_for_test("{\"traceEvents\": [" + event + "]}", {}).error, "is a Chrome" + rest);
  EXPECT_EQ(decode_for_test("[" + event + "]", {}).error, "is a Chrome" + rest);
  EXPECT_EQ(decode_for_test("[" + event + ", {\"ph\": \"X\"", {}).error, "is a Chrome" + rest);
  EXPECT_EQ(decode_for_test("{\"schemaVersion\": 1, \"traceEvents\": [" + event + "]}", {}).error,
            "is a Kineto" + rest);
  EXPECT_EQ(decode_for_test("{\"traceEvents\": []}", {.format = KernelFormat::kIkp}).error,
            "is a Chrome" + rest);
}

TEST(IkpJson, ACutListIsReadUpToTheCut) {
  const Decoded decoded = decode_for_test(
      R"({"traceEvents": [{"name": "a", "ph": "i", "ts": 1, "args": {"block": 0, "warp": 0}}, {"na)",
      {});
  EXPECT_EQ(decoded.lanes(), "0/0: I0@1\n");
  EXPECT_EQ(decoded.found(), "truncated 1");
}

TEST(JsonProfiles, ACutAnywhereIsSafe) { expect_all_cuts_are_safe(kIket, {}); }

}  // namespace
}  // namespace lockstep::formats::kernel_profile
