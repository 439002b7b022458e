// Directories: which file is believed for what, and what is said of the rest.
#include <algorithm>
#include <filesystem>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/ascend/ascend_names.h"
#include "formats/ascend_text/ascend_bundle_for_test.h"
#include "formats/ascend_text/defects.h"

namespace lockstep::formats::ascend_text {
namespace {

using ascend_text::kCountsDiffer;
using ascend_text::kDamagedFile;
using ascend_text::kKernelNotInTable;
using ascend_text::kUnusableFile;
using testing::HasSubstr;

// read_one() reads the content, whatever the name: the timeline stands for a database.
TEST_F(AscendBundle, ADatabaseIsReadWhereTextKnowsTheCollectivesOnly) {
  file("ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_5.db", kTimelineText);
  file("ASCEND_PROFILER_OUTPUT/communication.json", kCommunicationText);
  EXPECT_TRUE(by_name(load()).contains("add"));
}

TEST_F(AscendBundle, ADatabaseIsReadWhereTheTableIsEmpty) {
  file("ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_5.db", kTimelineText);
  file("ASCEND_PROFILER_OUTPUT/kernel_details.csv", kTable.substr(0, kTable.find('\n') + 1));
  EXPECT_TRUE(by_name(load()).contains("add"));
}

TEST_F(AscendBundle, TheTableCorrectsTheTimeline) {
  file(kOut + std::string("trace_view.json"), std::string(kTimelineText) + "]");
  file(kOut + std::string("kernel_details.csv"), kTable);
  file(kOut + std::string("communication.json"), kCommunicationText);
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
  file(kOut + std::string("trace_view.json"), std::string(kTimelineText) + "]");
  file(kOut + std::string("kernel_details.csv"), std::string(kTable).substr(0, 170));
  const trace::Trace trace = load();
  const auto events = by_name(trace);
  EXPECT_EQ(events.at("add").kind, trace::Kind::kKernel);
  EXPECT_EQ(events.at("cast").kind, trace::Kind::kKernel);
  EXPECT_EQ(events.at("inner").kind, trace::Kind::kKernel);
  EXPECT_TRUE(trace.diagnostics.has_loss());
}

TEST_F(AscendBundle, AnUnclosedTimelineIsReadUpToItsEnd) {
  file(kOut + std::string("trace_view.json"), std::string(kTimelineText) + ",\n{\"name\":\"x");
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
       kCommunicationText.substr(0, kCommunicationText.size() - 2));
  file(kOut + std::string("op_statistic.csv"),
       "Device_id,OP Type,Core Type,Count,Total Time(us)\n0,Add,AI_VECTOR_CORE,\x01,6.0\n");
  const trace::Trace trace = load();
  EXPECT_EQ(trace.diagnostics.count_of(kUnusableFile), 0U);
  EXPECT_EQ(trace.diagnostics.count_of(kDamagedFile), 2U);
  EXPECT_EQ(kDamagedFile.severity, Severity::kDataLoss);
  EXPECT_THAT(parts(trace), testing::Contains("used 1 op_statistic.csv"));
}

TEST_F(AscendBundle, ATableWithoutAColumnIsAnUnusedPart) {
  file(kOut + std::string("trace_view.json"), std::string(kTimelineText) + "]");
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
