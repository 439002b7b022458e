// Claims on steps that the user marked.
#include "trace/steps.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::trace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr TrackId kHostTrack{0};
constexpr TrackId kDeviceTrack{1};
constexpr TrackId kOtherThread{2};

Trace trace_with_tracks() {
  Trace trace;
  trace.ranks.emplace_back();
  trace.processes.emplace_back();
  trace.tracks.resize(3);
  trace.tracks[index_of(kDeviceTrack)].side = Track::Side::kDevice;
  return trace;
}

// A thread of a new process of that rank.
TrackId thread_of_rank(Trace& trace, RankId rank) {
  trace.processes.emplace_back().rank = rank;
  trace.tracks.emplace_back().process =
      ProcessId{static_cast<std::uint32_t>(trace.processes.size() - 1)};
  return TrackId{static_cast<std::uint32_t>(trace.tracks.size() - 1)};
}

void add(Trace& trace, std::string_view name, std::int64_t start, std::int64_t end,
         TrackId track = kHostTrack, Kind kind = Kind::kAnnotation, Shape shape = Shape::kSpan,
         std::string_view category = {}) {
  Event event;
  event.start = Time{start};
  event.duration = Time{end - start};
  event.name = trace.strings.intern(name);
  event.track = track;
  event.kind = kind;
  event.shape = shape;
  event.category = trace.strings.intern(category);
  trace.events.add(event);
}

// "rank name [start, end)" of every step.
std::vector<std::string> lines_of(const Trace& trace) {
  std::vector<std::string> lines;
  for (const Step& step : trace.steps) {
    lines.push_back(std::to_string(index_of(step.rank)) + " " + std::string(trace.text(step.name)) +
                    " [" + std::to_string(step.start.ps) + ", " + std::to_string(step.end.ps) +
                    ")");
  }
  return lines;
}

TEST(StepNames, MarkersOfTheKnownToolsAreSteps) {
  for (const char* name :
       {"ProfilerStep#0", "ProfilerStep#123456", "Iteration#7", "Step#1", "StepTraceAnnotation"}) {
    EXPECT_TRUE(is_step_name(name)) << name;
  }
}

TEST(StepNames, OtherNamesAreNotSteps) {
  for (const char* name : {"", "Step", "Step#", "Step#x", "Step#1x", "Step# 1", "Step#-1", "step#1",
                           "MyStep#1", "ProfilerStep*", "ProfilerStep", "ProfilerStep#1 ",
                           "Optimizer.step#Adam.step", "StepTraceAnnotation2", "Iteration 7"}) {
    EXPECT_FALSE(is_step_name(name)) << name;
  }
}

TEST(StepNames, PeopleNumberTheirStepsInManyWays) {
  const auto stem_and_number = [](std::string_view name) {
    const auto found = numbered_step_name(name);
    return found ? std::string(found->stem) + "|" + std::to_string(found->number) : "none";
  };
  EXPECT_EQ(stem_and_number("iteration 5"), "iteration|5");
  EXPECT_EQ(stem_and_number("step_5"), "step|5");
  EXPECT_EQ(stem_and_number("train_step 12"), "train_step|12");
  EXPECT_EQ(stem_and_number("TrainStep[5]"), "TrainStep|5");
  EXPECT_EQ(stem_and_number("Iteration007 "), "Iteration|7");
  EXPECT_EQ(stem_and_number("STEP=5"), "STEP|5");
  EXPECT_EQ(stem_and_number("train: iter (5)"), "train: iter|5");
  EXPECT_EQ(stem_and_number("Batch #3"), "Batch|3");
}

TEST(StepNames, OtherNumberedRangesAreNotSteps) {
  for (const char* name : {"", "5", "layer 5", "timestep 5", "step", "step 5/100", "step 5 forward",
                           "stepper 5", "step[DECODE bs=32]", "aten::add, op_id = 5",
                           "microbatch 5", "step 99999999999999999999"}) {
    EXPECT_FALSE(numbered_step_name(name)) << name;
  }
}

TEST(MarkedSteps, RangesThatPeopleNumberAreSteps) {
  Trace trace = trace_with_tracks();
  add(trace, "iteration 9", 20, 30);
  add(trace, "iteration 7", 0, 10);
  add(trace, "iteration 8", 10, 20);
  collect_marked_steps(trace, 0, RankId{0});
  EXPECT_THAT(lines_of(trace), ElementsAre("0 iteration 7 [0, 10)", "0 iteration 8 [10, 20)",
                                           "0 iteration 9 [20, 30)"));
}

TEST(MarkedSteps, TwoNumberedRangesAreTooFew) {
  Trace trace = trace_with_tracks();
  add(trace, "iteration 7", 0, 10);
  add(trace, "iteration 8", 10, 20);
  collect_marked_steps(trace, 0, RankId{0});
  EXPECT_THAT(lines_of(trace), IsEmpty());
}

TEST(MarkedSteps, NumbersMustRunOnOneByOne) {
  for (const int last : {2, 4, 1}) {
    Trace trace = trace_with_tracks();
    add(trace, "step 1", 0, 10);
    add(trace, "step 2", 10, 20);
    add(trace, "step " + std::to_string(last), 20, 30);
    collect_marked_steps(trace, 0, RankId{0});
    EXPECT_THAT(lines_of(trace), IsEmpty()) << last;
  }
}

TEST(MarkedSteps, NumberedRangesMustNotOverlap) {
  Trace trace = trace_with_tracks();
  add(trace, "step 1", 0, 11);
  add(trace, "step 2", 10, 20);
  add(trace, "step 3", 20, 30);
  collect_marked_steps(trace, 0, RankId{0});
  EXPECT_THAT(lines_of(trace), IsEmpty());
}

TEST(MarkedSteps, NumberedRangesOfTwoThreadsAreNotOneSequence) {
  Trace trace = trace_with_tracks();
  add(trace, "step 1", 0, 10);
  add(trace, "step 2", 10, 20, kOtherThread);
  add(trace, "step 3", 20, 30);
  collect_marked_steps(trace, 0, RankId{0});
  EXPECT_THAT(lines_of(trace), IsEmpty());
}

TEST(MarkedSteps, NumberedRangesOnDevicesAndOperatorsAreNone) {
  Trace trace = trace_with_tracks();
  for (const int i : {1, 2, 3}) {
    add(trace, "step " + std::to_string(i), 10 * i, 10 * i + 5, kDeviceTrack);
    add(trace, "step " + std::to_string(i), 10 * i, 10 * i + 5, kHostTrack, Kind::kHostOp);
  }
  collect_marked_steps(trace, 0, RankId{0});
  EXPECT_THAT(lines_of(trace), IsEmpty());
}

TEST(MarkedSteps, TheStemThatCoversMostTimeMarksThem) {
  Trace trace = trace_with_tracks();
  for (const int i : {0, 1, 2}) {
    add(trace, "batch " + std::to_string(i), 100 * i, 100 * i + 50, kOtherThread);
    add(trace, "iteration " + std::to_string(i), 100 * i, 100 * i + 99);
    add(trace, "step " + std::to_string(2 * i), 100 * i, 100 * i + 40);
    add(trace, "step " + std::to_string(2 * i + 1), 100 * i + 40, 100 * i + 80);
  }
  collect_marked_steps(trace, 0, RankId{0});
  EXPECT_THAT(lines_of(trace), ElementsAre("0 iteration 0 [0, 99)", "0 iteration 1 [100, 199)",
                                           "0 iteration 2 [200, 299)"));
}

TEST(MarkedSteps, MarkersOfToolsWinOverNumberedRanges) {
  Trace trace = trace_with_tracks();
  for (const int i : {0, 1, 2}) add(trace, "step " + std::to_string(i), 10 * i, 10 * i + 5);
  add(trace, "ProfilerStep#1", 100, 200);
  collect_marked_steps(trace, 0, RankId{0});
  EXPECT_THAT(lines_of(trace), ElementsAre("0 ProfilerStep#1 [100, 200)"));
}

TEST(MarkedSteps, StepsThatTheReaderKnewWinOverNumberedRanges) {
  Trace trace = trace_with_tracks();
  trace.steps.push_back({trace.strings.intern("train#1"), RankId{0}, Time{0}, Time{7}});
  for (const int i : {0, 1, 2}) add(trace, "step " + std::to_string(i), 10 * i, 10 * i + 5);
  collect_marked_steps(trace, 0, RankId{0});
  EXPECT_THAT(lines_of(trace), ElementsAre("0 train#1 [0, 7)"));
}

TEST(MarkedSteps, WhatLockstepAddedIsNoMarker) {
  Trace trace = trace_with_tracks();
  for (const int i : {0, 1, 2}) {
    add(trace, "step " + std::to_string(i), 10 * i, 10 * i + 5, kHostTrack, Kind::kAnnotation,
        Shape::kSpan, kOwnAnnotationCategory);
  }
  add(trace, "ProfilerStep#1", 0, 50, kHostTrack, Kind::kAnnotation, Shape::kSpan,
      kOwnAnnotationCategory);
  collect_marked_steps(trace, 0, RankId{0});
  EXPECT_THAT(lines_of(trace), IsEmpty());
}

TEST(MarkedSteps, ComeInTimeOrder) {
  Trace trace = trace_with_tracks();
  add(trace, "ProfilerStep#2", 200, 300);
  add(trace, "aten::mm", 0, 50, kHostTrack, Kind::kHostOp);
  add(trace, "ProfilerStep#1", 100, 200);
  add(trace, "Step#9", 100, 150);
  collect_marked_steps(trace, 0, RankId{0});
  EXPECT_THAT(lines_of(trace), ElementsAre("0 Step#9 [100, 150)", "0 ProfilerStep#1 [100, 200)",
                                           "0 ProfilerStep#2 [200, 300)"));
}

TEST(MarkedSteps, CopiesOnTheDeviceAreNotSecondSteps) {
  Trace trace = trace_with_tracks();
  add(trace, "ProfilerStep#1", 100, 200);
  add(trace, "ProfilerStep#1", 120, 220, kDeviceTrack);
  collect_marked_steps(trace, 0, RankId{0});
  EXPECT_THAT(lines_of(trace), ElementsAre("0 ProfilerStep#1 [100, 200)"));
}

TEST(MarkedSteps, OnlyEventsThatLastMarkSteps) {
  Trace trace = trace_with_tracks();
  add(trace, "ProfilerStep#1", 0, 0, kHostTrack, Kind::kAnnotation, Shape::kInstant);
  add(trace, "my region", 0, 10);
  collect_marked_steps(trace, 0, RankId{0});
  EXPECT_THAT(lines_of(trace), IsEmpty());
}

TEST(MarkedSteps, AnOperatorWithTheNameOfAStepMarksOne) {
  Trace trace = trace_with_tracks();
  add(trace, "ProfilerStep#1", 0, 10, kHostTrack, Kind::kHostOp);
  collect_marked_steps(trace, 0, RankId{0});
  EXPECT_THAT(lines_of(trace), ElementsAre("0 ProfilerStep#1 [0, 10)"));
}

TEST(MarkedSteps, AMarkerWrittenTwiceIsOneStep) {
  Trace trace = trace_with_tracks();
  add(trace, "ProfilerStep#1", 0, 10, kHostTrack, Kind::kHostOp);
  add(trace, "ProfilerStep#1", 0, 10, kHostTrack, Kind::kAnnotation);
  collect_marked_steps(trace, 0, RankId{0});
  EXPECT_THAT(lines_of(trace), ElementsAre("0 ProfilerStep#1 [0, 10)"));
}

TEST(MarkedSteps, SecondRankIsAppendedBehindTheFirst) {
  Trace trace = trace_with_tracks();
  add(trace, "ProfilerStep#1", 100, 200);
  collect_marked_steps(trace, 0, RankId{0});
  const std::size_t first_row = trace.events.size();
  add(trace, "ProfilerStep#1", 0, 50, thread_of_rank(trace, RankId{1}));
  collect_marked_steps(trace, first_row, RankId{1});
  EXPECT_THAT(lines_of(trace),
              ElementsAre("0 ProfilerStep#1 [100, 200)", "1 ProfilerStep#1 [0, 50)"));
}

TEST(MarkedSteps, OfOneFileWithSeveralRanksAreThoseOfTheRank) {
  Trace trace = trace_with_tracks();
  const TrackId other = thread_of_rank(trace, RankId{1});
  add(trace, "ProfilerStep#1", 100, 200);
  add(trace, "ProfilerStep#1", 120, 220, other);
  for (int i = 0; i < 3; ++i) add(trace, "step " + std::to_string(i), i * 9, i * 9 + 5, other);
  collect_marked_steps(trace, 0, RankId{0});
  collect_marked_steps(trace, 0, RankId{1});
  EXPECT_THAT(lines_of(trace),
              ElementsAre("0 ProfilerStep#1 [100, 200)", "1 ProfilerStep#1 [120, 220)"));
}

TEST(MarkedSteps, AreInOrderWhicheverRankIsCollectedFirst) {
  const auto rank = [](std::uint32_t i) { return RankId{i}; };
  const std::vector<RankId> orders[] = {{rank(0), rank(1), rank(2)}, {rank(2), rank(0), rank(1)}};
  for (const std::vector<RankId>& order : orders) {
    Trace trace = trace_with_tracks();
    trace.ranks.resize(3);
    for (const std::int64_t start : {30, 10, 20}) {
      for (const std::uint32_t r : {1U, 0U, 2U}) {
        trace.steps.push_back({trace.strings.intern("s"), rank(r), Time{start}, Time{start + 5}});
      }
    }
    for (const RankId one : order) collect_marked_steps(trace, 0, one);
    const auto key = [](const Step& step) { return std::pair(step.rank, step.start); };
    EXPECT_EQ(trace.steps.size(), 9U);
    EXPECT_TRUE(std::ranges::is_sorted(trace.steps, {}, key));
  }
}

}  // namespace
}  // namespace lockstep::trace
