// Directories: which file is believed for what, and what is said of the rest.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/ascend/ascend_names.h"
#include "formats/ascend_text/ascend_text_reader.h"
#include "formats/ascend_text/defects.h"
#include "formats/input/builtin_formats.h"
#include "io/input.h"

namespace lockstep::formats::ascend_text {
namespace {

using ascend_text::kCountsDiffer;
using ascend_text::kDamagedFile;
using ascend_text::kKernelNotInTable;
using ascend_text::kUnusableFile;
using testing::HasSubstr;

constexpr std::string_view kTimeline = R"json([
{"ph":"M","name":"process_name","pid":4711,"tid":0,"args":{"name":"Python"}},
{"name":"process_name","pid":4824480,"tid":0,"args":{"name":"Ascend Hardware"},"ph":"M"},
{"name":"process_name","pid":4824512,"tid":0,"args":{"name":"HCCL"},"ph":"M"},
{"name":"thread_name","pid":4824512,"tid":0,"args":{"name":"Group 0 Communication"},"ph":"M"},
{"ph":"X","name":"ProfilerStep#3","pid":4711,"tid":4712,"ts":"1700000000000000.000","dur":900,"cat":"cpu_op","args":{}},
{"name":"add","pid":4824480,"tid":2,"ts":"1700000000000010.000","dur":5.00003125,"args":{"Task Type":"AI_CORE","connection_id":1},"ph":"X"},
{"name":"cast","pid":4824480,"tid":2,"ts":"1700000000000020.000","dur":5.5,"args":{"Task Type":"AI_CORE","connection_id":2},"ph":"X"},
{"name":"inner","pid":4824480,"tid":4,"ts":"1700000000000031.000","dur":5.5,"args":{"Task Type":"AI_CORE","connection_id":3},"ph":"X"},
{"name":"MEMCPY_ASYNC","pid":4824480,"tid":2,"ts":"1700000000000040.000","dur":2,"args":{"Task Type":"SDMA_SQE","connection_id":4},"ph":"X"},
{"name":"hcom_allReduce__586_0_1","pid":4824512,"tid":0,"ts":"1700000000000030.001","dur":8.00003125,"args":{"connection_id":3,"data_type":"FP32","count":16},"ph":"X"})json";

constexpr std::string_view kTable =
    "Step Id,Stream ID,Name,Type,Accelerator Core,Start Time(us),Duration(us),Block Dim\n"
    "3,2,add,Add,AI_VECTOR_CORE,1700000000000010.000\t,5,16\n"
    "3,2,cast,Cast,AI_CPU,1700000000000020.000\t,5.5,1\n"
    "3,N/A,hcom_allReduce__586_0_1,hcom_allReduce_,HCCL,1700000000000030.000\t,8,0\n"
    "3,2,late,Add,AI_CORE,1700000000000050.000\t,1,16\n";

constexpr std::string_view kCommunication =
    R"json({"step3": {"p2p": {}, "collective": {"hcom_allReduce__586_0_1@1752": {"Communication Time Info": {"Start Timestamp(us)": 1700000000000030.0, "Elapse Time(ms)": 0.008, "Transit Time(ms)": 0.001, "Wait Time(ms)": 0.005, "Idle Time(ms)": 0.002}}}}})json";

constexpr std::string_view kInfo =
    R"json({"config": {"experimental_config": {"_profiler_level": "Level1"}}, "rank_id": 5})json";

class AscendBundle : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "ascend_bundle_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void file(const std::string& name, std::string_view text) {
    const std::filesystem::path path = root() / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  [[nodiscard]] std::filesystem::path root() const { return folder_ / "h_1_2_ascend_pt"; }

  static Status read_one(const std::string& path, trace::Trace& trace) {
    auto input = io::Input::open(path);
    if (!input.ok()) return input.error();
    const auto json =
        std::ranges::find(input::builtin_formats(), "chrome_json", &shared::Format::name);
    return json->read(*input.value(), path, {}, trace);
  }

  Result<trace::Trace> try_load() {
    auto list = io::list_files(folder_.string());
    if (!list.ok()) return list.error();
    std::vector<std::string> files = std::move(list).value().files;
    const std::vector<shared::Bundle> bundles =
        ascend_bundle_format().claim(folder_.string(), files);
    EXPECT_EQ(bundles.size(), 1U);
    EXPECT_TRUE(files.empty());
    trace::Trace trace;
    const Status status = ascend_bundle_format().read(bundles[0], {}, read_one, trace);
    if (!status.ok()) return status.error();
    return trace;
  }

  trace::Trace load() {
    Result<trace::Trace> trace = try_load();
    EXPECT_TRUE(trace.ok()) << (trace.ok() ? "" : trace.error().text());
    return trace.ok() ? std::move(trace).value() : trace::Trace();
  }

  static std::map<std::string, trace::Event> by_name(const trace::Trace& trace) {
    std::map<std::string, trace::Event> events;
    for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
      events[std::string(trace.text(trace.events.name[i]))] = trace.events.row(trace::EventId{i});
    }
    return events;
  }

  // "used 4 kernel_details.csv"
  static std::vector<std::string> parts(const trace::Trace& trace) {
    std::vector<std::string> lines;
    for (const trace::SourcePart& part : trace.ranks[0].parts) {
      lines.push_back(std::string(name_of(part.use)) + " " + std::to_string(part.records) + " " +
                      part.name);
    }
    return lines;
  }

  std::filesystem::path folder_;
};

constexpr auto kOut = "ASCEND_PROFILER_OUTPUT/";

// read_one() reads the content, whatever the name: the timeline stands for a database.
TEST_F(AscendBundle, ADatabaseIsReadWhereTextKnowsTheCollectivesOnly) {
  file("ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_5.db", kTimeline);
  file("ASCEND_PROFILER_OUTPUT/communication.json", kCommunication);
  EXPECT_TRUE(by_name(load()).contains("add"));
}

TEST_F(AscendBundle, ADatabaseIsReadWhereTheTableIsEmpty) {
  file("ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_5.db", kTimeline);
  file("ASCEND_PROFILER_OUTPUT/kernel_details.csv", kTable.substr(0, kTable.find('\n') + 1));
  EXPECT_TRUE(by_name(load()).contains("add"));
}

TEST_F(AscendBundle, TheTableCorrectsTheTimeline) {
  file(kOut + std::string("trace_view.json"), std::string(kTimeline) + "]");
  file(kOut + std::string("kernel_details.csv"), kTable);
  file(kOut + std::string("communication.json"), kCommunication);
  file("profiler_info_5.json", kInfo);
  file("FRAMEWORK/torch.raw", "xyz");
  const trace::Trace trace = load();
  ASSERT_EQ(trace.ranks.size(), 1U);
  EXPECT_EQ(trace.ranks[0].format, "ascend_text");
  EXPECT_EQ(trace.ranks[0].number, 5);
  EXPECT_EQ(trace.ranks[0].number_from, trace::RankEvidence::kMetadata);
  const auto events = by_name(trace);
  ASSERT_EQ(events.size(), 7U);
  EXPECT_EQ(trace.events.size(), 7U) << "no kernel twice";
  EXPECT_EQ(events.at("add").duration.ps, 5'000'000) << "the table's time, not the timeline's";
  EXPECT_EQ(events.at("cast").kind, trace::Kind::kAiCpu) << "the timeline's types are coarser";
  EXPECT_EQ(events.at("hcom_allReduce__586_0_1").duration.ps, 8'000'000);
  EXPECT_EQ(events.at("late").kind, trace::Kind::kKernel) << "only the table has it";
  EXPECT_EQ(events.at("late").track, events.at("add").track);
  EXPECT_EQ(events.at("MEMCPY_ASYNC").kind, trace::Kind::kMemcpy);
  EXPECT_EQ(events.at("inner").kind, trace::Kind::kAnnotation) << "only the timeline has it";
  EXPECT_EQ(trace.diagnostics.count_of(kKernelNotInTable), 1U);
  ASSERT_EQ(trace.collectives.size(), 1U);
  EXPECT_EQ(trace.text(trace.collectives[0].group), "1752");
  EXPECT_EQ(trace.text(trace.collectives[0].dtype), "Float");
  EXPECT_EQ(trace.collectives[0].wait, Time{5'000'000});
  EXPECT_EQ(trace.collectives[0].bytes, 64) << "what was handed over, not what went over links";
  const trace::Track& lane =
      trace.tracks[trace::index_of(events.at("hcom_allReduce__586_0_1").track)];
  EXPECT_EQ(trace.text(lane.id.text), "1752");
  EXPECT_EQ(trace.text(lane.name), "Group 0 Communication");
  ASSERT_EQ(trace.steps.size(), 1U);
  EXPECT_EQ((trace.steps[0].end - trace.steps[0].start).ps, 900'000'000) << "the host's window";
  EXPECT_THAT(parts(trace),
              testing::ElementsAre("used 6 trace_view.json", "used 4 kernel_details.csv",
                                   "used 1 communication.json", "used 0 profiler_info_5.json",
                                   "unused 1 other files"));
}

TEST_F(AscendBundle, WithoutTimelineTheTableStandsAlone) {
  file(kOut + std::string("kernel_details.csv"), kTable);
  file("PROF_1/mindstudio_profiler_output/task_time_1.csv",
       "Device_id,kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start(us),task_stop("
       "us)\n"
       "0,add,AI_CORE,2,1,5,1700000000000010.000,1700000000000015.000\n"
       "0,MEMCPY_ASYNC,SDMA_SQE,2,1,5,1700000000000016.000,1700000000000021.000\n");
  const trace::Trace trace = load();
  EXPECT_EQ(trace.events.size(), 5U) << "four kernels and a copy";
  ASSERT_EQ(trace.steps.size(), 1U);
  EXPECT_EQ((trace.steps[0].end - trace.steps[0].start).ps, 41'000'000) << "the kernels' window";
  EXPECT_THAT(parts(trace), testing::Contains("missing 0 trace_view.json"));
}

TEST_F(AscendBundle, AnEmptyTableOfKernelsLeavesThemToTheTasks) {
  file(kOut + std::string("kernel_details.csv"), kTable.substr(0, kTable.find('\n') + 1));
  file("PROF_1/mindstudio_profiler_output/task_time_1.csv",
       "Device_id,kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start(us),task_stop("
       "us)\n"
       "0,add,AI_CORE,2,1,5,1700000000000010.000,1700000000000015.000\n");
  const trace::Trace trace = load();
  ASSERT_EQ(trace.events.size(), 1U);
  EXPECT_EQ(trace.events.kind[0], trace::Kind::kKernel);
  EXPECT_EQ(trace.ranks[0].origin.ns, 1700000000000010000);
}

TEST_F(AscendBundle, ACutTableLeavesTheRestToTheTimeline) {
  file(kOut + std::string("trace_view.json"), std::string(kTimeline) + "]");
  file(kOut + std::string("kernel_details.csv"), std::string(kTable).substr(0, 170));
  const trace::Trace trace = load();
  const auto events = by_name(trace);
  EXPECT_EQ(events.at("add").kind, trace::Kind::kKernel);
  EXPECT_EQ(events.at("cast").kind, trace::Kind::kKernel);
  EXPECT_EQ(events.at("inner").kind, trace::Kind::kKernel);
  EXPECT_TRUE(trace.diagnostics.has_loss());
}

TEST_F(AscendBundle, AnUnclosedTimelineIsReadUpToItsEnd) {
  file(kOut + std::string("trace_view.json"), std::string(kTimeline) + ",\n{\"name\":\"x");
  file(kOut + std::string("kernel_details.csv"), kTable);
  EXPECT_EQ(load().events.size(), 7U);
}

TEST_F(AscendBundle, ADamagedFileIsCountedAndTheRestIsUsed) {
  file(kOut + std::string("trace_view.json"), "not json at all");
  file(kOut + std::string("kernel_details.csv"), kTable);
  file(kOut + std::string("communication.json"), "{\"step3\": ");
  file("profiler_info_5.json", "{");
  const trace::Trace trace = load();
  EXPECT_EQ(trace.events.size(), 4U);
  EXPECT_EQ(trace.diagnostics.count_of(kUnusableFile), 3U);
  EXPECT_THAT(parts(trace), testing::Contains("unused 0 trace_view.json"));
}

// What of them can be read is used, and nobody is told that they cannot be.
TEST_F(AscendBundle, FilesThatAreDamagedInPartAreSaidToBeRead) {
  file(kOut + std::string("kernel_details.csv"), kTable);
  file(kOut + std::string("communication.json"),
       kCommunication.substr(0, kCommunication.size() - 2));
  file(kOut + std::string("op_statistic.csv"),
       "Device_id,OP Type,Core Type,Count,Total Time(us)\n0,Add,AI_VECTOR_CORE,\x01,6.0\n");
  const trace::Trace trace = load();
  EXPECT_EQ(trace.diagnostics.count_of(kUnusableFile), 0U);
  EXPECT_EQ(trace.diagnostics.count_of(kDamagedFile), 2U);
  EXPECT_EQ(kDamagedFile.severity, Severity::kDataLoss);
  EXPECT_THAT(parts(trace), testing::Contains("used 1 op_statistic.csv"));
}

TEST_F(AscendBundle, ATableWithoutAColumnIsAnUnusedPart) {
  file(kOut + std::string("trace_view.json"), std::string(kTimeline) + "]");
  file(kOut + std::string("kernel_details.csv"), "Name,Accelerator Core,Start Time(us)\na,b,1\n");
  const trace::Trace trace = load();
  EXPECT_EQ(by_name(trace).at("inner").kind, trace::Kind::kKernel)
      << "the timeline is all there is";
  EXPECT_EQ(trace.ranks[0].parts[1].note, "has no column 'Duration(us)'");
}

TEST_F(AscendBundle, OpStatisticIsCompared) {
  file(kOut + std::string("kernel_details.csv"), kTable);
  file(kOut + std::string("op_statistic.csv"),
       "OP Type,Core Type,Count,Total "
       "Time(us),Ratio(%)\nAdd,AI_VECTOR_CORE,1,5,1\nCast,AI_CPU,3,5,1\n");
  file(kOut + std::string("step_trace_time.csv"), "Step,Computing,Stage\n3,11.5,\n");
  const trace::Trace trace = load();
  EXPECT_EQ(trace.diagnostics.count_of(kCountsDiffer), 1U);
  EXPECT_EQ(trace.ranks[0].metadata[0].key, "step_trace_time");
  EXPECT_EQ(trace.ranks[0].metadata[0].json,
            R"json([{"Step": 3, "Computing": 11.5, "Stage": null}])json");
}

// Every table of sums, cut or damaged as tables are: what it says is kept, and it is said.
TEST_F(AscendBundle, TablesOfSumsThatLostSomethingAreDataLoss) {
  const std::string sums = "OP Type,Core Type,Count,Ratio(%)\nAdd,AI_VECTOR_CORE,1,5\n";
  for (const std::string_view name :
       {"op_statistic.csv", "step_trace_time.csv", "api_statistic.csv"}) {
    for (const auto& [text, what] :
         {std::pair{std::string(), "is empty"}, std::pair{std::string("\n\n"), "is empty"},
          std::pair{sums.substr(0, sums.size() - 1), "is cut off"},
          std::pair{sums.substr(0, sums.size() - 3), "is cut off"},
          std::pair{sums.substr(0, 20), "is cut off"},
          std::pair{sums + "Cast,AI_CPU\n", "is damaged"},
          std::pair{sums + "Cast,AI_CPU,1,5Add,AI,1,5\n", "is damaged"}}) {
      file(kOut + std::string("kernel_details.csv"), kTable);
      file(kOut + std::string(name), text);
      const trace::Trace trace = load();
      EXPECT_TRUE(trace.diagnostics.has_loss()) << name << text;
      ASSERT_EQ(trace.diagnostics.entries().size(), 1U) << name << text;
      EXPECT_EQ(trace.diagnostics.entries()[0].kind, &kDamagedFile);
      EXPECT_EQ(trace.diagnostics.entries()[0].example,
                std::string(name) + " " + std::string(what));
    }
    file(kOut + std::string(name), "OP Type,Core Type,Count,,\nAdd,AI_VECTOR_CORE,1,,\n");
    EXPECT_FALSE(load().diagnostics.has_loss()) << "commas at the end are no cells";
    file(kOut + std::string(name), "OP Type,Core Type,Count\n");
    EXPECT_FALSE(load().diagnostics.has_loss()) << "no rows are no damage";
    file(kOut + std::string(name), sums);
    EXPECT_FALSE(load().diagnostics.has_loss());
  }
}

TEST_F(AscendBundle, SlicesAreOneTimelineAndOneTable) {
  const std::string out = "PROF_1/mindstudio_profiler_output/";
  file(out + "msprof_slice_0_1.json", std::string(kTimeline) + "]");
  std::string later(kTimeline);
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

TEST_F(AscendBundle, ADamagedMatrixIsAnUnusedPart) {
  file(kOut + std::string("kernel_details.csv"), kTable);
  file(kOut + std::string("communication_matrix.json"), R"json({"step3": []})json");
  const trace::Trace trace = load();
  const auto matrix = std::ranges::find(trace.ranks[0].parts, "communication_matrix.json",
                                        &trace::SourcePart::name);
  ASSERT_NE(matrix, trace.ranks[0].parts.end());
  EXPECT_EQ(matrix->use, trace::SourcePart::Use::kUnused);
  EXPECT_EQ(matrix->note, "is not JSON of the expected shape");
  EXPECT_EQ(trace.diagnostics.count_of(kUnusableFile), 1U);
}

TEST_F(AscendBundle, ACollectiveStandsForKernelsOfItsOwnDeviceOnly) {
  file(kOut + std::string("kernel_details.csv"),
       "Device_id,Stream ID,Name,Type,Accelerator Core,Start Time(us),Duration(us)\n"
       "0,N/A,hcom_allReduce__586_0_1,hcom_allReduce_,HCCL,1700000000000030.000,8\n"
       "0,4,hcom_allReduce_AivKernel,x,AI_VECTOR_CORE,1700000000000031.000,6\n"
       "1,4,hcom_allReduce_AicpuKernel,x,AI_CPU,1700000000000031.000,6\n");
  const trace::Trace trace = load();
  const auto events = by_name(trace);
  EXPECT_EQ(events.at("hcom_allReduce_AivKernel").kind, trace::Kind::kDuplicate);
  EXPECT_EQ(events.at("hcom_allReduce_AicpuKernel").kind, trace::Kind::kCommunication)
      << "all that device 1 has";
  EXPECT_EQ(trace.collectives.size(), 2U);
  EXPECT_EQ(trace.diagnostics.count_of(ascend::kDuplicateCollective), 1U);
}

TEST_F(AscendBundle, TheOutputFolderAloneFindsWhoItBelongsTo) {
  file(kOut + std::string("kernel_details.csv"), kTable);
  file("profiler_info_5.json", kInfo);
  std::vector<std::string> files = {(root() / kOut / "kernel_details.csv").string()};
  const std::vector<shared::Bundle> bundles =
      ascend_bundle_format().claim((root() / "ASCEND_PROFILER_OUTPUT").string(), files);
  ASSERT_EQ(bundles.size(), 1U);
  trace::Trace trace;
  ASSERT_TRUE(ascend_bundle_format().read(bundles[0], {}, read_one, trace).ok());
  EXPECT_EQ(trace.ranks[0].number, 5);
}

TEST_F(AscendBundle, RawDataAloneSaysWhatToDo) {
  file("PROF_1/host/data/x", "xyz");
  const Result<trace::Trace> trace = try_load();
  ASSERT_FALSE(trace.ok());
  EXPECT_THAT(trace.error().text(), HasSubstr("is an Ascend profile without analysed data"));
  EXPECT_THAT(trace.error().text(), HasSubstr("msprof --export"));
}

TEST_F(AscendBundle, NothingReadableIsAnError) {
  file(kOut + std::string("kernel_details.csv"), "Name,Accelerator Core,Start Time(us)\na,b,1\n");
  const Result<trace::Trace> trace = try_load();
  ASSERT_FALSE(trace.ok());
  EXPECT_THAT(trace.error().text(), HasSubstr("is an Ascend profile in which nothing can be read"));
  EXPECT_THAT(trace.error().text(), HasSubstr("has no column 'Duration(us)'"));
}

}  // namespace
}  // namespace lockstep::formats::ascend_text
