// The dialects that tools write: Kineto of several years and vendors, JAX, Proton.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/chrome_json/reading_for_test.h"

namespace lockstep::formats::chrome_json {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ChromeJsonReaderDialects, KinetoOf2021IsRead) {
  const trace::Trace trace = read_every_way(R"json({
  "schemaVersion": 1,
  "computeProperties": [{"id": 0, "name": "Tesla V100"}],
  "traceEvents": [
  {"ph": "X", "cat": "Operator", "name": "aten::mm", "pid": 100, "tid": "101",
   "ts": 1621000000000100, "dur": 50, "args": {"Device": 100, "External id": 12}},
  {"ph": "X", "cat": "Runtime", "name": "cudaLaunchKernel", "pid": 100, "tid": "101",
   "ts": 1621000000000110, "dur": 9, "args": {"cbid": 211, "correlation": 900, "external id": 12}},
  {"ph": "X", "cat": "Kernel", "name": "volta_sgemm", "pid": 0, "tid": "stream 7",
   "ts": 1621000000000130, "dur": 20, "args": {"correlation": 900, "external id": 12}},
  {"ph": "X", "cat": "Memcpy", "name": "Memcpy HtoD (Pageable -> Device)", "pid": 0,
   "tid": "stream 7", "ts": 1621000000000160, "dur": 3, "args": {"bytes": 64}},
  {"ph": "X", "cat": "Memset", "name": "Memset (Device)", "pid": 0, "tid": "stream 7",
   "ts": 1621000000000170, "dur": 1},
  {"ph": "s", "cat": "async", "name": "launch", "id": 900, "pid": 100, "tid": "101",
   "ts": 1621000000000110},
  {"ph": "f", "cat": "async", "name": "launch", "id": 900, "pid": 0, "tid": "stream 7",
   "ts": 1621000000000130, "bp": "e"}
  ]
})json");
  EXPECT_THAT(brief(trace),
              ElementsAre("aten::mm host_op host 100/101 0+50000",
                          "cudaLaunchKernel runtime_call host 100/101 10000+9000",
                          "volta_sgemm kernel device 0/stream 7 30000+20000",
                          "Memcpy HtoD (Pageable -> Device) memcpy device 0/stream 7 60000+3000",
                          "Memset (Device) memset device 0/stream 7 70000+1000"));
  EXPECT_THAT(flows_of(trace), ElementsAre("launch cudaLaunchKernel -> volta_sgemm"));
  EXPECT_EQ(trace.text(trace.devices[0].name), "Tesla V100");
  EXPECT_EQ(trace.ranks[0].origin.ns, 1'621'000'000'000'100'000);
  EXPECT_EQ(trace.ranks[0].format, "kineto");
  EXPECT_THAT(findings(trace), IsEmpty());
}

TEST(ChromeJsonReaderDialects, KinetoWithOnDemandHeaderIsRead) {
  const trace::Trace trace = read_every_way(R"json({"schemaVersion":1,"traceEvents":[
  {"ph":"X","cat":"Trace","name":"PyTorch Profiler (0)","pid":"Spans","tid":"PyTorch Profiler",
   "ts":99.5,"dur":100},
  {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":100,"dur":1},
  {"ph":"X","cat":"cuda_sync","name":"Stream Sync","pid":0,"tid":1000007,"ts":101,"dur":1},
  {"ph":"i","s":"g","name":"Record Window End","pid":"","tid":"","ts":150}
  ],"distributedInfo":{"backend":"nccl","rank":5,"ranks":"[0,1,2,3,4,5,6,7]"},
  "displayTimeUnit":"ms","baseTimeNanoseconds":1727740800000000000,"traceName":"x"
})json");
  EXPECT_THAT(brief(trace),
              ElementsAre("PyTorch Profiler (0) annotation host Spans/PyTorch Profiler 0+100000",
                          "k kernel device 0/7 500+1000",
                          "Stream Sync synchronize device 0/1000007 1500+1000",
                          "Record Window End annotation host / 50500"));
  EXPECT_EQ(trace.ranks[0].number, 5);
  EXPECT_EQ(trace.ranks[0].origin.ns, 1'727'740'800'000'099'500);
}

TEST(ChromeJsonReaderDialects, StreamZeroOfAnAmdDeviceIsAStream) {
  const trace::Trace trace = read_every_way(document(
      {R"({"ph":"X","cat":"cuda_runtime","name":"hipLaunchKernel","pid":90,"tid":91,"ts":10,"dur":4,)"
       R"("args":{"cid":211,"correlation":55,"kernel":"Cijk","grid":[1,1,1]}})",
       R"({"ph":"X","cat":"kernel","name":"Cijk_Alik_Bljk_MT256x192x64","pid":2,"tid":0,"ts":20,)"
       R"("dur":8,"args":{"device":2,"stream":0,"correlation":55,"kind":"Dispatch Kernel"}})",
       R"({"ph":"f","cat":"ac2g","name":"ac2g","id":77,"pid":90,"tid":91,"ts":10,"bp":"e"})"}));
  EXPECT_THAT(brief(trace),
              ElementsAre("hipLaunchKernel runtime_call host 90/91 0+4000",
                          "Cijk_Alik_Bljk_MT256x192x64 kernel device 2/0 10000+8000"));
  EXPECT_THAT(flows_of(trace),
              ElementsAre("launch hipLaunchKernel -> Cijk_Alik_Bljk_MT256x192x64"));
  EXPECT_THAT(findings(trace), ElementsAre("unmatched_flow x1"));
}

TEST(ChromeJsonReaderDialects, MtiaWorkIsDeviceWork) {
  const trace::Trace trace = read_every_way(document(
      {R"({"ph":"X","cat":"mtia_runtime","name":"launch","pid":90,"tid":91,"ts":10,"dur":4})",
       R"({"ph":"X","cat":"mtia_ccp_events","name":"fc","pid":0,"tid":3,"ts":20,"dur":8})",
       R"({"ph":"X","cat":"mtia_insight","name":"insight","pid":0,"tid":3,"ts":20,"dur":8})",
       R"({"ph":"C","cat":"mtia_counters","name":"sram","pid":0,"tid":3,"ts":20,"args":{"v":1}})"}));
  EXPECT_THAT(
      brief(trace),
      ElementsAre("launch runtime_call host 90/91 0+4000", "fc kernel device 0/3 10000+8000",
                  "insight annotation device 0/3 10000+8000", "sram counter host 0/3 10000="));
}

TEST(ChromeJsonReaderDialects, XpuCallsLaunchXpuKernels) {
  const trace::Trace trace = read_every_way(document(
      {R"({"ph":"X","cat":"xpu_runtime","name":"urEnqueueKernelLaunch","pid":90,"tid":91,"ts":10,)"
       R"("dur":4,"args":{"correlation":3}})",
       R"({"ph":"X","cat":"kernel","name":"gemm_kernel","pid":0,"tid":1,"ts":20,"dur":8,)"
       R"("args":{"correlation":3}})",
       R"({"ph":"X","cat":"xpu_driver","name":"zeCommandListAppend","pid":90,"tid":91,"ts":30,"dur":1})",
       R"({"ph":"X","cat":"xpu_sync","name":"wait","pid":0,"tid":1,"ts":31,"dur":1})"}));
  EXPECT_THAT(brief(trace), ElementsAre("urEnqueueKernelLaunch runtime_call host 90/91 0+4000",
                                        "gemm_kernel kernel device 0/1 10000+8000",
                                        "zeCommandListAppend runtime_call host 90/91 20000+1000",
                                        "wait synchronize device 0/1 21000+1000"));
  EXPECT_THAT(flows_of(trace), ElementsAre("launch urEnqueueKernelLaunch -> gemm_kernel"));
}

std::string lane_name(std::string_view what, int pid, int tid, std::string_view name) {
  return R"({"ph":"M","name":")" + std::string(what) + R"(","pid":)" + std::to_string(pid) +
         ",\"tid\":" + std::to_string(tid) + R"(,"args":{"name":")" + std::string(name) + "\"}}";
}

std::string jax_span(std::string_view name, int pid, int tid, int ts, int dur,
                     std::string_view args = "{}") {
  return R"({"ph":"X","name":")" + std::string(name) + R"(","pid":)" + std::to_string(pid) +
         ",\"tid\":" + std::to_string(tid) + ",\"ts\":" + std::to_string(ts) +
         ",\"dur\":" + std::to_string(dur) + ",\"args\":" + std::string(args) + "}";
}

std::string jax_document(const std::vector<std::string>& events) {
  std::string json = R"({"displayTimeUnit":"ns","metadata":{"highres-ticks":true},"traceEvents":[)";
  for (const std::string& event : events) json += event + ",";
  return json + "{}]}";
}

TEST(ChromeJsonReaderDialects, JaxStreamsAreDeviceWorkAndDerivedLanesAreNot) {
  const trace::Trace trace = read_every_way(jax_document(
      {lane_name("process_name", 2, 0, "/device:GPU:0"),
       lane_name("process_name", 701, 0, "/host:CPU"),
       lane_name("thread_name", 2, 10, "Stream #16(Kernel)"),
       lane_name("thread_name", 2, 11, "XLA Modules"), lane_name("thread_name", 2, 12, "Steps"),
       lane_name("thread_name", 701, 5, "python"),
       jax_span("fusion", 2, 10, 100, 5, R"({"correlation_id":"9","hlo_op":"fusion"})"),
       jax_span("MemcpyH2D", 2, 10, 106, 2), jax_span("all-reduce.1", 2, 10, 109, 3),
       jax_span("ncclDevKernel_AllGather", 2, 10, 113, 3), jax_span("jit_f", 2, 11, 100, 20),
       jax_span("4", 2, 12, 100, 20), jax_span("PjitFunction(f)", 701, 5, 90, 40),
       jax_span("train", 701, 5, 80, 60, R"({"step_num":"7","group_id":"1"})")}));
  EXPECT_THAT(
      brief(trace),
      ElementsAre("fusion kernel device 2/10 0+5000", "MemcpyH2D memcpy device 2/10 6000+2000",
                  "all-reduce.1 communication device 2/10 9000+3000",
                  "ncclDevKernel_AllGather communication device 2/10 13000+3000",
                  "jit_f annotation device 2/11 0+20000", "4 annotation device 2/12 0+20000",
                  "PjitFunction(f) host_op host 701/5 -10000+40000",
                  "train host_op host 701/5 -20000+60000"));
  EXPECT_THAT(steps_of(trace), ElementsAre("train#7 -20000..40000"));
  EXPECT_EQ(trace.ranks[0].format, "chrome");
  EXPECT_EQ(trace.ranks[0].origin.clock, Clock::kSession);
  ASSERT_EQ(trace.devices.size(), 1U);
  EXPECT_EQ(trace.text(trace.devices[0].name), "/device:GPU:0");
  EXPECT_THAT(findings(trace), ElementsAre(testing::StartsWith("empty_event x1 @")));
}

TEST(ChromeJsonReaderDialects, StepsByArgumentAreFoundInWhatOurWriterMakesOfThem) {
  const trace::Trace trace = read_every_way(R"json({"traceEvents":[
  {"ph":"X","cat":"user_annotation","name":"train","pid":7,"tid":7,"ts":10,"dur":5,"args":{"_r":1,"step_num":3}},
  {"ph":"X","cat":"gpu_user_annotation","name":"train","pid":0,"tid":7,"ts":11,"dur":5,"args":{"step_num":3}},
  {"ph":"X","cat":"cpu_op","name":"train","pid":7,"tid":7,"ts":12,"dur":1,"args":{"step_num":3}}
  ]})json");
  EXPECT_THAT(steps_of(trace), ElementsAre("train#3 0..5000"));
}

TEST(ChromeJsonReaderDialects, OnATpuTheLeavesOfTheOpLaneAreTheWork) {
  const trace::Trace trace = read_every_way(jax_document(
      {jax_span("while", 3, 7, 100, 50), jax_span("fusion.1", 3, 7, 100, 20),
       jax_span("fusion.2", 3, 7, 120, 30), jax_span("after", 3, 7, 150, 5),
       jax_span("step", 3, 8, 100, 60), lane_name("process_name", 3, 0, "/device:TPU:0"),
       lane_name("thread_name", 3, 7, "XLA Ops"), lane_name("thread_name", 3, 8, "XLA Modules")}));
  EXPECT_THAT(
      brief(trace),
      ElementsAre("while annotation device 3/7 0+50000", "fusion.1 kernel device 3/7 0+20000",
                  "fusion.2 kernel device 3/7 20000+30000", "after kernel device 3/7 50000+5000",
                  "step annotation device 3/8 0+60000"));
}

TEST(ChromeJsonReaderDialects, OnATpuAnOperationAroundOneThatIsNotTheNextIsNoWorkEither) {
  const trace::Trace trace = read_every_way(jax_document(
      {jax_span("outer", 3, 7, 100, 10), jax_span("crossing", 3, 7, 105, 10),
       jax_span("inner", 3, 7, 106, 2), lane_name("process_name", 3, 0, "/device:TPU:0"),
       lane_name("thread_name", 3, 7, "XLA Ops")}));
  EXPECT_THAT(brief(trace), ElementsAre("outer annotation device 3/7 0+10000",
                                        "crossing annotation device 3/7 5000+10000",
                                        "inner kernel device 3/7 6000+2000"));
}

TEST(ChromeJsonReaderDialects, ProtonKernelTimelinesAreRead) {
  const trace::Trace trace = read_every_way(R"json({"displayTimeUnit":"ns","traceEvents":[
  {"name":"gemm","cat":"kernel","ph":"X","pid":"0","tid":"GPU Stream 0","ts":10.5,"dur":2.25,
   "args":{"call_stack":["ROOT","gemm"],"metrics":{"flops":1}}},
  {"name":"step","cat":"scope","ph":"X","pid":"0","tid":"CPU Thread 0","ts":8,"dur":9},
  {"name":"metric","cat":"metric","ph":"X","pid":"0","tid":"GPU Stream 0","ts":10,"dur":1},
  {"name":"launch->kernel","cat":"flow","ph":"s","id":1,"pid":"0","tid":"CPU Thread 0","ts":8.5,"bp":"e"},
  {"name":"launch->kernel","cat":"flow","ph":"f","id":1,"pid":"0","tid":"GPU Stream 0","ts":10.5,"bp":"e"}
  ]})json");
  EXPECT_THAT(brief(trace), ElementsAre("gemm kernel device 0/GPU Stream 0 0+2250",
                                        "step annotation host 0/CPU Thread 0 -2500+9000",
                                        "metric annotation device 0/GPU Stream 0 -500+1000"));
  EXPECT_THAT(flows_of(trace), ElementsAre("launch step -> gemm"));
  EXPECT_EQ(trace.ranks[0].format, "chrome");
}

TEST(ChromeJsonReaderDialects, TimelinesInsideAKernelHoldNoKernels) {
  const trace::Trace trace = read_every_way(R"json({"displayTimeUnit":"ns","traceEvents":[
  {"name":"load","cat":"my_kernel","ph":"X","pid":"my_kernel Core0 CTA0","tid":"warp 0 (line 1)",
   "ts":0.5,"dur":1},
  {"name":"compute","cat":"my_kernel","ph":"X","pid":"my_kernel Core0 CTA0","tid":"warp 4 (line 1)",
   "ts":1.5,"dur":3}]
})json");
  EXPECT_THAT(
      brief(trace),
      ElementsAre("load annotation device my_kernel Core0 CTA0/warp 0 (line 1) 0+1000",
                  "compute annotation device my_kernel Core0 CTA0/warp 4 (line 1) 1000+3000"));
  EXPECT_THAT(findings(trace), ElementsAre("in_kernel_timeline x2"));
}

TEST(ChromeJsonReaderDialects, AscendStringTimesInABareListAreRead) {
  const trace::Trace trace = read_every_way(
      R"([{"ph":"X","name":"MatMul","pid":17,"tid":3,"ts":"1718000000000123.456","dur":"12.500"},)"
      R"({"ph":"X","name":"Add","pid":17,"tid":3,"ts":"1718000000000140.000","dur":"0.020"}])");
  EXPECT_THAT(brief(trace),
              ElementsAre("MatMul host_op host 17/3 0+12500", "Add host_op host 17/3 16544+20"));
  EXPECT_EQ(trace.ranks[0].origin.ns, 1'718'000'000'000'123'456);
  EXPECT_EQ(trace.ranks[0].origin.clock, Clock::kEpoch);
}

std::string with_properties(std::string_view properties) {
  return R"({"schemaVersion":1,"deviceProperties":)" + std::string(properties) +
         R"(,"traceEvents":[{"ph":"X","cat":"kernel","name":"k","pid":9,"tid":7,"ts":1,"dur":1}]})";
}

TEST(DeviceNames, OneEntryNamesTheDeviceWhateverItsNumber) {
  const auto name_with = [](std::string_view properties) {
    const trace::Trace trace = read_every_way(with_properties(properties));
    return std::string(trace.text(trace.devices.at(0).name));
  };
  EXPECT_EQ(name_with(R"([{"id":0,"name":"MI300X"}])"), "MI300X");
  EXPECT_EQ(name_with(R"([{"id":0,"name":"MI300X"},{"id":1,"name":"MI300X"}])"), "MI300X");
  EXPECT_EQ(name_with(R"([{"id":0,"name":"A"},{"id":1,"name":"B"}])"), "");
  EXPECT_EQ(name_with(R"([{"id":0,"name":"A"},{"id":9,"name":"B"}])"), "B");
  // A device whose entry has no name has none.
  EXPECT_EQ(name_with(R"([{"id":0,"name":"A"},{"id":9,"name":""}])"), "");
  EXPECT_EQ(name_with("[]"), "");
}

}  // namespace
}  // namespace lockstep::formats::chrome_json
