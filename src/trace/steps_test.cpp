// Claims on steps that the user marked.
#include "trace/steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr TrackId kHostTrack{0};
constexpr TrackId kDeviceTrack{1};

Trace trace_with_two_tracks() {
  Trace trace;
  trace.ranks.emplace_back();
  trace.processes.emplace_back();
  trace.tracks.resize(2);
  trace.tracks[index_of(kDeviceTrack)].side = Track::Side::kDevice;
  return trace;
}

void add(Trace& trace, std::string_view name, std::int64_t start, std::int64_t end,
         TrackId track = kHostTrack, Kind kind = Kind::kAnnotation, Shape shape = Shape::kSpan) {
  Event event;
  event.start = Time{start};
  event.duration = Time{end - start};
  event.name = trace.strings.intern(name);
  event.track = track;
  event.kind = kind;
  event.shape = shape;
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

TEST(MarkedSteps, ComeInTimeOrder) {
  Trace trace = trace_with_two_tracks();
  add(trace, "ProfilerStep#2", 200, 300);
  add(trace, "aten::mm", 0, 50, kHostTrack, Kind::kHostOp);
  add(trace, "ProfilerStep#1", 100, 200);
  add(trace, "Step#9", 100, 150);
  collect_marked_steps(trace, 0, RankId{0});
  EXPECT_THAT(lines_of(trace), ElementsAre("0 Step#9 [100, 150)", "0 ProfilerStep#1 [100, 200)",
                                           "0 ProfilerStep#2 [200, 300)"));
}

TEST(MarkedSteps, CopiesOnTheDeviceAreNotSecondSteps) {
  Trace trace = trace_with_two_tracks();
  add(trace, "ProfilerStep#1", 100, 200);
  add(trace, "ProfilerStep#1", 120, 220, kDeviceTrack);
  collect_marked_steps(trace, 0, RankId{0});
  EXPECT_THAT(lines_of(trace), ElementsAre("0 ProfilerStep#1 [100, 200)"));
}

TEST(MarkedSteps, OnlyEventsThatLastMarkSteps) {
  Trace trace = trace_with_two_tracks();
  add(trace, "ProfilerStep#1", 0, 0, kHostTrack, Kind::kAnnotation, Shape::kInstant);
  add(trace, "my region", 0, 10);
  collect_marked_steps(trace, 0, RankId{0});
  EXPECT_THAT(lines_of(trace), IsEmpty());
}

TEST(MarkedSteps, AnOperatorWithTheNameOfAStepMarksOne) {
  Trace trace = trace_with_two_tracks();
  add(trace, "ProfilerStep#1", 0, 10, kHostTrack, Kind::kHostOp);
  collect_marked_steps(trace, 0, RankId{0});
  EXPECT_THAT(lines_of(trace), ElementsAre("0 ProfilerStep#1 [0, 10)"));
}

TEST(MarkedSteps, AMarkerWrittenTwiceIsOneStep) {
  Trace trace = trace_with_two_tracks();
  add(trace, "ProfilerStep#1", 0, 10, kHostTrack, Kind::kHostOp);
  add(trace, "ProfilerStep#1", 0, 10, kHostTrack, Kind::kAnnotation);
  collect_marked_steps(trace, 0, RankId{0});
  EXPECT_THAT(lines_of(trace), ElementsAre("0 ProfilerStep#1 [0, 10)"));
}

TEST(MarkedSteps, SecondRankIsAppendedBehindTheFirst) {
  Trace trace = trace_with_two_tracks();
  add(trace, "ProfilerStep#1", 100, 200);
  collect_marked_steps(trace, 0, RankId{0});
  const std::size_t first_row = trace.events.size();
  add(trace, "ProfilerStep#1", 0, 50);
  collect_marked_steps(trace, first_row, RankId{1});
  EXPECT_THAT(lines_of(trace),
              ElementsAre("0 ProfilerStep#1 [100, 200)", "1 ProfilerStep#1 [0, 50)"));
}

}  // namespace
}  // namespace lockstep
