// Single files: header variants, cells, defects, and the sentences of refusals.
#include "formats/ascend_text/ascend_text_reader.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/ascend/ascend_names.h"
#include "formats/ascend_text/defects.h"
#include "formats/shared/record_defects.h"
#include "formats/shared/text_damage.h"

namespace lockstep::formats::ascend_text {
namespace {

using ascend_text::kDamagedRecord;
using ascend_text::kLongRow;
using ascend_text::kNarrowRow;
using ascend_text::kShortRow;
using ascend_text::kTruncatedTable;
using ascend_text::kUnendedTable;
using testing::HasSubstr;

Result<trace::Trace> try_read(const std::string& text, shared::ReadOptions options = {}) {
  io::MemorySource source(text);
  trace::Trace trace;
  const Status status = ascend_text_format().read(source, "x.csv", options, trace);
  if (!status.ok()) {
    EXPECT_TRUE(trace.ranks.empty());
    EXPECT_TRUE(trace.tracks.empty());
    return status.error();
  }
  return trace;
}

trace::Trace read(const std::string& text, bool keep_arguments = false) {
  shared::ReadOptions options;
  options.keep_arguments =
      keep_arguments ? trace::KeepArguments::kAll : trace::KeepArguments::kNone;
  Result<trace::Trace> trace = try_read(text, options);
  EXPECT_TRUE(trace.ok()) << (trace.ok() ? "" : trace.error().text());
  return trace.ok() ? std::move(trace).value() : trace::Trace();
}

std::string error_of(const std::string& text) {
  const Result<trace::Trace> trace = try_read(text);
  return trace.ok() ? "" : trace.error().text();
}

std::string refusal_of(const std::string& text) {
  const shared::Sniff sniff = ascend_text_format().sniff(text, "x");
  return sniff.refusal ? sniff.refusal->text() : "";
}

// Every way in which a kernel has been written: the row says the same in all of them.
struct Era {
  std::string_view name;
  std::string_view header;
  std::string_view row;
};

class Eras : public testing::TestWithParam<Era> {};

TEST_P(Eras, SayTheSame) {
  const std::string text =
      std::string(GetParam().header) + "\n" + std::string(GetParam().row) + "\n";
  EXPECT_EQ(ascend_text_format().sniff(text, "x").verdict, shared::Sniff::Verdict::kYes);
  const trace::Trace trace = read(text);
  ASSERT_EQ(trace.events.size(), 1U);
  EXPECT_EQ(trace.ranks[0].format, "ascend_text");
  EXPECT_EQ(trace.ranks[0].origin.ns, 1736408883704643212);
  EXPECT_EQ(trace.ranks[0].origin.clock, Clock::kEpoch);
  EXPECT_EQ(trace.text(trace.events.name[0]), "Conv2D1");
  EXPECT_EQ(trace.events.start[0].ps, 0);
  EXPECT_EQ(trace.events.duration[0].ps, 313'886'000);
  EXPECT_EQ(trace.events.kind[0], trace::Kind::kKernel);
}

INSTANTIATE_TEST_SUITE_P(
    Headers, Eras,
    testing::Values(
        Era{"level 0",
            "Step Id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block "
            "Dim",
            "50,Conv2D1,N/A,N/A,1736408883704643.212\t,313.886,0,16"},
        Era{"level 0, 2023",
            "Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block Dim",
            "Conv2D1,N/A,N/A,1736408883704643.212,313.886,0,16"},
        Era{"2025-06",
            "Step Id,Device_id,Model ID,Task ID,Stream ID,Name,Type,OP State,Accelerator "
            "Core,Start Time(us),Duration(us),Wait Time(us),Block Dim,Input Shapes",
            "50,0,4294967295,11053,2,Conv2D1,Conv2D,dynamic,AI_CORE,\"1736408883704643.212\t\",313."
            "886,96.2,16,\"\"\"32,1,224\"\"\"\r"},
        Era{"2026",
            "\xEF\xBB\xBF"
            "Device_id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block "
            "Num",
            "0,Conv2D1,Conv2D,MIX_AIC,1736408883704643.212,313.886,0,16"},
        Era{"MindSpore", "Step ID,Name,Type,Accelerator Core,Start Time(us),Duration(us)",
            "1,Conv2D1,Conv2D,AI_CORE,1736408883704643.212,313.886"},
        Era{"op_summary",
            "Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,OP State,Task Type,Task Start "
            "Time(us),Task Duration(us),Task Wait Time(us),Block Num",
            "0,4294967295,1,2,Conv2D1,Conv2D,dynamic,AI_CORE,1736408883704643.212\t,313.886,0,16"},
        Era{"mixed", "Op Name,OP Type,Task Type,Start Time(us),Task Duration(us)",
            "Conv2D1,Conv2D,AI_CORE,1736408883704643.212,313.886"},
        Era{"task_time",
            "Device_id,kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start(us),task_"
            "stop(us)",
            "0,Conv2D1,AI_CORE,2,1,313.886,1736408883704643.212\t,1736408883704957.098\t"}),
    [](const auto& era) {
      std::string name;
      for (const char c : era.param.name) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
      }
      return name;
    });

constexpr std::string_view kHeader =
    "Step Id,Device_id,Task ID,Stream ID,Name,Type,Accelerator Core,Start "
    "Time(us),Duration(us),Block Dim\n";

std::string table(std::initializer_list<std::string_view> rows) {
  std::string text(kHeader);
  for (const std::string_view row : rows) text.append(row).append("\n");
  return text;
}

TEST(AscendTable, UnsortedRowsOfTwoDevicesFindTheirPlaces) {
  const trace::Trace trace = read(
      table({"1,1,7,3,b,B,AI_CPU,1700000000000020.5,2,1",
             "1,0,7,2,a,A,AI_VECTOR_CORE,1700000000000010,2,1",
             "1,0,N/A,N/A,hcom_allReduce__586_4_1,hcom_allReduce_,HCCL,1700000000000011,9,0"}));
  ASSERT_EQ(trace.devices.size(), 2U);
  EXPECT_EQ(trace.events.start[1].ps, -10'500'000);
  EXPECT_EQ(trace.events.kind[0], trace::Kind::kAiCpu);
  EXPECT_EQ(trace.events.kind[2], trace::Kind::kCommunication);
  EXPECT_EQ(trace.text(trace.track_of(2).id.text), "Group 586");
  ASSERT_EQ(trace.collectives.size(), 1U);
  EXPECT_EQ(trace.text(trace.collectives[0].op), "all_reduce");
  ASSERT_EQ(trace.steps.size(), 1U);
  EXPECT_EQ(trace.text(trace.steps[0].name), "ProfilerStep#1");
  EXPECT_EQ(trace.steps[0].start.ps, -10'500'000);
  EXPECT_EQ(trace.steps[0].end.ps, 2'000'000);
}

TEST(AscendTable, ACollectiveToldTwiceCountsOnce) {
  const trace::Trace trace =
      read(table({"1,0,N/A,N/A,hcom_allGather__5_4_1,x,COMMUNICATION,1700000000000011,9,0",
                  "1,0,9,20,hcom_allGather_AivKernel,x,AI_VECTOR_CORE,1700000000000011,9,0",
                  "1,1,9,20,hcom_allGather_AicpuKernel_5_4_1,x,AI_CPU,1700000000000011,9,0"}));
  EXPECT_EQ(trace.events.kind[1], trace::Kind::kDuplicate);
  EXPECT_EQ(trace.events.kind[2], trace::Kind::kCommunication)
      << "on its device nothing else tells of it";
  EXPECT_EQ(trace.collectives.size(), 2U);
  EXPECT_EQ(trace.diagnostics.count_of(ascend::kDuplicateCollective), 1U);
}

TEST(AscendTable, BadRowsAreCounted) {
  const trace::Trace trace = read(table(
      {"1,0,1,2,a,A,AI_CORE,1700000000000010,2,1", "1,0,1,2,b", "1,0,1,2,c,A,AI_CORE,N/A,2,1",
       "1,0,1,2,d,A,AI_CORE,1700000000000010,N/A,1", "1,0,1,2,e,A,AI_CORE,1700000000000010,-2,1",
       "1,0,1,2,f,A,AI_CORE,1700000000000010,2,1,extra", "1,0,1,2,g,A,AI_CORE,5,2,1"}));
  EXPECT_EQ(trace.events.size(), 3U);
  EXPECT_EQ(trace.diagnostics.count_of(kShortRow), 1U);
  EXPECT_EQ(trace.diagnostics.count_of(kLongRow), 1U);
  EXPECT_EQ(trace.diagnostics.count_of(shared::kMissingTime), 1U);
  EXPECT_EQ(trace.diagnostics.count_of(shared::kMissingDuration), 1U);
  EXPECT_EQ(trace.diagnostics.count_of(shared::kNegativeDuration), 1U);
  EXPECT_EQ(trace.diagnostics.count_of(shared::kTimeOutOfRange), 1U);
}

// What may have swallowed a row is data loss, whatever is left of it.
TEST(AscendTable, RowsOfAnotherWidthAreDataLoss) {
  const std::string whole = "1,0,1,2,a,A,AI_CORE,1700000000000010,2,1";
  for (const auto& [row, kind] :
       {std::pair{whole + "#" + whole, &kLongRow}, std::pair{whole + ",x", &kLongRow},
        std::pair{std::string("1,0,1,2,b,A,AI_CORE,1700000000000020,2"), &kNarrowRow}}) {
    const trace::Trace trace = read(table({whole, row, whole}));
    EXPECT_EQ(trace.events.size(), 3U) << row;
    EXPECT_EQ(trace.diagnostics.count_of(*kind), 1U) << row;
    EXPECT_TRUE(trace.diagnostics.has_loss()) << row;
  }
  EXPECT_FALSE(read(table({whole + ",,", whole})).diagnostics.has_loss()) << "commas are no cells";
}

TEST(AscendTable, CommasAtTheEndOfTheHeadAreNoColumns) {
  const std::string whole = "1,0,1,2,a,A,AI_CORE,1700000000000010,2,1";
  std::string text = table({whole, whole + ",,,"});
  text.insert(text.find('\n'), ",, ,");
  const trace::Trace trace = read(text);
  EXPECT_EQ(trace.events.size(), 2U);
  EXPECT_TRUE(trace.diagnostics.entries().empty());
}

// A cut in the last cell of a row leaves it as wide as it was, and all rows behind it are gone.
TEST(AscendTable, ALastRowWithoutALineEndIsDataLoss) {
  const std::string whole = "1,0,1,2,a,A,AI_CORE,1700000000000010,2,1";
  const std::string text = table({whole, whole});
  const trace::Trace cut = read(text.substr(0, text.size() - 1));
  EXPECT_EQ(cut.events.size(), 2U);
  EXPECT_EQ(cut.diagnostics.count_of(kUnendedTable), 1U);
  EXPECT_TRUE(cut.diagnostics.has_loss());
  EXPECT_EQ(cut.diagnostics.entries()[0].first.at, 3U);
  for (const std::string_view end : {"", "\n", "\r\n", "  "}) {
    EXPECT_FALSE(read(text + std::string(end)).diagnostics.has_loss());
  }
}

TEST(AscendTable, AQuoteCostsAtMostItsOwnRow) {
  const std::string row = "1,0,1,2,a,A,AI_CORE,1700000000000010,2,1";
  const trace::Trace open =
      read(table({row, "\"" + row, row, "1,0,1,2,\"b\",A,AI_CORE,1700000000000010,2,1"}));
  EXPECT_EQ(open.events.size(), 4U);
  EXPECT_EQ(open.diagnostics.count_of(kDamagedRecord), 1U);
  const trace::Trace behind = read(table({row, "1,0,1,2,\"b\"b,A,AI_CORE,1700000000000010,2,1"}));
  EXPECT_EQ(behind.events.size(), 2U);
  EXPECT_EQ(behind.diagnostics.count_of(kDamagedRecord), 1U);
  EXPECT_TRUE(behind.diagnostics.has_loss());
}

// A page that never reached the disk begins in one row and ends in the same column of another.
TEST(AscendTable, NulBytesAreDataLoss) {
  const std::string row = "1,0,1,2,abcdef,A,AI_CORE,1700000000000010,2,1";
  std::string text = table({row, row, row, row});
  const std::size_t first = text.find("abcdef");
  const std::size_t last = text.find("abcdef", text.find("abcdef", first + 1) + 1);
  std::fill(text.begin() + static_cast<std::ptrdiff_t>(first) + 2,
            text.begin() + static_cast<std::ptrdiff_t>(last) + 2, '\0');
  const trace::Trace trace = read(text);
  EXPECT_EQ(trace.events.size(), 2U);
  EXPECT_EQ(trace.diagnostics.count_of(shared::kDamagedText), 1U);
  EXPECT_TRUE(trace.diagnostics.has_loss());
}

TEST(AscendTable, ArgumentsAreTypedAndNothingIsMadeUp) {
  const trace::Trace trace = read(
      "Name,Accelerator Core,Start Time(us),Duration(us),Block Dim,Input Shapes,ratio,HF32\n"
      "a,AI_CORE,1700000000000010,2,48,\"\"\"32,3;64\"\"\",0.5,N/A\n",
      true);
  const auto arguments = trace.arguments.of(trace::EventId{0});
  ASSERT_EQ(arguments.size(), 4U);
  EXPECT_EQ(trace.text(arguments[0].key), "Accelerator Core");
  EXPECT_EQ(arguments[1].as_integer(), 48);
  EXPECT_EQ(trace.text(arguments[2].as_string()), "32,3;64");
  EXPECT_EQ(arguments[3].type, trace::Argument::Type::kJson);
  EXPECT_EQ(trace.text(arguments[3].as_string()), "0.5");
}

TEST(AscendTable, EvidenceIsShapesWaitAndCore) {
  shared::ReadOptions options;
  options.keep_arguments = trace::KeepArguments::kEvidence;
  const Result<trace::Trace> read = try_read(
      "Name,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block Dim,Input Shapes\n"
      "a,AI_CORE,1700000000000010,2,1.25,48,\"\"\"32,3;64\"\"\"\n"
      "b,HCCL,1700000000000020,2,0,N/A,N/A\n",
      options);
  ASSERT_TRUE(read.ok());
  const trace::Trace& trace = read.value();
  EXPECT_EQ(trace.arguments.of(trace::EventId{0}).size(), 3U);
  const trace::EvidenceReader evidence(trace);
  EXPECT_EQ(trace.text(evidence.task_type(trace::EventId{0})), "AI_CORE");
  EXPECT_EQ(evidence.exported_wait(trace::EventId{0}), Time{1'250'000});
  const auto shapes = evidence.shapes(trace::EventId{0});
  ASSERT_TRUE(shapes);
  EXPECT_EQ(trace.text(StringId{static_cast<std::uint32_t>(*shapes)}), "32,3;64");
  EXPECT_EQ(trace.text(evidence.task_type(trace::EventId{1})), "HCCL");
  EXPECT_EQ(evidence.exported_wait(trace::EventId{1}), Time{0});
  EXPECT_FALSE(evidence.shapes(trace::EventId{1}));
}

TEST(AscendTable, WithoutStepsItIsNoKernelDetails) {
  const auto lacks = [](const std::string& header, const std::string& row) {
    const trace::Trace trace = read(header + "\n" + row + "\n");
    return std::ranges::any_of(trace.ranks.at(0).parts, [](const trace::SourcePart& part) {
      return part.use == trace::SourcePart::Use::kMissing && part.name == "kernel_details.csv";
    });
  };
  EXPECT_TRUE(lacks("Op Name,Task Type,Task Start Time(us),Task Duration(us)",
                    "a,AI_CORE,1700000000000010,2"));
  EXPECT_FALSE(lacks("Step Id,Name,Accelerator Core,Start Time(us),Duration(us)",
                     "1,a,AI_CORE,1700000000000010,2"));
}

TEST(AscendTable, TasksAreCopiesWaitsAndKernels) {
  const trace::Trace trace = read(
      "Device_id,kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start(us),task_stop("
      "us)\n"
      "0,MEMCPY_ASYNC,SDMA_SQE,2,1,5,1700000000000010.5\t,1700000000000015.5\t\n"
      "0,N/A,EVENT_WAIT_SQE,2,2,1,1700000000000020\t,1700000000000021\t\n"
      "0,PROFILING_ENABLE,PLACE_HOLDER_SQE,0,2,1,1700000000000030\t,1700000000000031\t\n"
      "0,odd,SOMETHING_NEW,0,2,1,1700000000000040\t,1700000000000041\t\n"
      "0,N/A,EVENT_RECORD_SQE,2,3,1,1700000000000050\t,1700000000000051\t\n");
  EXPECT_EQ(trace.events.kind[0], trace::Kind::kMemcpy);
  EXPECT_EQ(trace.events.kind[1], trace::Kind::kEventWait);
  EXPECT_EQ(trace.events.kind[2], trace::Kind::kOverhead);
  EXPECT_EQ(trace.events.kind[3], trace::Kind::kAnnotation) << "what nobody knows is never busy";
  EXPECT_EQ(trace.events.kind[4], trace::Kind::kEventRecord);
}

TEST(AscendTable, ChunksOfAnySizeGiveTheSame) {
  const std::string text = table({"1,0,1,2,a,A,AI_CORE,1700000000000010,2,1",
                                  "1,0,1,2,\"b, c\",A,AI_CORE,1700000000000013,2,1"});
  for (const std::size_t chunk : {1, 5, 64}) {
    shared::ReadOptions options;
    options.chunk_bytes = chunk;
    const Result<trace::Trace> trace = try_read(text, options);
    ASSERT_TRUE(trace.ok());
    ASSERT_EQ(trace.value().events.size(), 2U);
    EXPECT_EQ(trace.value().text(trace.value().events.name[1]), "b, c");
  }
}

TEST(AscendTable, EveryCutIsReadUpToItsLastRow) {
  const std::string text = table({"1,0,1,2,a,A,AI_CORE,1700000000000010,2,1",
                                  "1,0,1,2,b,A,AI_CORE,1700000000000013.25,2.125,1"});
  const std::size_t second = text.find("1,0,1,2,b");
  for (std::size_t size = 0; size < text.size(); ++size) {
    const Result<trace::Trace> trace = try_read(text.substr(0, size));
    if (size < second - 2) {
      EXPECT_FALSE(trace.ok()) << size;
      continue;
    }
    ASSERT_TRUE(trace.ok()) << size;
    const bool is_cut = size > second && size < text.size() - 2;
    EXPECT_EQ(trace.value().diagnostics.count_of(kTruncatedTable), is_cut ? 1U : 0U) << size;
  }
}

TEST(AscendTable, SentencesSayWhatIsMissing) {
  EXPECT_THAT(error_of("Name,Accelerator Core,Stream ID,Start Time(us)\na,b,2,1\n"),
              HasSubstr("x.csv: has no column 'Duration(us)'"));
  EXPECT_THAT(error_of("Accelerator Core,Stream ID,Start Time(us),Duration(us)\na,2,1,1\n"),
              HasSubstr("has no column 'Name'"));
  EXPECT_THAT(error_of("Name,Stream ID,Accelerator Core,Duration(us)\na,2,1,1\n"),
              HasSubstr("has no column 'Start Time(us)'"));
  EXPECT_THAT(error_of(std::string(kHeader)), HasSubstr("is a table of kernels without a row"));
  EXPECT_THAT(error_of("a,b,c\n1,2,3\n"), HasSubstr("is not a table of kernels or tasks"));
  EXPECT_THAT(error_of("\n\n"), HasSubstr("is an empty table"));
}

TEST(AscendSums, AreRefusedWithWhatTheyAre) {
  EXPECT_THAT(refusal_of("Step,Computing,Communication(Not Overlapped),Overlapped\n1,2,3,4\n"),
              HasSubstr("is Ascend's step_trace_time.csv: sums, no timeline"));
  EXPECT_THAT(refusal_of("OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),Max "
                         "Time(us),Ratio(%)\n"),
              HasSubstr("op_statistic.csv"));
  EXPECT_THAT(
      refusal_of("Device_id,Level,API Name,Time(us),Count,Avg(us),Min(us),Max(us),Variance\n"),
      HasSubstr("api_statistic.csv"));
  EXPECT_THAT(
      refusal_of(
          R"json({"step": {"p2p": {}, "collective": {"a@g": {"0-1": {"Transport Type": "HCCS", "Transit Size(MB)": 1}}}}})json"),
      HasSubstr("is Ascend's communication_matrix.json: sums by pairs of ranks, no timeline"));
  EXPECT_EQ(
      ascend_text_format().sniff("Name,Size(KB),Allocation Time(us),Duration(us)\n", "x").verdict,
      shared::Sniff::Verdict::kNo);
  EXPECT_EQ(ascend_text_format().sniff("{\"traceEvents\":[]}", "x").verdict,
            shared::Sniff::Verdict::kNo);
}

TEST(AscendSums, InTheMetadataOfATraceTheyAreNoReasonToRefuseIt) {
  const std::string json =
      R"json({"schemaVersion": 1, "communication_matrix": {"step": {"p2p": {}, "collective": {"a@g": {"0-1": {"Transport Type": "HCCS", "Transit Size(MB)": 1}}}}}, "traceEvents": []})json";
  EXPECT_EQ(refusal_of(json), "");
  EXPECT_EQ(ascend_text_format().sniff(json, "x").verdict, shared::Sniff::Verdict::kNo);
}

TEST(AscendCommunication, AloneItIsCollectives) {
  const std::string json =
      R"json({"step": {"p2p": {"hcom_send__822_3_1@g1": {"Communication Time Info": {"Start Timestamp(us)": 1700000000000010.5, "Elapse Time(ms)": 0.9, "Wait Time(ms)": 0.1}}}, "collective": {}}})json";
  EXPECT_EQ(ascend_text_format().sniff(json, "x").verdict, shared::Sniff::Verdict::kYes);
  const trace::Trace trace = read(json);
  ASSERT_EQ(trace.collectives.size(), 1U);
  EXPECT_EQ(trace.events.duration[0].ps, 900'000'000);
  EXPECT_EQ(trace.text(trace.collectives[0].op), "send");
  EXPECT_EQ(trace.text(trace.collectives[0].group), "g1");
  EXPECT_EQ(trace.collectives[0].sequence, 3);
  EXPECT_EQ(trace.collectives[0].wait, Time{100'000'000});
  EXPECT_EQ(trace.text(trace.track_of(0).id.text), "g1");
  EXPECT_THAT(error_of(json.substr(0, 60)), HasSubstr("no operation in it can be read"));
}

}  // namespace
}  // namespace lockstep::formats::ascend_text
