// Reading of XSpaces made by hand.
#include "formats/xspace/xspace_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/xspace/xspace_for_test.h"

namespace lockstep::formats::xspace {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

TEST(XSpaceReader, MapsPlanesLinesAndEvents) {
  const Reading read = read_space(sample_space());
  ASSERT_TRUE(read.status.ok()) << read.status.error().text();
  EXPECT_THAT(brief(read.trace),
              UnorderedElementsAre("annotation host 508/7 train 0+9000000",
                                   "runtime_call host 508/7 cuLaunchKernel 1000000+500000",
                                   "python host 508/7 $core.py:12 bind 2000000+100000",
                                   "overhead host 508/7 BUFFER_FLUSH 3000000+1000",
                                   "kernel device 0/14 gemm 5000123+2000001",
                                   "memcpy device 0/14 MemcpyH2D 8000000+1000000",
                                   "annotation device 0/XLA Ops fusion.1 5000123+2000001"));
  EXPECT_THAT(read.trace.diagnostics.entries(), IsEmpty());
}

TEST(XSpaceReader, TimesCountFromTheStartOfTheProfileWhereverItStands) {
  const Reading read = read_space(sample_space());
  const trace::Rank& rank = read.trace.ranks.at(0);
  EXPECT_EQ(rank.origin.clock, Clock::kEpoch);
  EXPECT_EQ(rank.origin.ns, static_cast<std::int64_t>(kStartNs) + 1'000);
  EXPECT_EQ(rank.format, "xspace");
}

TEST(XSpaceReader, JoinsLaunchesByCorrelation) {
  const trace::Trace trace = read_space(sample_space()).trace;
  ASSERT_EQ(trace.flows.size(), 1);
  EXPECT_EQ(trace.flows[0].kind, trace::Flow::Kind::kLaunch);
  EXPECT_EQ(trace.text(trace.events.name[trace::index_of(trace.flows[0].from)]), "cuLaunchKernel");
  EXPECT_EQ(trace.text(trace.events.name[trace::index_of(trace.flows[0].to)]), "gemm");
}

TEST(XSpaceReader, StepsAreNamedByNameAndNumber) {
  const trace::Trace trace = read_space(sample_space()).trace;
  ASSERT_EQ(trace.steps.size(), 1);
  EXPECT_EQ(trace.text(trace.steps[0].name), "train#3");
}

TEST(XSpaceReader, DetailsBecomeTheArgumentsOfKineto) {
  const trace::Trace trace = read_space(sample_space()).trace;
  EXPECT_THAT(arguments_of(trace, 4),
              ElementsAre("correlation_id=11",
                          "kernel_details='regs:32 static_shared:0 dynamic_shared:512 grid:4,2,1 "
                          "block:64,1,1'",
                          "grid=[4,2,1]", "block=[64,1,1]", "registers per thread=32",
                          "shared memory=512"));
  EXPECT_THAT(arguments_of(trace, 5), Contains("bytes=4096"));
}

TEST(XSpaceReader, ArgumentsAreNotKeptUnlessAskedFor) {
  const trace::Trace trace = read_space(sample_space(), false).trace;
  EXPECT_TRUE(trace.arguments.empty());
  EXPECT_EQ(trace.flows.size(), 1);
}

TEST(XSpaceReader, DevicesAndHostsKeepTheirFacts) {
  const trace::Trace trace = read_space(sample_space()).trace;
  ASSERT_EQ(trace.devices.size(), 1);
  EXPECT_EQ(trace.text(trace.devices[0].id), "0");
  EXPECT_EQ(trace.text(trace.devices[0].name), "Test GPU");
  const auto& metadata = trace.ranks[0].metadata;
  EXPECT_TRUE(std::ranges::any_of(metadata, [](const trace::Metadata& entry) {
    return entry.key == "hostnames" && entry.json == "[\"host-a\"]";
  }));
}

TEST(XSpaceReader, LinesOfOneFileMayHaveDifferentBases) {
  const Reading read = read_space(
      plane("/device:GPU:0", {line(1, "Stream #1", 5, {event(1, 0, 1)}),
                              line(2, "Stream #2", 9, {event(1, 0, 1)}), event_name(1, "k")}) +
      environment());
  EXPECT_THAT(brief(read.trace),
              ElementsAre("kernel device 0/1 k 0+1", "kernel device 0/2 k 4000+1"));
}

TEST(XSpaceReader, WithoutTheStartOfTheProfileSmallTimesAreOfTheSession) {
  const std::string space =
      plane("/device:GPU:0", {line(1, "Stream #1", 5, {event(1, 0, 1)}), event_name(1, "k")});
  const trace::Trace trace = read_space(space).trace;
  EXPECT_EQ(trace.ranks[0].origin.clock, Clock::kSession);
  EXPECT_EQ(trace.ranks[0].origin.ns, 5);
}

TEST(XSpaceReader, WithoutTheStartOfTheProfileLargeTimesAreOfTheEpoch) {
  const std::string space = plane(
      "/device:GPU:0", {line(1, "Stream #1", kStartNs, {event(1, 0, 1)}), event_name(1, "k")});
  const trace::Trace trace = read_space(space).trace;
  EXPECT_EQ(trace.ranks[0].origin.clock, Clock::kEpoch);
  EXPECT_EQ(trace.ranks[0].origin.ns, static_cast<std::int64_t>(kStartNs));
}

TEST(XSpaceReader, ALineThatBeganBeforeTheSessionCountsFromTheEpoch) {
  const std::string space =
      plane("/host:CPU", {line(1, "a", static_cast<std::int64_t>(kStartNs) - 50, {event(1, 0, 1)}),
                          line(2, "b", 0, {event(1, 0, 1)}), event_name(1, "k")}) +
      environment();
  EXPECT_THAT(brief(read_space(space).trace),
              ElementsAre("host_op host 701/1 k 0+1", "host_op host 701/2 k 50000+1"));
}

TEST(XSpaceReader, AProfileStartThatIsNoTimeIsSaid) {
  const std::string space =
      plane("/host:CPU", {line(1, "a", 5, {event(1, 0, 1)}), event_name(1, "k")}) + environment(12);
  const Reading read = read_space(space);
  EXPECT_EQ(read.count_of("bad_profile_start"), 1);
  EXPECT_EQ(read.trace.ranks[0].origin.clock, Clock::kSession);
}

TEST(XSpaceReader, OnTpusOnlyTheDeepestOperationsAreWork) {
  const std::string space = plane(
      "/device:TPU:0",
      {line(1, "XLA Ops", 0,
            {event(1, 0, 1000), event(2, 100, 200), event(3, 300, 100), event(2, 1000, 50)}),
       line(2, "XLA Modules", 0, {event(4, 0, 1050)}),
       line(3, "Async XLA Ops", 0, {event(3, 0, 1000)}), event_name(1, "%while = (...)", "while.1"),
       event_name(2, "fusion.2"), event_name(3, "all-reduce.3"), event_name(4, "jit_step")});
  const trace::Trace trace = read_space(space).trace;
  EXPECT_THAT(brief(trace), ElementsAre("annotation device 0/XLA Ops while.1 0+1000",
                                        "kernel device 0/XLA Ops fusion.2 100+200",
                                        "communication device 0/XLA Ops all-reduce.3 300+100",
                                        "kernel device 0/XLA Ops fusion.2 1000+50",
                                        "annotation device 0/XLA Modules jit_step 0+1050",
                                        "annotation device 0/Async XLA Ops all-reduce.3 0+1000"));
  ASSERT_EQ(trace.collectives.size(), 1);
  EXPECT_EQ(trace.text(trace.collectives[0].op), "all_reduce");
  EXPECT_THAT(arguments_of(trace, 0), ElementsAre("long_name='%while = (...)'"));
}

TEST(XSpaceReader, TheInstructionNamesACollectiveWhoseKernelDoesNot) {
  const std::string space =
      plane("/device:GPU:0", {line(1, "Stream #1", 0, {event(1, 0, 5, {reference_stat(1, 2)})}),
                              event_name(1, "ncclDevKernel_Generic"), stat_name(1, "hlo_op"),
                              stat_name(2, "all-gather-start.1")});
  const trace::Trace trace = read_space(space).trace;
  ASSERT_EQ(trace.collectives.size(), 1);
  EXPECT_EQ(trace.text(trace.collectives[0].op), "all_gather");
}

TEST(XSpaceReader, AStreamOfCopiesHoldsCopies) {
  const std::string space = plane(
      "/device:GPU:0", {line(1, "Stream #63(MemcpyH2D)", 0, {event(1, 0, 5)}), event_name(1, "x")});
  EXPECT_THAT(brief(read_space(space).trace), ElementsAre("memcpy device 0/63 x 0+5"));
}

TEST(XSpaceReader, AggregatesAreKeptAsMetadata) {
  const std::string space = plane(
      "/device:GPU:0",
      {line(1, "XLA Ops", 0, {aggregate(1, 12, 3400), event(1, 0, 5)}), event_name(1, "fusion")});
  const Reading read = read_space(space);
  EXPECT_EQ(read.trace.events.size(), 1);
  EXPECT_EQ(read.count_of("aggregated_event"), 1);
  const auto& metadata = read.trace.ranks[0].metadata;
  ASSERT_EQ(metadata.size(), 1);
  EXPECT_EQ(metadata[0].key, "aggregated_events");
  EXPECT_EQ(metadata[0].json, R"([{"plane": "/device:GPU:0", "line": "XLA Ops", "name": "fusion", )"
                              R"("occurrences": 12, "duration_ps": 3400}])");
}

TEST(XSpaceReader, ProducersAndConsumersAreArrows) {
  const std::string space =
      plane("/host:CPU",
            {line(1, "a", 0,
                  {event(1, 0, 5, {signed_stat(1, 2), unsigned_stat(2, 77)}),
                   event(3, 1, 1, {signed_stat(1, 2), unsigned_stat(2, 5)})}),
             line(2, "b", 0, {event(2, 9, 5, {signed_stat(3, 2), unsigned_stat(4, 77)})}),
             event_name(1, "schedule"), event_name(2, "run"), event_name(3, "alone"),
             stat_name(1, "_pt"), stat_name(2, "_p"), stat_name(3, "_ct"), stat_name(4, "_c")});
  const Reading read = read_space(space);
  ASSERT_EQ(read.trace.flows.size(), 1);
  EXPECT_EQ(read.trace.flows[0].kind, trace::Flow::Kind::kOther);
  EXPECT_EQ(trace::index_of(read.trace.flows[0].from), 0);
  EXPECT_EQ(trace::index_of(read.trace.flows[0].to), 2);
  EXPECT_EQ(read.count_of("unmatched_flow"), 1);
}

TEST(XSpaceReader, FlowStatsAreArrows) {
  const std::string space =
      plane("/host:CPU", {line(1, "a", 0,
                               {event(1, 0, 5, {unsigned_stat(1, 9 << 2 | 2)}),
                                event(2, 9, 5, {unsigned_stat(1, 9 << 2 | 1)})}),
                          event_name(1, "from"), event_name(2, "to"), stat_name(1, "flow")});
  const trace::Trace trace = read_space(space).trace;
  ASSERT_EQ(trace.flows.size(), 1);
  EXPECT_EQ(trace.text(trace.flows[0].name), "flow");
}

TEST(XSpaceReader, OverlappingEventsStayAsTheyAre) {
  const std::string space =
      plane("/device:GPU:0",
            {line(1, "Stream #1", 0, {event(1, 0, 10), event(1, 5, 10)}), event_name(1, "k")});
  EXPECT_THAT(brief(read_space(space).trace),
              ElementsAre("kernel device 0/1 k 0+10", "kernel device 0/1 k 5+10"));
}

TEST(XSpaceReader, LinesWithOneIdAreToldApartByName) {
  const std::string space = plane(
      "/host:CPU",
      {line(0, "a", 0, {event(1, 0, 1)}), line(0, "b", 0, {event(1, 2, 1)}), event_name(1, "k")});
  EXPECT_THAT(brief(read_space(space).trace),
              ElementsAre("host_op host 701/0 k 0+1", "host_op host 701/b k 2+1"));
}

TEST(XSpaceReader, AnyCutOfTheStreamReadsTheSame) {
  const auto whole = all_of(read_space(sample_space()).trace);
  for (const std::size_t chunk : {1, 3, 100}) {
    EXPECT_EQ(all_of(read_space(sample_space(), true, chunk).trace), whole);
  }
}

TEST(XSpaceReader, PartsSayWhatWasUsed) {
  const Reading read = read_space(plane("/host:metadata", {}) + sample_space());
  const auto& parts = read.trace.ranks[0].parts;
  ASSERT_EQ(parts.size(), 4);
  EXPECT_EQ(parts[0].use, trace::SourcePart::Use::kUnused);
  EXPECT_EQ(parts[0].note, "compiled programs");
  EXPECT_EQ(parts[1].name, "/host:CPU");
  EXPECT_EQ(parts[1].records, 4);
}

}  // namespace
}  // namespace lockstep::formats::xspace
