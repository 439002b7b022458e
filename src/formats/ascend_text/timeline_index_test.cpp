// Which event of a timeline a row of a table tells of.
#include "formats/ascend_text/timeline_index.h"

#include <gtest/gtest.h>

#include "formats/shared/rank_builder.h"

namespace lockstep::formats::ascend_text {
namespace {

constexpr std::int64_t kUs = kPicosecondsPerMicrosecond;

class TimelineIndexTest : public testing::Test {
 protected:
  TimelineIndexTest() {
    rank.set_origin(0, Clock::kSession);
    for (const auto* id : {"2", "3"}) {
      streams.push_back(rank.stream(rank.process("1"), rank.device("0"), id));
    }
    streams.push_back(rank.stream(rank.process("1"), rank.device("1"), "2"));
  }

  trace::EventId add(std::string_view name, trace::TrackId track, std::int64_t start_us,
                     trace::Kind kind = trace::Kind::kKernel) {
    trace::Event row;
    row.name = rank.intern(name);
    row.track = track;
    row.kind = kind;
    return rank.add_span(row, WideTime{start_us} * kUs, WideTime{start_us + 1} * kUs);
  }

  [[nodiscard]] Time at(std::int64_t us, std::int64_t ps = 0) const { return {us * kUs + ps}; }

  trace::Trace trace;
  shared::RankBuilder rank{trace, "x", "ascend_text", trace::KeepArguments::kNone};
  std::vector<trace::TrackId> streams;
};

TEST_F(TimelineIndexTest, FindsByNameAndStartOnce) {
  const trace::EventId a = add("add", streams[0], 10);
  add("mul", streams[0], 10);
  TimelineIndex index(trace, 0);
  const StringId name = rank.intern("add");
  EXPECT_EQ(index.take(name, at(10), trace::kNoDevice, streams[0]), a);
  EXPECT_EQ(index.take(name, at(10), trace::kNoDevice, streams[0]), trace::kNoEvent);
  EXPECT_EQ(index.left().size(), 1U);
}

TEST_F(TimelineIndexTest, RoundingOfTheTableDoesNotMatter) {
  const trace::EventId a =
      add("hcom_allReduce__1_0_1", streams[1], 10, trace::Kind::kCommunication);
  TimelineIndex index(trace, 0);
  const StringId name = rank.intern("hcom_allReduce__1_0_1");
  EXPECT_EQ(index.take(name, at(12), trace::kNoDevice, streams[1]), trace::kNoEvent);
  EXPECT_EQ(index.take(name, at(10, -1000), trace::kNoDevice, streams[1]), a);
}

TEST_F(TimelineIndexTest, TheRightStreamAndDeviceArePreferred) {
  const trace::EventId other_device = add("add", streams[2], 10);
  const trace::EventId other_stream = add("add", streams[1], 10);
  const trace::EventId same = add("add", streams[0], 10);
  TimelineIndex index(trace, 0);
  const StringId name = rank.intern("add");
  EXPECT_EQ(index.take(name, at(10), rank.device("0"), streams[0]), same);
  EXPECT_EQ(index.take(name, at(10), rank.device("0"), streams[0]), other_stream);
  EXPECT_EQ(index.take(name, at(10), rank.device("0"), streams[0]), trace::kNoEvent);
  EXPECT_EQ(index.take(name, at(10), rank.device("1"), streams[0]), other_device);
}

TEST_F(TimelineIndexTest, OnlyKernelsAreLookedAt) {
  add("MEMCPY_ASYNC", streams[0], 10, trace::Kind::kMemcpy);
  TimelineIndex index(trace, 0);
  EXPECT_EQ(index.take(rank.intern("MEMCPY_ASYNC"), at(10), trace::kNoDevice, streams[0]),
            trace::kNoEvent);
  EXPECT_TRUE(index.left().empty());
}

// Times that were lost are all alike, and are more than one search looks at.
TEST_F(TimelineIndexTest, EqualRowsAreTakenInTheirOrder) {
  constexpr int kRows = 1'000;
  for (int i = 0; i < kRows; ++i) add("add", streams[0], 10);
  const StringId name = rank.intern("add");
  for (const trace::TrackId track : {streams[0], streams[1], kNoTrack}) {
    TimelineIndex index(trace, 0);
    for (int i = 0; i < kRows; ++i) {
      ASSERT_EQ(trace::index_of(index.take(name, at(10), trace::kNoDevice, track)), i);
    }
    EXPECT_TRUE(index.left().empty());
    EXPECT_EQ(index.take(name, at(10), trace::kNoDevice, track), trace::kNoEvent);
  }
  TimelineIndex index(trace, 0);
  for (int i = 0; i < kRows; ++i) {
    ASSERT_EQ(index.take(name, at(10), rank.device("1"), kNoTrack), trace::kNoEvent);
  }
}

}  // namespace
}  // namespace lockstep::formats::ascend_text
