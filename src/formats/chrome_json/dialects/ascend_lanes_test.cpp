// Ascend's timelines: lanes, kinds, launches, collectives.
#include <algorithm>

#include "formats/ascend/ascend_names.h"
#include "formats/chrome_json/defects.h"
#include "formats/chrome_json/reading_for_test.h"

namespace lockstep::formats::chrome_json {
namespace {

// A process 4711 on device 1: pids are (4711 << 10) | (order << 5) | 1.
constexpr std::string_view kNames = R"([
{"ph":"M","name":"process_name","pid":4711,"tid":0,"args":{"name":"Python"}},
{"ph":"M","name":"process_labels","pid":4711,"tid":0,"args":{"labels":"CPU"}},
{"name":"process_name","pid":4824481,"tid":0,"args":{"name":"Ascend Hardware"},"ph":"M"},
{"name":"process_labels","pid":4824481,"tid":0,"args":{"labels":"NPU"},"ph":"M"},
{"name":"thread_name","pid":4824481,"tid":2,"args":{"name":"Stream 2"},"ph":"M"},
{"name":"process_name","pid":4824513,"tid":0,"args":{"name":"HCCL"},"ph":"M"},
{"name":"thread_name","pid":4824513,"tid":0,"args":{"name":"Group 0 Communication"},"ph":"M"},
{"name":"thread_name","pid":4824513,"tid":1,"args":{"name":"Plane 0"},"ph":"M"},
{"name":"process_name","pid":4824545,"tid":0,"args":{"name":"CANN"},"ph":"M"},
{"name":"process_name","pid":4824577,"tid":0,"args":{"name":"Overlap Analysis"},"ph":"M"},
{"name":"process_labels","pid":4824577,"tid":0,"args":{"labels":"NPU"},"ph":"M"},
{"name":"thread_name","pid":4824577,"tid":0,"args":{"name":"Computing"},"ph":"M"})";

constexpr std::string_view kHost = R"(,
{"ph":"X","name":"ProfilerStep#3","pid":4711,"tid":4712,"ts":"1700000000000000.000","dur":900,"cat":"cpu_op","args":{}},
{"ph":"X","name":"Dequeue@aclnnAdd","pid":4711,"tid":4713,"ts":"1700000000000010.000","dur":20,"cat":"dequeue","args":{"correlation_id":7}},
{"name":"AscendCL@aclnnAdd","pid":4824545,"tid":4713,"ts":"1700000000000011.000","dur":5,"args":{"Thread Id":4713,"level":"acl","connection_id":71},"ph":"X"},
{"name":"AscendCL@aclrtSynchronizeStream","pid":4824545,"tid":4712,"ts":"1700000000000020.000","dur":5,"args":{"connection_id":72},"ph":"X"},
{"name":"Hccl@Launch","pid":4824545,"tid":4713,"ts":"1700000000000017.000","dur":2,"args":{"connection_id":73},"ph":"X"})";

constexpr std::string_view kDevice = R"(,
{"name":"Add","pid":4824481,"tid":2,"ts":"1700000000000030.001","dur":10.00003125,"args":{"Task Type":"AI_CORE","connection_id":71},"ph":"X"},
{"name":"MEMCPY_ASYNC","pid":4824481,"tid":2,"ts":"1700000000000041.000","dur":1,"args":{"Task Type":"SDMA_SQE","connection_id":74},"ph":"X"},
{"name":"SDMA","pid":4824481,"tid":4,"ts":"1700000000000050.000","dur":1,"args":{"Task Type":"SDMA","connection_id":73},"ph":"X"},
{"name":"EVENT_RECORD","pid":4824481,"tid":2,"ts":"1700000000000051.000","dur":0,"args":{"Task Type":"PLACE_HOLDER_SQE","connection_id":75},"ph":"X"},
{"name":"PROFILING_ENABLE","pid":4824481,"tid":2,"ts":"1700000000000052.000","dur":0,"args":{"Task Type":"PLACE_HOLDER_SQE","connection_id":76},"ph":"X"},
{"name":"Cast","pid":4824481,"tid":2,"ts":"1700000000000053.000","dur":1,"args":{"Task Type":"AI_CPU","connection_id":77},"ph":"X"},
{"name":"hcom_allReduce__586_0_1","pid":4824513,"tid":0,"ts":"1700000000000050.000","dur":40,"args":{"connection_id":73,"data_type":"FP32","alg_type":"MESH","count":4097000},"ph":"X"},
{"name":"Reduce_Inline","pid":4824513,"tid":1,"ts":"1700000000000050.000","dur":2,"args":{"notify_id":"0","data type":"INT32"},"ph":"X"},
{"name":"Computing","pid":4824577,"tid":0,"ts":"1700000000000030.001","dur":10,"ph":"X"})";

std::string trace_view() { return std::string(kNames).append(kHost).append(kDevice) + "]"; }

std::size_t row_named(const trace::Trace& trace, std::string_view name) {
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    if (trace.text(trace.events.name[i]) == name) return i;
  }
  ADD_FAILURE() << name;
  return 0;
}

trace::Kind kind_named(const trace::Trace& trace, std::string_view name) {
  return trace.events.kind[row_named(trace, name)];
}

TEST(AscendLanes, KindsComeFromLanesAndTaskTypes) {
  const trace::Trace trace = read_every_way(trace_view());
  EXPECT_EQ(trace.ranks[0].format, "ascend_trace");
  EXPECT_EQ(trace.ranks[0].origin.clock, Clock::kEpoch);
  EXPECT_EQ(kind_named(trace, "Add"), trace::Kind::kKernel);
  EXPECT_EQ(kind_named(trace, "MEMCPY_ASYNC"), trace::Kind::kMemcpy);
  EXPECT_EQ(kind_named(trace, "SDMA"), trace::Kind::kAnnotation);
  EXPECT_EQ(kind_named(trace, "EVENT_RECORD"), trace::Kind::kEventRecord);
  EXPECT_EQ(kind_named(trace, "PROFILING_ENABLE"), trace::Kind::kOverhead);
  EXPECT_EQ(kind_named(trace, "Cast"), trace::Kind::kAiCpu);
  EXPECT_EQ(kind_named(trace, "hcom_allReduce__586_0_1"), trace::Kind::kCommunication);
  EXPECT_EQ(kind_named(trace, "Reduce_Inline"), trace::Kind::kAnnotation);
  EXPECT_EQ(kind_named(trace, "Computing"), trace::Kind::kDuplicate);
  EXPECT_EQ(kind_named(trace, "AscendCL@aclnnAdd"), trace::Kind::kRuntimeCall);
  EXPECT_EQ(kind_named(trace, "AscendCL@aclrtSynchronizeStream"), trace::Kind::kSynchronize);
  EXPECT_EQ(kind_named(trace, "Dequeue@aclnnAdd"), trace::Kind::kHostOp);
}

// An export of 2023: ids are decimals in a row, process, order, device.
constexpr std::string_view kDecimal = R"([
{"ph":"M","name":"process_name","pid":437675,"tid":0,"args":{"name":"Python"}},
{"name":"process_name","pid":803,"tid":0,"args":{"name":"Ascend Hardware"},"ph":"M"},
{"name":"process_name","pid":43767502,"tid":0,"args":{"name":"CANN"},"ph":"M"},
{"name":"process_name","pid":4376751103,"tid":0,"args":{"name":"Overlap Analysis"},"ph":"M"},
{"ph":"X","name":"aten::add","pid":437675,"tid":7,"ts":"1700000000000000.000","dur":9,"cat":"cpu_op","args":{}},
{"name":"AscendCL@aclnnAdd","pid":43767502,"tid":7,"ts":"1700000000000001.000","dur":5,"args":{"connection_id":71},"ph":"X"},
{"name":"Conv2D1","pid":803,"tid":2,"ts":"1700000000000030.000","dur":10,"args":{"Task Type":"Other","connection_id":71},"ph":"X"},
{"name":"MEMCPY_ASYNC","pid":803,"tid":2,"ts":"1700000000000041.000","dur":1,"args":{"Task Type":"Other"},"ph":"X"},
{"name":"Computing","pid":4376751103,"tid":0,"ts":"1700000000000030.000","dur":10,"ph":"X"}])";

TEST(AscendLanes, ATypeThatSaysNothingLeavesItToTheName) {
  const trace::Trace trace = read_every_way(kDecimal);
  EXPECT_EQ(kind_named(trace, "Conv2D1"), trace::Kind::kKernel);
  EXPECT_EQ(kind_named(trace, "MEMCPY_ASYNC"), trace::Kind::kMemcpy);
}

TEST(AscendLanes, DecimalIdsNameProcessAndDevice) {
  const trace::Trace trace = read_every_way(kDecimal);
  ASSERT_EQ(trace.devices.size(), 1U);
  EXPECT_EQ(trace.text(trace.devices[0].id), "3");
  EXPECT_EQ(trace.events.track[row_named(trace, "AscendCL@aclnnAdd")],
            trace.events.track[row_named(trace, "aten::add")]);
}

TEST(AscendLanes, DerivedLanesAreNoStreamsOfTheDevice) {
  for (const std::string& text : {std::string(kDecimal), trace_view()}) {
    const trace::Trace trace = read_every_way(text);
    const trace::Track& lane = trace.track_of(row_named(trace, "Computing"));
    EXPECT_EQ(lane.side, trace::Track::Side::kHost);
    EXPECT_EQ(trace.text(trace.processes[index_of(lane.process)].name), "Overlap Analysis");
  }
}

TEST(AscendLanes, DerivedLanesMakeNoDevice) {
  std::string other(kDecimal);
  for (std::size_t at = 0; (at = other.find("4376751103", at)) != std::string::npos;) {
    other.replace(at, 10, "4376751105");  // a device that has no lane of its own
  }
  const trace::Trace trace = read_every_way(other);
  ASSERT_EQ(trace.devices.size(), 1U);
  EXPECT_EQ(trace.text(trace.devices[0].id), "3");
  EXPECT_EQ(kind_named(trace, "Computing"), trace::Kind::kDuplicate);
}

TEST(AscendLanes, ATimelineWithoutHardwareHasNoDevice) {
  const std::string json = R"([
{"ph":"M","name":"process_name","pid":4711,"tid":0,"args":{"name":"Python"}},
{"name":"process_name","pid":4824577,"tid":0,"args":{"name":"Overlap Analysis"},"ph":"M"},
{"ph":"X","name":"aten::add","pid":4711,"tid":7,"ts":"1700000000000000.000","dur":9,"cat":"cpu_op","args":{}},
{"name":"Free","pid":4824577,"tid":3,"ts":"1700000000000030.000","dur":10,"ph":"X"}])";
  const trace::Trace trace = read_every_way(json);
  EXPECT_TRUE(trace.devices.empty());
  EXPECT_EQ(trace.diagnostics.count_of(kNoHardwareLanes), 1U);
  EXPECT_EQ(read_every_way(trace_view()).diagnostics.count_of(kNoHardwareLanes), 0U);
}

TEST(AscendLanes, LanesGoToTheirDeviceAndProcess) {
  const trace::Trace trace = read_every_way(trace_view());
  ASSERT_EQ(trace.devices.size(), 1U);
  EXPECT_EQ(trace.text(trace.devices[0].id), "1");
  ASSERT_EQ(trace.processes.size(), 2U);
  EXPECT_EQ(trace.text(trace.processes[0].id.text), "4711");
  EXPECT_EQ(trace.text(trace.processes[1].name), "Overlap Analysis");
  const trace::Track& stream = trace.track_of(row_named(trace, "Add"));
  EXPECT_EQ(stream.side, trace::Track::Side::kDevice);
  EXPECT_EQ(trace.text(stream.id.text), "2");
  const trace::Track& group = trace.track_of(row_named(trace, "hcom_allReduce__586_0_1"));
  EXPECT_EQ(trace.text(group.id.text), "Group 0 Communication");
  const trace::Track& plane = trace.track_of(row_named(trace, "Reduce_Inline"));
  EXPECT_EQ(trace.text(plane.id.text), "Group 0 Plane 0");
  // Calls are on the thread that made them.
  EXPECT_EQ(trace.events.track[row_named(trace, "AscendCL@aclnnAdd")],
            trace.events.track[row_named(trace, "Dequeue@aclnnAdd")]);
}

TEST(AscendLanes, ConnectionsAreLaunches) {
  const trace::Trace trace = read_every_way(trace_view());
  const auto launches = [&](std::string_view call, std::string_view work) {
    return std::ranges::count_if(trace.flows, [&](const trace::Flow& flow) {
      return flow.kind == trace::Flow::Kind::kLaunch &&
             index_of(flow.from) == row_named(trace, call) &&
             index_of(flow.to) == row_named(trace, work);
    });
  };
  EXPECT_EQ(launches("AscendCL@aclnnAdd", "Add"), 1);
  EXPECT_EQ(launches("Hccl@Launch", "hcom_allReduce__586_0_1"), 1);
  EXPECT_EQ(launches("Hccl@Launch", "SDMA"), 0);
  EXPECT_EQ(trace.flows.size(), 2U);
}

TEST(AscendLanes, ArrowsWithHugeIdsReachTheDeviceWithoutCannLanes) {
  std::string json(kNames);
  json += R"(,
{"ph":"X","name":"aten::add","pid":4711,"tid":4712,"ts":"1700000000000001.000","dur":5,"cat":"cpu_op","args":{}},
{"name":"Add","pid":4824481,"tid":2,"ts":"1700000000000030.001","dur":10,"args":{"Task Type":"AI_CORE","connection_id":71},"ph":"X"},
{"name":"HostToDevice40004068119343529983","ph":"s","cat":"HostToDevice","id":"40004068119343529983","pid":4824545,"tid":4713,"ts":"1700000000000002.000"},
{"name":"HostToDevice40004068119343529983","ph":"f","cat":"HostToDevice","id":"40004068119343529983","pid":4824481,"tid":2,"ts":"1700000000000030.001","bp":"e"},
{"ph":"s","bp":"e","name":"torch_to_npu","id":1700000000000030001,"pid":4711,"tid":4712,"ts":"1700000000000001.000","cat":"async_npu"},
{"ph":"f","bp":"e","name":"torch_to_npu","id":1700000000000030001,"pid":4824481,"tid":2,"ts":"1700000000000030.001","cat":"async_npu"}])";
  const trace::Trace trace = read_every_way(json);
  ASSERT_EQ(trace.flows.size(), 1U);
  EXPECT_EQ(index_of(trace.flows[0].from), row_named(trace, "aten::add"));
  EXPECT_EQ(index_of(trace.flows[0].to), row_named(trace, "Add"));
  EXPECT_EQ(trace.flows[0].kind, trace::Flow::Kind::kLaunch);
}

TEST(AscendLanes, CollectivesCarryWhatTheirArgumentsSay) {
  const trace::Trace trace = read_every_way(trace_view());
  ASSERT_EQ(trace.collectives.size(), 1U);
  EXPECT_EQ(trace.text(trace.collectives[0].op), "all_reduce");
  EXPECT_EQ(trace.text(trace.collectives[0].dtype), "Float");
  EXPECT_EQ(trace.collectives[0].elements_in, 4097000);
  EXPECT_EQ(trace.collectives[0].bytes, 4 * 4097000);
  EXPECT_EQ(trace.collectives[0].sequence, 0);
}

TEST(AscendLanes, StepsAreMarkedByOperators) {
  const trace::Trace trace = read_every_way(trace_view());
  ASSERT_EQ(trace.steps.size(), 1U);
  EXPECT_EQ(trace.text(trace.steps[0].name), "ProfilerStep#3");
  EXPECT_EQ(kind_named(trace, "ProfilerStep#3"), trace::Kind::kAnnotation);
}

TEST(AscendLanes, UnclosedListIsReadUpToItsEnd) {
  const trace::Trace trace =
      read_every_way(std::string(kNames).append(kHost).append(kDevice) + ",");
  EXPECT_EQ(trace.ranks[0].format, "ascend_trace");
  EXPECT_EQ(trace.events.size(), 14U);
  EXPECT_TRUE(trace.diagnostics.has_loss());
}

TEST(AscendLanes, SecondRecordOfACollectiveIsADuplicate) {
  std::string json = std::string(kNames).append(kHost).append(kDevice);
  json += R"(,
{"name":"hcom_allReduce_AivKernel","pid":4824481,"tid":5,"ts":"1700000000000050.000","dur":40,"args":{"Task Type":"AI_VECTOR_CORE","connection_id":73},"ph":"X"},
{"name":"allgather_AicpuKernel_1","pid":4824481,"tid":5,"ts":"1700000000000200.000","dur":40,"args":{"Task Type":"AI_CPU","connection_id":79},"ph":"X"}])";
  const trace::Trace trace = read_every_way(json);
  EXPECT_EQ(kind_named(trace, "hcom_allReduce_AivKernel"), trace::Kind::kDuplicate);
  // Nothing else tells of this one.
  EXPECT_EQ(kind_named(trace, "allgather_AicpuKernel_1"), trace::Kind::kCommunication);
  EXPECT_EQ(trace.collectives.size(), 2U);
  EXPECT_EQ(trace.diagnostics.count_of(ascend::kDuplicateCollective), 1U);
}

}  // namespace
}  // namespace lockstep::formats::chrome_json
