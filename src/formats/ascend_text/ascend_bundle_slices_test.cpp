// Directories whose timeline and tables were cut into slices.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "formats/ascend_text/ascend_bundle_for_test.h"
#include "formats/ascend_text/defects.h"

namespace lockstep::formats::ascend_text {
namespace {

TEST_F(AscendBundle, SlicesAreOneTimelineAndOneTable) {
  const std::string out = "PROF_1/mindstudio_profiler_output/";
  file(out + "msprof_slice_0_1.json", std::string(kTimelineText) + "]");
  std::string later(kTimelineText);
  for (std::size_t at = 0; (at = later.find("17000000000000", at)) != later.npos; ++at) {
    later.replace(at, 14, "17000000000001");
  }
  file(out + "msprof_slice_1_1.json", later + "]");
  file(out + "op_summary_slice_0_1.csv", kTable);
  file(out + "op_summary_slice_1_1.csv",
       "Stream ID,Op Name,Task Type,Task Start Time(us),Task "
       "Duration(us)\n2,add,AI_CORE,1700000000000110.000,4\n");
  const trace::Trace trace = load();
  ASSERT_EQ(trace.ranks.size(), 1U);
  EXPECT_EQ(trace.devices.size(), 1U);
  EXPECT_EQ(trace.events.size(), 13U);
  std::vector<std::int64_t> adds;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    if (trace.text(trace.events.name[i]) == "add") adds.push_back(trace.events.start[i].ps);
  }
  ASSERT_EQ(adds.size(), 2U);
  EXPECT_EQ(adds[1] - adds[0], 100'000'000);
  EXPECT_EQ(trace.steps.size(), 2U);
  for (const trace::Track& track : trace.tracks)
    EXPECT_EQ(trace::index_of(trace.rank_of(track)), 0U);
}

TEST_F(AscendBundle, LaunchesReachAcrossSlices) {
  const std::string names =
      R"json([{"name":"process_name","pid":4824480,"tid":0,"args":{"name":"Ascend Hardware"},"ph":"M"},
{"name":"process_name","pid":4824544,"tid":0,"args":{"name":"CANN"},"ph":"M"},)json";
  const std::string out = "PROF_1/mindstudio_profiler_output/";
  file(
      out + "msprof_slice_0_1.json",
      names +
          R"json({"name":"AscendCL@aclnnAdd","pid":4824544,"tid":4713,"ts":"1700000000000011.000","dur":5,"args":{"connection_id":71},"ph":"X"}])json");
  file(
      out + "msprof_slice_1_1.json",
      names +
          R"json({"name":"add","pid":4824480,"tid":2,"ts":"1700000000000030.000","dur":5,"args":{"Task Type":"AI_CORE","connection_id":71},"ph":"X"}])json");
  const trace::Trace trace = load();
  ASSERT_EQ(trace.flows.size(), 1U);
  EXPECT_EQ(trace.flows[0].kind, trace::Flow::Kind::kLaunch);
  EXPECT_EQ(trace::index_of(trace.flows[0].to), 1U);
}

// A slice with one call and one kernel of each process, whose number is packed into the lane's.
std::string slice_of(const std::string& start, int calling, int working) {
  const auto process = [](int pid, int order, const char* name) {
    return R"json({"name":"process_name","pid":)json" + std::to_string((pid << 10) | (order << 5)) +
           R"json(,"tid":0,"args":{"name":")json" + name + R"json("},"ph":"M"})json";
  };
  const auto event = [&](int pid, int order, const char* name, const char* more) {
    return R"json({"name":")json" + std::string(name) + R"json(","pid":)json" +
           std::to_string((pid << 10) | (order << 5)) + R"json(,"tid":2,"ts":")json" + start +
           R"json(","dur":5,"args":{)json" + more + R"json("connection_id":71},"ph":"X"})json";
  };
  std::string text =
      "[" + process(calling, 1, "CANN") + "," + process(working, 3, "Ascend Hardware");
  text += "," + event(calling, 1, "AscendCL@aclnnAdd", "");
  return text + "," + event(working, 3, "add", R"json("Task Type":"AI_CORE",)json") + "]";
}

TEST_F(AscendBundle, SlicesThatCannotBeOfTheTimelineAreLeftOut) {
  const std::string out = "PROF_1/mindstudio_profiler_output/";
  file(out + "msprof_slice_0_1.json", slice_of("1700000000000011.000", 4711, 4711));
  file(out + "msprof_slice_1_1.json", slice_of("1700400000000011.000", 4711, 4711));
  file(out + "msprof_slice_2_1.json", slice_of("11.000", 4711, 4711));
  file(out + "msprof_slice_3_1.json", slice_of("1700000000000031.000", 4711, 4711));
  const trace::Trace trace = load();
  ASSERT_EQ(trace.ranks.size(), 1U);
  EXPECT_EQ(trace.events.size(), 4U) << "two slices of two events";
  EXPECT_EQ(trace.events.start[3].ps - trace.events.start[0].ps, 20'000'000);
  EXPECT_EQ(trace.flows.size(), 2U);
  EXPECT_EQ(trace.diagnostics.count_of(kUnusableFile), 2U);
  const std::vector<trace::SourcePart>& parts = trace.ranks[0].parts;
  ASSERT_GE(parts.size(), 4U);
  EXPECT_EQ(parts[0].use, trace::SourcePart::Use::kUsed);
  EXPECT_EQ(parts[1].use, trace::SourcePart::Use::kUnused);
  EXPECT_EQ(parts[1].note, "is a slice that lies days away from the first");
  EXPECT_EQ(parts[2].use, trace::SourcePart::Use::kUnused);
  EXPECT_EQ(parts[2].note, "is a slice of a timeline on another clock");
  EXPECT_EQ(parts[3].use, trace::SourcePart::Use::kUsed);
}

TEST_F(AscendBundle, LaunchesAcrossSlicesStayInTheirProcess) {
  const std::string out = "PROF_1/mindstudio_profiler_output/";
  // Both processes count their connections from the same number; the first slice has a call of 1
  // and work of 2, the second a call of 2 and work of 1.
  file(out + "msprof_slice_0_1.json", slice_of("1700000000000011.000", 1, 2));
  file(out + "msprof_slice_1_1.json", slice_of("1700000000000031.000", 2, 1));
  const trace::Trace trace = load();
  ASSERT_EQ(trace.flows.size(), 2U);
  for (const trace::Flow& flow : trace.flows) {
    EXPECT_EQ(trace.track_of(trace::index_of(flow.from)).process,
              trace.track_of(trace::index_of(flow.to)).process);
  }
}

}  // namespace
}  // namespace lockstep::formats::ascend_text
