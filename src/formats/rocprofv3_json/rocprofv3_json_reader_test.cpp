// Reading of rocprofv3's JSON: kernels, calls, markers, copies, order of keys, damage.
#include "formats/rocprofv3_json/rocprofv3_json_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/rocm/rocm_records.h"
#include "formats/rocprofv3_json/record_list.h"
#include "formats/shared/record_defects.h"

namespace lockstep::formats::rocprofv3_json {
namespace {

using testing::HasSubstr;

const std::string kMetadata =
    R"("metadata":{"node":{"hostname":"h1"},"pid":90,"command":["/usr/bin/python3","train.py"]})";
const std::string kAgents =
    R"("agents":[{"id":{"handle":7},"type":1,"logical_node_type_id":0,"name":"EPYC"},)"
    R"({"id":{"handle":9},"type":2,"logical_node_type_id":1,"name":"gfx950","product_name":"MI350X"}])";
const std::string kStrings =
    R"("strings":{"buffer_records":[{"kind":"NONE","operations":[]},)"
    R"({"kind":"HIP_RUNTIME_API","operations":["hipInit","hipLaunchKernel"]},)"
    R"({"kind":"MARKER_CORE_RANGE_API","operations":["roctxMarkA","roctxThreadRangeA"]},)"
    R"({"kind":"MEMORY_COPY","operations":["NONE","MEMORY_COPY_HOST_TO_DEVICE"]},)"
    R"({"kind":"MEMORY_ALLOCATION","operations":["NONE","MEMORY_ALLOCATION_ALLOCATE"]}],)"
    R"("marker_api":[{"key":3,"value":"forward"},{"key":4,"value":"here"}]})";
const std::string kSymbols =
    R"("kernel_symbols":[{"kernel_id":0,"kernel_name":""},{"kernel_id":5,"kernel_name":"_Z3addPf.kd"}])";
const std::string kKernel =
    R"({"size":184,"kind":11,"operation":2,"thread_id":91,"correlation_id":{"internal":2,"external":0},)"
    R"("start_timestamp":1003000,"end_timestamp":1004001,"dispatch_info":{"agent_id":{"handle":9},)"
    R"("queue_id":{"handle":16},"kernel_id":5,"dispatch_id":1,"private_segment_size":0,)"
    R"("group_segment_size":64,"workgroup_size":{"x":256,"y":1,"z":1},)"
    R"("grid_size":{"x":1024,"y":2,"z":1}},"stream_id":{"handle":3}})";
const std::string kCall = R"({"kind":1,"operation":1,"correlation_id":{"internal":2,"external":0},)"
                          R"("start_timestamp":1002000,"end_timestamp":1002500,"thread_id":91})";
const std::string kMarkers =
    R"({"kind":2,"operation":1,"correlation_id":{"internal":3},"start_timestamp":1001000,)"
    R"("end_timestamp":1009000,"thread_id":91},{"kind":2,"operation":0,"correlation_id":)"
    R"({"internal":4},"start_timestamp":1001500,"end_timestamp":1001500,"thread_id":91})";
const std::string kCopy =
    R"({"kind":3,"operation":1,"correlation_id":{"internal":0},"thread_id":91,)"
    R"("start_timestamp":1005000,"end_timestamp":1006000,"dst_agent_id":{"handle":9},)"
    R"("src_agent_id":{"handle":7},"bytes":4096,"stream_id":{"handle":3}})";
const std::string kAllocation =
    R"({"kind":4,"operation":1,"correlation_id":{"internal":6},"thread_id":92,)"
    R"("start_timestamp":1000500,"end_timestamp":1000600,"allocation_size":8192})";

std::string records() {
  return R"("buffer_records":{"kernel_dispatch":[)" + kKernel + R"(],"hip_api":[)" + kCall +
         R"(],"hsa_api":[],"marker_api":[)" + kMarkers + R"(],"memory_copy":[)" + kCopy +
         R"(],"memory_allocation":[)" + kAllocation + R"(],"pc_sample_host_trap":[{"a":1}]})";
}

std::string document(const std::vector<std::string>& parts) {
  std::string out = R"({"rocprofiler-sdk-tool":[{)";
  for (std::size_t i = 0; i < parts.size(); ++i) out += (i == 0 ? "" : ",") + parts[i];
  return out + "}]}";
}

std::string whole() {
  return document({kMetadata, kAgents, kStrings, kSymbols, R"("callback_records":{})", records()});
}

struct Reading {
  trace::Trace trace;
  Status status;
};

Reading read_json(const std::string& json, bool keep_arguments = false) {
  Reading reading;
  io::MemorySource bytes(json);
  shared::ReadOptions options;
  options.keep_arguments =
      keep_arguments ? trace::KeepArguments::kAll : trace::KeepArguments::kNone;
  reading.status = rocprofv3_json_format().read(bytes, "trace.json", options, reading.trace);
  return reading;
}

std::string described(const trace::Trace& trace) {
  std::string out;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    out += std::string(name_of(trace.events.kind[i])) + " " +
           std::string(trace.text(trace.events.name[i])) + " on " +
           std::string(trace.text(trace.track_of(i).id.text)) + " for " +
           std::to_string(floor_ns(trace.events.duration[i])) + "\n";
  }
  return out;
}

constexpr std::string_view kExpected =
    "kernel _Z3addPf on 3 for 1001\n"
    "runtime_call hipLaunchKernel on 91 for 500\n"
    "annotation forward on 91 for 8000\n"
    "annotation here on 91 for 0\n"
    "memcpy MEMORY_COPY_HOST_TO_DEVICE on 3 for 1000\n"
    "host_op MEMORY_ALLOCATION_ALLOCATE on 92 for 100\n";

TEST(Rocprofv3Json, RecordsBecomeEvents) {
  const Reading reading = read_json(whole());
  ASSERT_TRUE(reading.status.ok());
  const trace::Trace& trace = reading.trace;
  EXPECT_EQ(described(trace), kExpected);
  EXPECT_EQ(trace.ranks[0].format, "rocprofv3_json");
  EXPECT_EQ(trace.ranks[0].origin.ns, 1003000);
  EXPECT_EQ(trace.ranks[0].origin.clock, Clock::kBoot);
  EXPECT_EQ(trace.text(trace.devices[0].id), "1");
  EXPECT_EQ(trace.text(trace.devices[0].name), "MI350X");
  EXPECT_EQ(trace.text(trace.processes[0].id.text), "90");
  EXPECT_EQ(trace.text(trace.processes[0].name), "python3");
  EXPECT_EQ(trace.events.shape[3], trace::Shape::kInstant);
  EXPECT_TRUE(trace.diagnostics.entries().empty());
}

TEST(Rocprofv3Json, RecordsMayStandBeforeTheirNames) {
  const Reading reading = read_json(document({records(), kSymbols, kStrings, kAgents, kMetadata}));
  EXPECT_EQ(described(reading.trace), kExpected);
}

TEST(Rocprofv3Json, OneProcessMayStandWithoutAList) {
  std::string json = whole();
  json.erase(json.find('['), 1);
  json.erase(json.rfind(']'), 1);
  EXPECT_EQ(described(read_json(json).trace), kExpected);
}

TEST(Rocprofv3Json, SpaceBetweenTokensDoesNotMatter) {
  std::string spaced;
  for (const char c : whole()) {
    spaced += c;
    if (c == ',' || c == '{' || c == '[' || c == ':') spaced += "\n  ";
  }
  EXPECT_EQ(described(read_json(spaced).trace), kExpected);
}

TEST(Rocprofv3Json, CallsLaunchKernels) {
  const Reading reading = read_json(whole());
  ASSERT_EQ(reading.trace.flows.size(), 1U);
  EXPECT_EQ(trace::index_of(reading.trace.flows[0].from), 1U);
  EXPECT_EQ(trace::index_of(reading.trace.flows[0].to), 0U);
}

TEST(Rocprofv3Json, CorrelationsAreThoseOfAProcess) {
  std::string other = whole();
  other = other.substr(other.find('[') + 1);
  other = other.substr(0, other.rfind(']'));
  std::string second = other;
  second.replace(second.find("\"pid\":90"), 8, "\"pid\":95");
  const Reading reading = read_json(R"({"rocprofiler-sdk-tool":[)" + other + "," + second + "]}");
  const trace::Trace& trace = reading.trace;
  EXPECT_EQ(trace.ranks.size(), 1U);
  EXPECT_EQ(trace.processes.size(), 2U);
  EXPECT_EQ(trace.devices.size(), 1U);
  ASSERT_EQ(trace.flows.size(), 2U);
  for (const trace::Flow& flow : trace.flows) {
    EXPECT_EQ(trace.track_of(trace::index_of(flow.from)).process,
              trace.track_of(trace::index_of(flow.to)).process);
  }
}

TEST(Rocprofv3Json, ArgumentsAreThoseThatPeopleKnow) {
  const Reading reading = read_json(whole(), true);
  const trace::Trace& trace = reading.trace;
  std::string out;
  for (const std::uint32_t event : {0U, 4U, 5U}) {
    for (const trace::Argument& argument : trace.arguments.of(trace::EventId{event})) {
      out += std::string(trace.text(argument.key)) + "=" +
             (argument.type == trace::Argument::Type::kInteger
                  ? std::to_string(argument.as_integer())
                  : std::string(trace.text(argument.as_string()))) +
             " ";
    }
    out += "\n";
  }
  EXPECT_EQ(out,
            "device=1 stream=3 queue=16 grid=[4, 2, 1] block=[256, 1, 1] shared memory=64 private "
            "segment=0 dispatch=1 \nbytes=4096 device=1 stream=3 \nbytes=8192 \n");
}

TEST(Rocprofv3Json, QueuesAreStreamsWhereNoStreamsWereRecorded) {
  std::string json = whole();
  const std::string stream = R"(,"stream_id":{"handle":3})";
  json.erase(json.find(stream), stream.size());
  EXPECT_THAT(described(read_json(json).trace), HasSubstr("kernel _Z3addPf on 16 for 1001"));
}

TEST(Rocprofv3Json, CountersAloneGiveTheirKernels) {
  const std::string counters =
      R"("callback_records":{"counter_collection":[{"thread_id":91,"dispatch_data":)" + kKernel +
      R"(,"records":[],"stream_id":{"handle":3}}]})";
  const Reading reading = read_json(document(
      {kMetadata, kAgents, kSymbols, counters, R"("buffer_records":{"kernel_dispatch":[]})"}));
  EXPECT_EQ(described(reading.trace), "kernel _Z3addPf on 3 for 1001\n");
}

TEST(Rocprofv3Json, SaysWhatWasUsed) {
  const Reading reading = read_json(whole());
  std::string parts;
  for (const trace::SourcePart& part : reading.trace.ranks[0].parts) {
    parts += std::string(name_of(part.use)) + " " + part.name + " " + std::to_string(part.records) +
             " " + part.note + "\n";
  }
  EXPECT_EQ(parts,
            "used kernel_dispatch 1 kernels\nused hip_api 1 host calls\n"
            "used marker_api 2 markers of the user\nused memory_copy 1 copies\n"
            "used memory_allocation 1 allocations\nunused pc_sample_host_trap 1 \n");
}

TEST(Rocprofv3Json, BadRecordsAreCounted) {
  std::string json = whole();
  json.replace(json.find("1003000"), 7, "\"soon\" ");
  json.replace(json.find("1005000"), 7, "9005000");
  json.replace(json.find("\"operation\":1"), 13, "\"operation\":9");
  const Reading reading = read_json(json);
  ASSERT_TRUE(reading.status.ok());
  EXPECT_EQ(reading.trace.diagnostics.count_of(shared::kMissingTime), 1U);
  EXPECT_EQ(reading.trace.diagnostics.count_of(shared::kNegativeDuration), 1U);
  EXPECT_EQ(reading.trace.diagnostics.count_of(rocm::kDanglingId), 1U);
  EXPECT_THAT(described(reading.trace), HasSubstr("runtime_call operation 1.9"));
}

TEST(Rocprofv3Json, UnknownKernelsAndAgentsKeepTheirNumbers) {
  const Reading reading = read_json(document({kMetadata, records()}));
  ASSERT_TRUE(reading.status.ok());
  EXPECT_THAT(described(reading.trace), HasSubstr("kernel kernel 5 on 3"));
  EXPECT_EQ(reading.trace.text(reading.trace.devices[0].id), "agent 9");
  EXPECT_GE(reading.trace.diagnostics.count_of(rocm::kDanglingId), 2U);
}

// Every truncation is refused with a sentence or read with a word about it.
TEST(Rocprofv3Json, DocumentsCutAnywhereGiveTheirWholeRecords) {
  const std::string json = whole();
  std::size_t most = 0;
  for (std::size_t cut = 0; cut + 1 < json.size(); ++cut) {
    const Reading reading = read_json(json.substr(0, cut));
    if (!reading.status.ok()) {
      EXPECT_THAT(reading.status.error().text(), HasSubstr("rocprofv3")) << cut;
      EXPECT_TRUE(reading.trace.ranks.empty());
      continue;
    }
    EXPECT_EQ(reading.trace.diagnostics.count_of(rocprofv3_json::kTruncatedJson) +
                  reading.trace.diagnostics.count_of(rocprofv3_json::kDamagedStructure),
              1U)
        << cut;
    EXPECT_GE(reading.trace.events.size(), most);
    most = reading.trace.events.size();
  }
  EXPECT_EQ(most, 6U);
}

TEST(Rocprofv3Json, DamageBeforeTheRecordsDoesNotLoseThem) {
  std::string json = whole();
  json.replace(json.find("\"kernel_symbols\":"), 17, "\"kernel_symbols\";");
  const Reading reading = read_json(json);
  ASSERT_TRUE(reading.status.ok());
  EXPECT_EQ(reading.trace.events.size(), 6U);
  EXPECT_EQ(reading.trace.diagnostics.count_of(rocprofv3_json::kDamagedStructure), 1U);
}

TEST(Rocprofv3Json, MetadataThatIsNoJsonIsALoss) {
  std::string json = whole();
  json.replace(json.find("\"pid\":"), 6, "\"pid\",");
  const Reading reading = read_json(json);
  ASSERT_TRUE(reading.status.ok());
  EXPECT_EQ(reading.trace.events.size(), 6U);
  EXPECT_EQ(reading.trace.diagnostics.count_of(rocprofv3_json::kDamagedStructure), 1U);
}

TEST(Rocprofv3Json, TextBehindTheDocumentIsALoss) {
  EXPECT_TRUE(read_json(whole() + " \n").trace.diagnostics.entries().empty());
  const Reading reading = read_json(whole() + "}");
  ASSERT_TRUE(reading.status.ok());
  EXPECT_EQ(reading.trace.events.size(), 6U);
  EXPECT_EQ(reading.trace.diagnostics.count_of(rocprofv3_json::kDamagedStructure), 1U);
}

TEST(Rocprofv3Json, SaysWhyNothingCanBeRead) {
  EXPECT_THAT(read_json(document({kMetadata, R"("buffer_records":{"kernel_dispatch":[]})"}))
                  .status.error()
                  .text(),
              HasSubstr("is a file of rocprofv3 without kernels, copies and host calls. rocprofv3 "
                        "records them with --sys-trace"));
  EXPECT_THAT(read_json(whole().substr(0, 300)).status.error().text(),
              HasSubstr("is a file of rocprofv3 that is cut off before its first whole record"));
  EXPECT_THAT(read_json(R"({"rocprofiler-sdk-tool":[{"buffer_records":{"hip_api":[{,}]}}]})")
                  .status.error()
                  .text(),
              HasSubstr("is a damaged file of rocprofv3: none of its records can be read"));
}

TEST(Rocprofv3Json, RecordsWithoutATimeAreNotMissingRecords) {
  for (const std::string_view key : {"start_timestamp", "end_timestamp"}) {
    std::string json =
        document({kMetadata, R"("buffer_records":{"kernel_dispatch":[)" + kKernel + "]}"});
    json.replace(json.find(key), 5, "xxxxx");
    const Reading reading = read_json(json);
    if (reading.status.ok()) {
      EXPECT_TRUE(reading.trace.diagnostics.has_loss());
      continue;
    }
    EXPECT_THAT(reading.status.error().text(),
                HasSubstr("is a damaged file of rocprofv3: none of its records can be read"));
  }
  std::string json = whole();
  json.replace(json.rfind("buffer_records"), 14, "bufFer_records");
  EXPECT_THAT(read_json(json).status.error().text(),
              HasSubstr("is a file of rocprofv3 without its member buffer_records. It is damaged, "
                        "or rocprofv3 was ended before it wrote its records"));
}

// A damaged byte in the name of a list must not make host events of kernels and copies.
TEST(Rocprofv3Json, ListsAreReadByWhatTheyHoldWhereTheirNameIsNotKnown) {
  for (const std::string_view name : {"kernel_dispatch", "memory_copy"}) {
    std::string json = whole();
    const std::size_t at = json.find("\"" + std::string(name) + "\":");
    json[at + 3] = '#';
    const Reading reading = read_json(json);
    ASSERT_TRUE(reading.status.ok());
    EXPECT_EQ(described(reading.trace), kExpected);
    ASSERT_EQ(reading.trace.diagnostics.entries().size(), 1U);
    const Diagnostic& said = reading.trace.diagnostics.entries()[0];
    EXPECT_EQ(said.kind, &rocprofv3_json::kMisnamedList);
    EXPECT_EQ(said.example, json.substr(at + 1, name.size()));
    EXPECT_TRUE(reading.trace.diagnostics.has_loss());
  }
  std::string json = whole();
  json[json.find("\"hip_api\":") + 1] = 'z';
  const Reading host = read_json(json);
  EXPECT_EQ(described(host.trace), kExpected);
  EXPECT_EQ(host.trace.diagnostics.count_of(rocprofv3_json::kUnknownList), 1U);
  EXPECT_FALSE(host.trace.diagnostics.has_loss());
  const std::string counters = document({kMetadata, kAgents, kStrings, kSymbols,
                                         R"("callback_records":{"counter_collectiom":[)"
                                         R"({"dispatch_data":)" +
                                             kKernel + "}]}",
                                         R"("buffer_records":{"hip_api":[)" + kCall + "]}"});
  EXPECT_EQ(read_json(counters).trace.diagnostics.count_of(rocprofv3_json::kMisnamedList), 1U);
}

TEST(Rocprofv3Json, HalfARecordInsideAnotherIsDataLoss) {
  EXPECT_FALSE(read_json(whole()).trace.diagnostics.has_loss());
  std::string json = whole();
  const std::string_view before = R"("grid_size":{"x":1024)";
  json.insert(json.find(before), R"("correlation_id":{"internal":7},"start_timestamp":1003500,)");
  const Reading reading = read_json(json);
  ASSERT_TRUE(reading.status.ok());
  EXPECT_EQ(described(reading.trace), kExpected);
  EXPECT_EQ(reading.trace.diagnostics.count_of(rocprofv3_json::kDamagedStructure), 1U);
}

TEST(Rocprofv3Json, AProcessWithoutRecordsIsDataLoss) {
  std::string json = R"({"rocprofiler-sdk-tool":[{)" + kMetadata + "," + records() + "},{" +
                     kMetadata + "," + records() + "}]}";
  json.replace(json.rfind("buffer_records"), 14, "bufFer_records");
  const Reading reading = read_json(json);
  ASSERT_TRUE(reading.status.ok());
  EXPECT_EQ(reading.trace.diagnostics.count_of(rocprofv3_json::kMissingRecords), 1U);
}

TEST(Rocprofv3Json, EmptyListsThatNobodyKnowsAreNoTrouble) {
  std::string lists = R"("buffer_records":{"hip_api":[{"start_timestamp":5,"end_timestamp":6}])";
  for (int i = 0; i < 1'000; ++i) lists += ",\"l" + std::to_string(i) + "\":[]";
  const Reading reading = read_json(document({lists + "}"}));
  ASSERT_TRUE(reading.status.ok()) << reading.status.error().text();
  EXPECT_EQ(reading.trace.events.size(), 1U);
}

TEST(Rocprofv3Json, IsKnownByItsRoot) {
  const shared::Format format = rocprofv3_json_format();
  EXPECT_EQ(format.sniff(whole(), "").verdict, shared::Sniff::Verdict::kYes);
  EXPECT_EQ(format.sniff(" \n{ \"rocprofiler-sdk-tool\" : [", "").verdict,
            shared::Sniff::Verdict::kYes);
  EXPECT_EQ(format.sniff(R"({"traceEvents":[]})", "").verdict, shared::Sniff::Verdict::kNo);
  EXPECT_EQ(format.sniff(R"(["rocprofiler-sdk-tool"])", "").verdict, shared::Sniff::Verdict::kNo);
  EXPECT_EQ(format.sniff("", "").verdict, shared::Sniff::Verdict::kNo);
}

}  // namespace
}  // namespace lockstep::formats::rocprofv3_json
