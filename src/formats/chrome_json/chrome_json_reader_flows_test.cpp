// Arrows between events: by correlation number, by flow events, in old and new dialects.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/chrome_json/defects.h"
#include "formats/chrome_json/reading_for_test.h"
#include "trace/flow_binder.h"

namespace lockstep::formats::chrome_json {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string span(std::string_view cat, std::string_view name, std::string_view lane, int ts,
                 int dur, std::string_view args = "{}") {
  return R"({"ph":"X","cat":")" + std::string(cat) + R"(","name":")" + std::string(name) + "\"," +
         std::string(lane) + ",\"ts\":" + std::to_string(ts) + ",\"dur\":" + std::to_string(dur) +
         ",\"args\":" + std::string(args) + "}";
}

std::string flow(std::string_view phase, std::string_view cat, std::string_view id,
                 std::string_view lane, int ts, std::string_view rest = {}) {
  return R"({"ph":")" + std::string(phase) + R"(","cat":")" + std::string(cat) +
         R"(","name":"arrow","id":)" + std::string(id) + "," + std::string(lane) +
         ",\"ts\":" + std::to_string(ts) + std::string(rest) + "}";
}

constexpr std::string_view kHost = R"("pid":50,"tid":51)";
constexpr std::string_view kOther = R"("pid":50,"tid":52)";
constexpr std::string_view kStream = R"("pid":0,"tid":7)";

TEST(ChromeJsonReaderFlows, OneCorrelationMayLaunchManyKernels) {
  const std::string_view link = R"({"correlation":9})";
  const trace::Trace trace = read_every_way(document(
      {span("cuda_runtime", "cudaGraphLaunch", kHost, 10, 5, link),
       span("kernel", "k1", kStream, 20, 5, link), span("kernel", "k2", kStream, 30, 5, link),
       span("gpu_memcpy", "Memcpy DtoD", kStream, 40, 5, link)}));
  EXPECT_THAT(flows_of(trace),
              ElementsAre("launch cudaGraphLaunch -> k1", "launch cudaGraphLaunch -> k2",
                          "launch cudaGraphLaunch -> Memcpy DtoD"));
}

TEST(ChromeJsonReaderFlows, ACorrelationOfTwoProcessesJoinsNothingAndIsSaid) {
  const auto call = [](int pid) {
    return R"({"ph":"X","cat":"cuda_runtime","name":"launch","tid":1,"ts":1,"dur":1,"pid":)" +
           std::to_string(pid) + R"(,"args":{"correlation":1}})";
  };
  const std::string kernel =
      R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":5,"dur":1,"args":{"correlation":1}})";
  const trace::Trace trace = read_every_way(document({call(11), call(12), kernel}));
  EXPECT_TRUE(trace.flows.empty());
  EXPECT_EQ(trace.diagnostics.count_of(trace::kReusedCorrelation), 1U);
}

TEST(ChromeJsonReaderFlows, OfTwoCallsWithOneCorrelationTheFirstLaunches) {
  const std::string_view link = R"({"correlation":9})";
  const trace::Trace trace = read_every_way(document({span("cuda_runtime", "a", kHost, 10, 5, link),
                                                      span("cuda_driver", "b", kHost, 11, 2, link),
                                                      span("kernel", "k", kStream, 20, 5, link)}));
  EXPECT_THAT(flows_of(trace), ElementsAre("launch a -> k"));
}

TEST(ChromeJsonReaderFlows, AFlowThatRepeatsTheCorrelationIsToldOnce) {
  const std::string_view link = R"({"correlation":9})";
  for (const std::string_view cat : {"ac2g", "async_cpu_to_gpu", "async"}) {
    const trace::Trace trace = read_every_way(
        document({span("cuda_runtime", "launch", kHost, 10, 5, link),
                  flow("s", cat, "9", kHost, 10), flow("f", cat, "9", kStream, 20, R"(,"bp":"e")"),
                  span("kernel", "k", kStream, 20, 5, link)}));
    EXPECT_THAT(flows_of(trace), ElementsAre("launch launch -> k")) << cat;
    EXPECT_THAT(findings(trace), IsEmpty());
  }
}

TEST(ChromeJsonReaderFlows, OldFlowsJoinEventsThatHaveNoCorrelation) {
  const trace::Trace trace = read_every_way(document(
      {span("Runtime", "cudaLaunchKernel", kHost, 10, 5), flow("s", "async", "4", kHost, 12),
       flow("f", "async", "4", kStream, 20), span("Kernel", "k", kStream, 20, 5)}));
  EXPECT_THAT(flows_of(trace), ElementsAre("launch cudaLaunchKernel -> k"));
}

TEST(ChromeJsonReaderFlows, ForwardToBackwardArrowsBindToTheEnclosingEvents) {
  const trace::Trace trace = read_every_way(document(
      {span("cpu_op", "forward", kHost, 10, 20), span("cpu_op", "inner", kHost, 12, 2),
       flow("s", "fwdbwd", "1", kHost, 12), flow("f", "fwdbwd", "1", kOther, 50, R"(,"bp":"e")"),
       span("cpu_op", "backward", kOther, 45, 20)}));
  EXPECT_THAT(flows_of(trace), ElementsAre("fwdbwd inner -> backward"));
}

TEST(ChromeJsonReaderFlows, AFinishWithoutBindPointGoesToTheNextEvent) {
  const trace::Trace trace =
      read_every_way(document({span("cpu_op", "a", kHost, 10, 5), flow("s", "x", "1", kHost, 11),
                               flow("f", "x", "1", kOther, 20), span("cpu_op", "b", kOther, 15, 2),
                               span("cpu_op", "c", kOther, 30, 5)}));
  EXPECT_THAT(flows_of(trace), ElementsAre("x a -> c"));
}

TEST(ChromeJsonReaderFlows, StepsMakeAChain) {
  const trace::Trace trace = read_every_way(
      document({span("cpu_op", "a", kHost, 10, 5), span("cpu_op", "b", kOther, 20, 5),
                span("cpu_op", "c", kHost, 30, 5), flow("s", "x", "\"id-7\"", kHost, 11),
                flow("t", "x", "\"id-7\"", kOther, 21),
                flow("f", "x", "\"id-7\"", kHost, 31, R"(,"bp":"e")")}));
  EXPECT_THAT(flows_of(trace), ElementsAre("x a -> b", "x b -> c"));
}

TEST(ChromeJsonReaderFlows, EqualIdsOfDifferentCategoriesAreDifferentArrows) {
  const trace::Trace trace = read_every_way(
      document({span("cpu_op", "a", kHost, 10, 5), span("cpu_op", "b", kOther, 20, 5),
                flow("s", "x", "1", kHost, 11), flow("f", "y", "1", kOther, 21, R"(,"bp":"e")")}));
  EXPECT_THAT(flows_of(trace), IsEmpty());
  EXPECT_THAT(findings(trace), ElementsAre("unmatched_flow x2"));
}

TEST(ChromeJsonReaderFlows, EndsWithoutPartnerOrEventAreCounted) {
  const trace::Trace trace = read_every_way(document(
      {span("cpu_op", "a", kHost, 10, 5), flow("f", "ac2g", "3", kHost, 11, R"(,"bp":"e")"),
       flow("s", "x", "4", kHost, 99), flow("f", "x", "4", kHost, 12, R"(,"bp":"e")")}));
  EXPECT_THAT(flows_of(trace), IsEmpty());
  EXPECT_THAT(findings(trace), ElementsAre("unmatched_flow x2"));
}

TEST(ChromeJsonReaderFlows, FlowEventsAreNoRows) {
  const trace::Trace trace =
      read_every_way(document({span("cpu_op", "a", kHost, 10, 5), flow("s", "x", "1", kHost, 11)}));
  EXPECT_THAT(names_of_events(trace), ElementsAre("a"));
}

TEST(ChromeJsonReaderFlows, AHostProcessAndADeviceMayHaveTheSameNumber) {
  const trace::Trace trace = read_every_way(
      document({span("cuda_runtime", "launch", R"("pid":0,"tid":7)", 10, 5, R"({"correlation":9})"),
                span("kernel", "k", kStream, 20, 5, R"({"correlation":9})"),
                span("cpu_op", "op", R"("pid":0,"tid":7)", 9, 9)}));
  EXPECT_THAT(brief(trace),
              ElementsAre("launch runtime_call host 0/7 0+5000", "k kernel device 0/7 10000+5000",
                          "op host_op host 0/7 -1000+9000"));
  ASSERT_EQ(trace.tracks.size(), 2U);
  EXPECT_EQ(trace.devices.size(), 1U);
  EXPECT_THAT(flows_of(trace), ElementsAre("launch launch -> k"));
}

TEST(ChromeJsonReaderFlows, ReadingASecondRankDoesNotJoinItWithTheFirst) {
  const std::string host =
      document({span("cuda_runtime", "launch", kHost, 10, 5, R"({"correlation":9})"),
                span("kernel", "k", kStream, 20, 5, R"({"correlation":9})")});
  const std::string device =
      document({span("kernel", "k2", kStream, 30, 5, R"({"correlation":9})")});
  trace::Trace trace;
  for (const std::string& json : {host, device}) {
    io::MemorySource source{json};
    ASSERT_TRUE(chrome_json_format().read(source, "rank", {}, trace).ok());
  }
  EXPECT_EQ(trace.ranks.size(), 2U);
  EXPECT_THAT(flows_of(trace), ElementsAre("launch launch -> k"));
  EXPECT_EQ(trace.devices.size(), 2U);
  EXPECT_EQ(trace.rank_of(trace.track_of(2)), trace::RankId{1});
}

TEST(ChromeJsonReaderFlows, CollectivesCarryWhatTheirArgumentsSay) {
  const trace::Trace trace = read_every_way(document(
      {span("kernel", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(int*)", kStream, 20, 5,
            R"({"stream":7,"correlation":3,"Collective name":"allreduce","In msg nelems":1024,)"
            R"("Out msg nelems":2048,"dtype":"BFloat16","Process Group Name":"12","Seq":77})"),
       span("kernel", "ncclKernel_ReduceScatter_RING_LL_Sum_float", kStream, 30, 5),
       span("collective_comm", "all_gather", kStream, 40, 5)}));
  EXPECT_THAT(brief(trace)[1], testing::HasSubstr(" communication device "));
  ASSERT_EQ(trace.collectives.size(), 3U);
  const trace::Collective& first = trace.collectives[0];
  EXPECT_EQ(trace.text(first.op), "all_reduce");
  EXPECT_EQ(trace.text(first.group), "12");
  EXPECT_EQ(trace.text(first.dtype), "BFloat16");
  EXPECT_EQ(first.sequence, 77);
  EXPECT_EQ(first.elements_in, 1024);
  EXPECT_EQ(first.elements_out, 2048);
  EXPECT_EQ(trace.text(trace.collectives[1].op), "reduce_scatter");
  EXPECT_EQ(trace.text(trace.collectives[2].op), "all_gather");
}

// Some exporters copy the duration of the span to its flows.
TEST(ChromeJsonReaderFlows, FlowsThatAllLastAreKeptWithoutAWord) {
  const trace::Trace trace = read_every_way(
      document({span("cpu_op", "a", kHost, 10, 5), span("cpu_op", "b", kOther, 20, 5),
                flow("s", "link", "1", kHost, 10, ",\"dur\":5"),
                flow("f", "link", "1", kOther, 20, R"(,"bp":"e","dur":5)")}));
  EXPECT_THAT(flows_of(trace), ElementsAre("link a -> b"));
  EXPECT_THAT(findings(trace), IsEmpty());
}

TEST(ChromeJsonReaderFlows, AFlowThatLastsAmongOthersThatDoNotIsKeptAndDataLoss) {
  for (const std::string& odd : {flow("s", "link", "9", kHost, 10, ",\"dur\":1"),
                                 flow("s", "link", "9", kHost, 10, ",\"dur\":0")}) {
    const std::string json = document(
        {span("cpu_op", "a", kHost, 10, 5), flow("s", "link", "1", kHost, 10), odd,
         span("cpu_op", "b", kOther, 20, 5), flow("f", "link", "1", kOther, 20, R"(,"bp":"e")")});
    const trace::Trace trace = read_every_way(json);
    EXPECT_THAT(flows_of(trace), ElementsAre("link a -> b"));
    EXPECT_THAT(findings(trace), testing::Contains("lasting_flow x1 " + place_of(odd, json)));
    EXPECT_TRUE(trace.diagnostics.has_loss());
  }
  EXPECT_EQ(kLastingFlow.help,
            "A flow has a duration, as only spans have one, and most flows of the file have none; "
            "it was kept as a flow, but a span may be missing in its place.");
}

TEST(ChromeJsonReaderFlows, IdsThatAreNoWordsAreDataLoss) {
  const std::string good = flow("s", "f", "3", kHost, 20);
  for (const std::string& bad :
       {flow("s", "f", "`3", kHost, 20), flow("s", "f", "3", R"("pid":50,"tid":5`1)", 20),
        flow("s", "f", "3", R"("pid":`50,"tid":51)", 20)}) {
    const auto loss_with = [](const std::string& event) {
      const trace::Trace trace =
          read_every_way(document({span("cpu_op", "op", kHost, 10, 15), event}));
      return trace.diagnostics.count_of(kWrongType) == 1 && trace.diagnostics.has_loss();
    };
    EXPECT_TRUE(loss_with(bad)) << bad;
    EXPECT_FALSE(loss_with(good));
  }
}

}  // namespace
}  // namespace lockstep::formats::chrome_json
