// The shared builder: one zero, tracks found again, bad times counted.
#include "formats/shared/rank_builder.h"

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "formats/shared/record_defects.h"

namespace lockstep::formats::shared {
namespace {

constexpr WideTime kEpoch = WideTime{1'700'000'000} * 1'000'000'000'000;  // ps
constexpr WideTime kDay = WideTime{86'400} * 1'000'000'000'000;

TEST(ChooseOrigin, IsTheFirstGoodTimeFlooredToNanoseconds) {
  const std::vector<WideTime> times = {0, -5, kEpoch + 1500, kEpoch, kEpoch + 9000};
  EXPECT_TRUE(choose_origin(times) == kEpoch + 1000);
  EXPECT_TRUE(choose_origin({}) == 0);
}

TEST(ChooseOrigin, ABrokenFirstTimeDoesNotCount) {
  const std::vector<WideTime> times = {17, kEpoch, kEpoch + 1000};
  EXPECT_TRUE(choose_origin(times) == kEpoch);
}

constexpr WideTime kEndOfTime =
    WideTime{std::numeric_limits<std::int64_t>::max()} * kPicosecondsPerNanosecond;

TEST(ChooseOrigin, TimesBeyond64BitsOfNanosecondsDoNotCount) {
  EXPECT_TRUE(choose_origin(std::vector<WideTime>{kEndOfTime, kEndOfTime + 5000, kEpoch}) ==
              kEpoch);
  EXPECT_TRUE(choose_origin(std::vector<WideTime>{kEndOfTime - 99 * kDay}) == 0);
  EXPECT_TRUE(choose_origin(std::vector<WideTime>{kEndOfTime - 101 * kDay}) != 0);
}

TEST(SetOrigin, OneBeyond64BitsOfNanosecondsIsRefused) {
  for (const WideTime origin : {kEndOfTime + 1000, -kEndOfTime - 5000, 3 * kEndOfTime}) {
    trace::Trace trace;
    RankBuilder builder(trace, "a.db", "nsys", trace::KeepArguments::kNone);
    builder.set_origin(origin, Clock::kEpoch);
    EXPECT_EQ(trace.ranks[0].origin.ns, 0);
    EXPECT_EQ(trace.ranks[0].origin.clock, Clock::kUnknown);
    EXPECT_TRUE(builder.origin() == 0);
    EXPECT_EQ(builder.diagnostics().count_of(kOriginOutOfRange), 1U);
  }
}

class RankBuilderTest : public testing::Test {
 protected:
  RankBuilderTest() {
    builder.set_origin(kEpoch, Clock::kEpoch);
    process = builder.process("4711");
    stream = builder.stream(process, builder.device("0"), "7");
    thread = builder.host_thread(process, "7");
  }

  trace::Event row(trace::TrackId track, trace::Kind kind, std::string_view name) {
    trace::Event event;
    event.track = track;
    event.kind = kind;
    event.name = builder.intern(name);
    return event;
  }

  trace::Trace trace;
  RankBuilder builder{trace, "a.db", "nsys", trace::KeepArguments::kAll};
  trace::ProcessId process{};
  trace::TrackId stream{};
  trace::TrackId thread{};
};

TEST_F(RankBuilderTest, FindsWhatItMade) {
  EXPECT_EQ(builder.process("4711"), process);
  EXPECT_EQ(builder.stream(process, builder.device("0"), "7"), stream);
  EXPECT_NE(builder.stream(process, builder.device("1"), "7"), stream);
  EXPECT_NE(builder.stream(builder.process("4712"), builder.device("0"), "7"), stream);
  EXPECT_NE(thread, stream);
  EXPECT_EQ(trace.devices.size(), 2U);
  EXPECT_EQ(trace.ranks[0].origin.ns, 1'700'000'000'000'000'000);
}

TEST_F(RankBuilderTest, PlacesSpansExactly) {
  const trace::EventId id =
      builder.add_span(row(stream, trace::Kind::kKernel, "gemm"), kEpoch + 1, kEpoch + 2502);
  EXPECT_EQ(trace.events.start[trace::index_of(id)].ps, 1);
  EXPECT_EQ(trace.events.duration[trace::index_of(id)].ps, 2501);
}

TEST_F(RankBuilderTest, CountsTimesThatMakeNoSense) {
  const trace::Event kernel = row(stream, trace::Kind::kKernel, "gemm");
  EXPECT_EQ(builder.add_span(kernel, 0, 5, Place::row(3)), trace::kNoEvent);
  EXPECT_EQ(builder.add_span(kernel, -5000, 5), trace::kNoEvent);
  EXPECT_EQ(builder.add_span(kernel, kEpoch + 9, kEpoch + 8), trace::kNoEvent);
  EXPECT_EQ(builder.add_span(kernel, kEpoch + 200 * kDay, kEpoch + 201 * kDay), trace::kNoEvent);
  EXPECT_EQ(builder.add_span(kernel, kEpoch, kEpoch + 200 * kDay), trace::kNoEvent);
  EXPECT_EQ(builder.add_point(kernel, 0, trace::Shape::kInstant), trace::kNoEvent);
  EXPECT_EQ(trace.events.size(), 0U);
  EXPECT_EQ(builder.diagnostics().count_of(kZeroTime), 3U);
  EXPECT_EQ(builder.diagnostics().count_of(kNegativeDuration), 1U);
  EXPECT_EQ(builder.diagnostics().count_of(kTimeOutOfRange), 2U);
}

TEST_F(RankBuilderTest, ASpanOverBothSidesOfTheOriginIsNotLongerThanATimeCanBe) {
  const trace::Event kernel = row(stream, trace::Kind::kKernel, "gemm");
  EXPECT_EQ(builder.add_span(kernel, kEpoch - 99 * kDay, kEpoch + 99 * kDay), trace::kNoEvent);
  EXPECT_EQ(builder.diagnostics().count_of(kTimeOutOfRange), 1U);
  const trace::EventId id = builder.add_span(kernel, kEpoch - 50 * kDay, kEpoch + 50 * kDay);
  EXPECT_EQ(trace.events.duration[trace::index_of(id)].ps, kMaxDistanceFromOriginPs);
}

TEST_F(RankBuilderTest, CollectivesAreKnownByName) {
  const trace::EventId id = builder.add_span(
      row(stream, trace::Kind::kKernel, "ncclDevKernel_AllReduce_Sum_f16"), kEpoch, kEpoch + 5);
  EXPECT_EQ(trace.events.kind[trace::index_of(id)], trace::Kind::kCommunication);
  EXPECT_EQ(trace.text(builder.collective_of(id).op), "all_reduce");
  const trace::EventId host =
      builder.add_span(row(thread, trace::Kind::kHostOp, "ncclAllReduce"), kEpoch, kEpoch + 5);
  EXPECT_EQ(trace.events.kind[trace::index_of(host)], trace::Kind::kHostOp);
  EXPECT_EQ(trace.collectives.size(), 1U);
}

TEST_F(RankBuilderTest, DiscardTakesTracksBackToo) {
  builder.discard();
  EXPECT_TRUE(trace.ranks.empty());
  EXPECT_TRUE(trace.tracks.empty());
  EXPECT_TRUE(trace.devices.empty());
  EXPECT_TRUE(trace.processes.empty());
}

TEST_F(RankBuilderTest, GoesOnWithARankThatIsThere) {
  builder.add_span(row(stream, trace::Kind::kKernel, "gemm"), kEpoch, kEpoch + 5);
  builder.finish();
  RankBuilder more(trace, trace::KeepArguments::kAll);
  EXPECT_EQ(more.rank_id(), builder.rank_id());
  EXPECT_TRUE(more.origin() == kEpoch);
  EXPECT_EQ(more.first_row(), 1U);
  EXPECT_EQ(more.process("4711"), process);
  EXPECT_EQ(more.stream(process, more.device("0"), "7"), stream);
  EXPECT_EQ(more.host_thread(process, "7"), thread);
  const trace::EventId id =
      more.add_span(row(stream, trace::Kind::kKernel, "add"), kEpoch + 6, kEpoch + 7);
  EXPECT_EQ(trace.events.start[trace::index_of(id)].ps, 6);
  more.finish();
  EXPECT_EQ(trace.ranks.size(), 1U);
  EXPECT_TRUE(trace.flows.empty());
}

TEST_F(RankBuilderTest, FinishJoinsLaunchesAndCollectsSteps) {
  trace::Event call = row(thread, trace::Kind::kRuntimeCall, "cudaLaunchKernel");
  call.correlation = 5;
  trace::Event kernel = row(stream, trace::Kind::kKernel, "gemm");
  kernel.correlation = 5;
  builder.add_span(call, kEpoch, kEpoch + 10);
  builder.add_span(kernel, kEpoch + 20, kEpoch + 30);
  builder.add_span(row(thread, trace::Kind::kAnnotation, "ProfilerStep#3"), kEpoch, kEpoch + 50);
  builder.finish();
  ASSERT_EQ(trace.flows.size(), 1U);
  ASSERT_EQ(trace.steps.size(), 1U);
  EXPECT_EQ(trace.text(trace.steps[0].name), "ProfilerStep#3");
}

TEST(RankBuilderParts, OfVeryManyTheRestIsPutTogether) {
  for (const std::size_t count : {999, 5'000, 20'000}) {
    trace::Trace trace;
    RankBuilder builder(trace, "a.db", "nsys", trace::KeepArguments::kNone);
    for (std::size_t i = 0; i < count; ++i) {
      builder.add_part(i % 2 == 0 ? trace::SourcePart::Use::kUsed : trace::SourcePart::Use::kUnused,
                       "part " + std::to_string(i), 3, "note");
    }
    const std::vector<trace::SourcePart>& parts = trace.ranks[0].parts;
    std::uint64_t records = 0;
    for (const trace::SourcePart& part : parts) records += part.records;
    EXPECT_EQ(records, 3 * count);
    EXPECT_EQ(parts.size(), count < 1'000 ? count : 1'002U);
    if (count > 1'000) {
      EXPECT_EQ(parts[1'000].name, "other parts");
    }
  }
}

}  // namespace
}  // namespace lockstep::formats::shared
