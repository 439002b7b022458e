// The Chrome trace of Proton's instrumentation backend: places, launches, times, and what is wrong.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "formats/kernel_profile/decoding_for_test.h"
#include "formats/kernel_profile/other_tools/proton_place.h"

namespace lockstep::formats::kernel_profile {
namespace {

struct TestScope {
  std::string pid = "add Core0 CTA0";
  std::string tid = "warp 0 (line 0)";
  std::string name = "load";
  std::string ts = "0.0";
  std::string dur = "0.01";
  int finalization = 160;
  std::string stack = R"("ROOT","add")";
  std::string frequency = R"f("Frequency (MHz)":1000.0,)f";
};

std::string event_of(const TestScope& scope) {
  return fmt::format(
      R"e({{"args":{{"Finalization Time (ns)":{},{}"call_stack":[{}]}},"cat":"add","cname":"x",)e"
      R"e("dur":{},"name":"{}","ph":"X","pid":"{}","tid":"{}","ts":{}}})e",
      scope.finalization, scope.frequency, scope.stack, scope.dur, scope.name, scope.pid, scope.tid,
      scope.ts);
}

std::string file_of(const std::vector<TestScope>& scopes) {
  std::string text;
  for (const TestScope& scope : scopes) text += (text.empty() ? "" : ",") + event_of(scope);
  return R"({"displayTimeUnit":"ns","traceEvents":[)" + text + "]}\n";
}

// "0 add, 1 add": launches with their kernels.
std::string launches_of(const Decoded& decoded) {
  std::string out;
  for (const trace::KernelLane& lane : decoded.profile.lanes) {
    const trace::KernelLaunch& launch = decoded.profile.launches[lane.launch];
    out += fmt::format("{}{} {}/{}/{}", out.empty() ? "" : ", ", launch.id, launch.kernel,
                       lane.block, lane.group);
  }
  return out;
}

TEST(ProtonPlace, PidsNameKernelMultiprocessorAndBlock) {
  const auto words = [](std::string_view pid) -> std::string {
    const auto block = proton_block(pid);
    return block ? fmt::format("{}|{}|{}", block->kernel, block->core, block->cta) : "none";
  };
  EXPECT_EQ(words("add Core12 CTA345"), "add|12|345");
  EXPECT_EQ(words("a Core1 CTA2 Core3 CTA4"), "a Core1 CTA2|3|4");
  EXPECT_EQ(words("add Core0 CTA7 [measure in clock cycle (assume 1GHz)]"), "add|0|7");
  EXPECT_EQ(words("add CTA7"), "add|-1|7");
  EXPECT_EQ(words("add CoreX CTA7"), "add CoreX|-1|7");
  EXPECT_EQ(words("add Core0"), "none");
  EXPECT_EQ(words("add Core0 CTA"), "none");
  EXPECT_EQ(words("add Core0 CTA-1"), "none");
  EXPECT_EQ(words("add Core0 CTA1x"), "none");
  EXPECT_EQ(words("add Core0 CTA99999999999999999999"), "none");
}

TEST(ProtonPlace, TidsNameWarps) {
  const auto words = [](std::string_view tid) -> std::string {
    const auto place = proton_warp(tid);
    return place ? fmt::format("{}|{}", place->warp, place->line) : "none";
  };
  EXPECT_EQ(words("warp 3 (line 1)"), "3|1");
  EXPECT_EQ(words("warp 3 (line:12)"), "3|12");
  EXPECT_EQ(words("warp 3 (line"), "3|0");
  EXPECT_EQ(words("warp 3"), "none");
  EXPECT_EQ(words("warp x (line 0)"), "none");
  EXPECT_EQ(words("stream 7"), "none");
}

TEST(ProtonJson, ScopesAreRegionsOfWarpsOnTheTimerOfTheirBlock) {
  const Decoded decoded =
      decode_for_test(file_of({{.ts = "0.08", .dur = "0.196"},
                               {.name = "add", .ts = "0.317", .dur = "2.865"},
                               {.tid = "warp 1 (line 0)", .ts = "0.064", .dur = "0.1"},
                               {.pid = "add Core9 CTA3", .ts = "46720.757", .dur = "0.409"}}),
                      {});
  EXPECT_EQ(decoded.lanes(), "0/0: -0@80+196 -1@317+2865\n0/1: -0@64+100\n3/0: -0@46720757+409\n");
  EXPECT_EQ(decoded.found(), "clock_rate_assumed 3");
  const trace::KernelProfile& profile = decoded.profile;
  EXPECT_EQ(profile.format, "proton");
  EXPECT_EQ(profile.event_names, (std::vector<std::string>{"load", "add"}));
  ASSERT_EQ(profile.launches.size(), 1U);
  EXPECT_EQ(profile.launches[0].kernel, "add");
  EXPECT_EQ(profile.launches[0].groups, 2U);
  EXPECT_EQ(profile.lanes[2].sm, 9);
  EXPECT_EQ(profile.lanes[0].clock, trace::LaneClock::kStampedCycles);
  EXPECT_EQ(profile.lanes[0].stamp_ns, 64);  // the first scope of the block, of whichever warp
  EXPECT_EQ(profile.lanes[1].stamp_ns, 64);
  EXPECT_EQ(profile.lanes[2].stamp_ns, 46'720'757);
  EXPECT_EQ(profile.clock_ghz, 0);
}

TEST(ProtonJson, LaunchesBeginWhereTheOrderOfBlocksStartsAgain) {
  const std::string two = "warp 1 (line 0)";
  const std::string far = "add Core5 CTA1";
  // Two launches of two blocks, then one of another kernel.
  EXPECT_EQ(launches_of(decode_for_test(file_of({{},
                                                 {.pid = far},
                                                 {.ts = "50"},
                                                 {.pid = far, .ts = "50"},
                                                 {.pid = "mul Core6 CTA2", .ts = "60"}}),
                                        {})),
            "0 add/0/0, 0 add/1/0, 1 add/0/0, 1 add/1/0, 2 mul/2/0");
  // One block, two warps.
  EXPECT_EQ(launches_of(decode_for_test(
                file_of({{}, {.tid = two}, {.ts = "50"}, {.tid = two, .ts = "50"}}), {})),
            "0 add/0/0, 0 add/0/1, 1 add/0/0, 1 add/0/1");
  // One block that ran on a higher multiprocessor the second time.
  EXPECT_EQ(launches_of(decode_for_test(file_of({{}, {.pid = "add Core8 CTA0"}}), {})),
            "0 add/0/0, 1 add/0/0");
}

TEST(ProtonJson, ABlockEndsOnceAndALaunchHasOneCallStack) {
  EXPECT_EQ(launches_of(decode_for_test(file_of({{}, {.ts = "9", .finalization = 192}}), {})),
            "0 add/0/0, 1 add/0/0");
  EXPECT_EQ(launches_of(decode_for_test(
                file_of({{}, {.ts = "9", .stack = R"("ROOT","step1","add")"}}), {})),
            "0 add/0/0, 1 add/0/0");
}

TEST(ProtonJson, LaunchesOfOneLaneMayBeSeveralAndThatIsSaid) {
  const Decoded decoded = decode_for_test(file_of({{}, {.ts = "9000"}}), {});
  EXPECT_EQ(launches_of(decoded), "0 add/0/0");
  EXPECT_EQ(decoded.found(), "clock_rate_assumed 1, launch_may_be_several 1");
}

TEST(ProtonJson, ScopesThatNestOrCrossStayInTheirWarp) {
  // Lines keep them apart in a viewer; the warp is one.
  const Decoded decoded = decode_for_test(
      file_of({{.tid = "warp 2 (line 1)", .name = "inner", .ts = "0.02", .dur = "0.5"},
               {.tid = "warp 2 (line 0)", .name = "outer", .ts = "0.01", .dur = "0.1"}}),
      {});
  EXPECT_EQ(decoded.lanes(), "0/2: -1@10+100 -0@20+500\n");
}

TEST(ProtonJson, TheStepOfTheTimerIsThatOfTheBegins) {
  std::vector<TestScope> scopes;
  for (int i = 0; i < 20; ++i) {
    scopes.push_back(
        {.pid = fmt::format("add Core0 CTA{}", i), .ts = fmt::format("{}", i * 0.032)});
  }
  EXPECT_EQ(decode_for_test(file_of(scopes), {}).profile.timer_tick_ns, 32);
}

// The warp that began first, and with it the time of the timer, may be behind the cut.
TEST(ProtonJson, TheLastBlockOfACutFileDoesNotTellTheStepOfTheTimer) {
  std::vector<TestScope> scopes;
  for (int i = 0; i < 20; ++i) {
    const std::string pid = fmt::format("add Core0 CTA{}", i);
    scopes.push_back({.pid = pid, .ts = fmt::format("{}", i * 0.032 + 0.005)});
    scopes.push_back({.pid = pid, .tid = "warp 1 (line 0)", .ts = fmt::format("{}", i * 0.032)});
  }
  const std::string text = file_of(scopes);
  EXPECT_EQ(decode_for_test(text, {}).profile.timer_tick_ns, 32);
  const Decoded cut = decode_for_test(text.substr(0, text.size() - 30), {});
  EXPECT_EQ(cut.profile.lanes.size(), 39U);
  EXPECT_EQ(cut.profile.timer_tick_ns, 32);
}

TEST(ProtonJson, TimesThatWereDividedInSinglePrecisionAreWholeAgain) {
  EXPECT_EQ(
      decode_for_test(file_of({{.ts = "0.07999999821186066", .dur = "0.1959999948740005"}}), {})
          .lanes(),
      "0/0: -0@80+196\n");
}

TEST(ProtonJson, OlderFilesHaveNoFrequencyAndStayCycles) {
  const std::string pid = "add Core0 CTA0 [measure in clock cycle (assume 1GHz)]";
  const Decoded decoded = decode_for_test(file_of({{.pid = pid, .frequency = ""}}), {});
  EXPECT_EQ(decoded.lanes(), "0/0: -0@0+10\n");
  EXPECT_EQ(decoded.profile.lanes[0].clock, trace::LaneClock::kCycles);
  EXPECT_EQ(decoded.profile.launches[0].kernel, "add");
}

TEST(ProtonJson, AnotherFrequencyIsTheRate) {
  const Decoded decoded =
      decode_for_test(file_of({{.ts = "0.5", .frequency = R"f("Frequency (MHz)":2000,)f"}}), {});
  EXPECT_EQ(decoded.lanes(), "0/0: -0@1000+20\n");
  EXPECT_EQ(decoded.profile.clock_ghz, 2);
  EXPECT_EQ(decoded.found(), "launch_may_be_several 1");
}

TEST(ProtonJson, MetaTellsTheRate) {
  const std::string path = ::testing::TempDir() + "proton_meta.json";
  std::ofstream(path) << R"({"clock_ghz": 1.98, "device": "H200", "timer_ns": 32})";
  KernelDecodeOptions options{.format = KernelFormat::kProton};
  options.meta_path = path;
  const Decoded decoded = decode_for_test(file_of({{}, {.tid = "warp 1 (line 0)"}}), options);
  std::filesystem::remove(path);
  EXPECT_EQ(decoded.profile.clock_ghz, 1.98);
  EXPECT_EQ(decoded.profile.device, "H200");
  EXPECT_EQ(decoded.profile.timer_tick_ns, 32);
  EXPECT_EQ(decoded.found(), "");
}

TEST(ProtonJson, WhatCannotBePlacedIsDroppedWithItsReason) {
  std::string text = file_of({{},
                              {.tid = "warp 1 (line 0)"},
                              {.pid = "add Core0"},
                              {.tid = "warp"},
                              {.dur = "-0.5"},
                              {.ts = "\"1 us\""},
                              {.frequency = R"f("Frequency (MHz)":0,)f"}});
  text.insert(text.rfind(']'), R"(,{"ph":"i","name":"x"},{"ph":"M","name":"process_name"},7)");
  const Decoded decoded = decode_for_test(text, {});
  EXPECT_EQ(decoded.lanes(), "0/0: -0@0+10\n0/1: -0@0+10\n");
  EXPECT_EQ(decoded.found(), "bad_record 7, clock_rate_assumed 2");
  EXPECT_EQ(decoded.findings.entries()[0].example, "event 2 of the list: its pid names no CTA");
}

TEST(ProtonJson, TimesMayBeWrittenAsText) {
  const Decoded decoded = decode_for_test(
      file_of({{.ts = "\"0.5\"", .dur = "\"0.25\""}, {.tid = "warp 1 (line 0)"}}), {});
  EXPECT_EQ(decoded.lanes(), "0/0: -0@500+250\n0/1: -0@0+10\n");
  EXPECT_EQ(decoded.found(), "clock_rate_assumed 2");
}

TEST(ProtonJson, AFileWithoutAnyCtaIsRefused) {
  EXPECT_EQ(decode_for_test(file_of({{.pid = "add Core0"}, {.pid = "add"}}), {}).error,
            "is Proton's timeline inside kernels, but none of its scopes can be placed: its pid "
            "names no CTA. Proton writes a pid \"KERNEL Core0 CTA1\" and a tid \"warp 2 (line "
            "0)\"");
}

TEST(ProtonJson, ACutFileIsReadUpToTheCut) {
  const std::string text = file_of({{}, {.tid = "warp 1 (line 0)"}, {.tid = "warp 2 (line 0)"}});
  const Decoded decoded = decode_for_test(text.substr(0, text.size() - 30), {});
  EXPECT_EQ(decoded.lanes(), "0/0: -0@0+10\n0/1: -0@0+10\n");
  EXPECT_EQ(decoded.found(), "truncated 1, clock_rate_assumed 2");
  EXPECT_EQ(decoded.findings.entries()[0].example, "in event 2 of the list");
  expect_all_cuts_are_safe(text, {});
}

}  // namespace
}  // namespace lockstep::formats::kernel_profile
