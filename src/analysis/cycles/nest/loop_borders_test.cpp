// Where iterations begin when the repetition leaves a choice.
#include "analysis/cycles/nest/loop_borders.h"

#include <gtest/gtest.h>

#include "analysis/cycles/stream/kernel_stream_for_test.h"

namespace lockstep::analysis::cycles {
namespace {

// Three iterations of four kernels with two to spare, inside [1, 15).
TestStream stream_with_slack() {
  TestStream test;
  test.add_letters("xabcdabcdabcdaby");
  return test;
}

FoundLoop loop_at(std::uint32_t start, bool holds_loop = true) {
  FoundLoop loop;
  loop.period = 4;
  loop.body_start = start;
  loop.run_start = 1;
  loop.run_end = 15;
  loop.holds_loop = holds_loop;
  for (std::uint32_t i = 0; i < 3; ++i)
    loop.iterations.push_back({start + 4 * i, start + 4 * i + 4});
  return loop;
}

MarkClass marks_at(std::vector<std::uint32_t> kernels) {
  MarkClass marks;
  marks.name = "step #";
  marks.first_kernels = std::move(kernels);
  marks.kernels = 12;
  return marks;
}

// Chooses, and moves where nothing is lost by it.
void set_borders(const KernelStream& stream, const BorderMarks& marks, std::uint32_t lo,
                 std::uint32_t hi, FoundLoop& loop) {
  const BorderChoice choice = choose_border(stream, marks, lo, hi, loop);
  loop.border = choice.evidence;
  if (choice.move) move_by(*choice.move, loop);
}

TEST(SetBorders, AnAnnotationDecides) {
  const TestStream test = stream_with_slack();
  FoundLoop loop = loop_at(1);
  set_borders(test.stream, {{marks_at({3, 7, 11})}, {}}, 0, 16, loop);
  EXPECT_EQ(loop.start(), 3U);
  EXPECT_EQ(loop.end(), 15U);
  EXPECT_EQ(loop.body_start, 3U);
  EXPECT_EQ(loop.border, BorderEvidence::kAnnotation);
}

TEST(SetBorders, AlsoToTheLeft) {
  const TestStream test = stream_with_slack();
  FoundLoop loop = loop_at(3);
  set_borders(test.stream, {{marks_at({2, 6, 10})}, {}}, 0, 16, loop);
  EXPECT_EQ(loop.start(), 2U);
}

TEST(SetBorders, AnAnnotationOutsideTheSlackDecidesToo) {
  const TestStream test = stream_with_slack();
  const BorderMarks marks{{marks_at({4, 8, 12})}, {}};
  const BorderChoice choice = choose_border(test.stream, marks, 0, 16, loop_at(1));
  EXPECT_EQ(choice.evidence, BorderEvidence::kAnnotation);
  EXPECT_EQ(choice.offset, 3U);
  EXPECT_FALSE(choice.move);
}

TEST(SetBorders, ButNotOneOfAPartOfThePass) {
  const TestStream test = stream_with_slack();
  BorderMarks marks{{marks_at({4, 8, 12})}, {}};
  marks.annotations[0].kernels = 5;  // of twelve
  EXPECT_EQ(choose_border(test.stream, marks, 0, 16, loop_at(1)).evidence, BorderEvidence::kGap);
  marks.annotations[0].first_kernels = {3, 7, 11};  // inside the slack it may
  EXPECT_EQ(choose_border(test.stream, marks, 0, 16, loop_at(1)).move, 2);
}

TEST(SetBorders, StepsWinWhereTheCaptureCutsOneOfThem) {
  const TestStream test = stream_with_slack();
  BorderMarks marks{{marks_at({4, 8})}, {}};
  marks.annotations[0].kernels = 2;  // what closes a step holds little of it
  EXPECT_EQ(choose_border(test.stream, marks, 0, 16, loop_at(1)).evidence, BorderEvidence::kGap);
  for (const bool closes : {true, false}) {
    marks.annotations[0].closes = closes;
    marks.annotations[0].is_step = !closes;
    const BorderChoice choice = choose_border(test.stream, marks, 0, 16, loop_at(1));
    EXPECT_EQ(choice.evidence, BorderEvidence::kAnnotation);
    EXPECT_EQ(choice.offset, 3U);
    EXPECT_FALSE(choice.move) << "one of three iterations is lost";
  }
}

TEST(SetBorders, MarksAreFoundBehindAForeignKernel) {
  TestStream test;
  test.add_letters("xabcdab?cdabcdaby");
  FoundLoop loop = loop_at(1);
  loop.iterations = {{1, 5}, {5, 10}, {10, 14}};
  const BorderMarks marks{{marks_at({3, 8, 12})}, {}};
  const BorderChoice choice = choose_border(test.stream, marks, 0, 17, loop);
  EXPECT_EQ(choice.evidence, BorderEvidence::kAnnotation);
  EXPECT_EQ(choice.offset, 2U);
}

TEST(SetBorders, MarksOfLayersAreNotMarksOfPasses) {
  const TestStream test = stream_with_slack();
  FoundLoop loop = loop_at(1);
  set_borders(test.stream, {{marks_at({3, 4, 7, 8, 11, 12})}, {}}, 0, 16, loop);
  EXPECT_EQ(loop.border, BorderEvidence::kGap);
}

TEST(SetBorders, MostIterationsMustBeMarked) {
  const TestStream test = stream_with_slack();
  FoundLoop loop = loop_at(1);
  set_borders(test.stream, {{marks_at({3, 7})}, {}}, 0, 16, loop);
  EXPECT_EQ(loop.border, BorderEvidence::kGap);
}

// One call launches the kernels [first, first + count) of each of three iterations.
TestStream stream_of_graphs(std::uint32_t first, std::uint32_t count) {
  TestStream test = stream_with_slack();
  for (std::uint32_t graph = 0; graph < 3; ++graph) {
    for (std::uint32_t i = 0; i < count; ++i)
      test.stream.launched_by[first + 4 * graph + i] = trace::EventId{100 + graph};
  }
  return test;
}

TEST(SetBorders, AGraphLaunchDecidesWhereNoAnnotationDoes) {
  const TestStream test = stream_of_graphs(2, 4);
  FoundLoop loop = loop_at(1);
  set_borders(test.stream, {{}, {2, 6, 10}}, 0, 16, loop);
  EXPECT_EQ(loop.start(), 2U);
  EXPECT_EQ(loop.border, BorderEvidence::kGraphLaunch);
}

TEST(SetBorders, WhatIsLaunchedBesideAGraphCostsNoIteration) {
  const TestStream test = stream_of_graphs(4, 3);  // dab, and c by itself; d is out of reach
  const BorderChoice choice = choose_border(test.stream, {{}, {4, 8, 12}}, 0, 16, loop_at(1));
  EXPECT_EQ(choice.evidence, BorderEvidence::kGraphLaunch);
  EXPECT_EQ(choice.move, 2);  // with c
}

// A pause before the third kernel of every body; one long pause elsewhere is no pattern.
TestStream stream_with_pauses() {
  TestStream test = stream_with_slack();
  for (std::size_t i = 0; i < test.stream.size(); ++i) {
    const std::int64_t pauses = static_cast<std::int64_t>((i + 1) / 4);
    const Time later{(100 * pauses + (i >= 2 ? 5000 : 0)) * kPicosecondsPerNanosecond};
    test.stream.starts[i] += later;
    test.stream.ends[i] += later;
  }
  return test;
}

TEST(SetBorders, ThenTheLargestMedianGapDoes) {
  const TestStream test = stream_with_pauses();
  FoundLoop loop = loop_at(1);
  set_borders(test.stream, {}, 0, 16, loop);
  EXPECT_EQ(loop.start(), 3U);
  EXPECT_EQ(loop.border, BorderEvidence::kGap);
}

TEST(SetBorders, ButNotAGapInsideALoopOfTheBody) {
  const TestStream test = stream_with_pauses();
  for (const std::int64_t turn : {-4, 0, 4}) {  // in whichever iteration it was found
    FoundLoop loop = loop_at(1);
    loop.inner = {{2 + turn, 5 + turn, 1}};  // b, c, d
    set_borders(test.stream, {}, 0, 16, loop);
    EXPECT_EQ(loop.start(), 1U);
    EXPECT_EQ(loop.border, BorderEvidence::kGap);
  }
}

TEST(SetBorders, AGapInTheRemainderOfALoopOfTheBodyIsOutside) {
  const TestStream test = stream_with_pauses();
  FoundLoop loop = loop_at(1);
  loop.inner = {{3, 6, 2}};  // one iteration and a half: c and d, then half of one more
  set_borders(test.stream, {}, 0, 16, loop);
  EXPECT_EQ(loop.start(), 3U);
}

TEST(SetBorders, WhereEveryPlaceIsInsideTheLargestGapDecides) {
  const TestStream test = stream_with_pauses();
  FoundLoop loop = loop_at(1);
  loop.inner = {{0, 5, 1}};
  set_borders(test.stream, {}, 0, 16, loop);
  EXPECT_EQ(loop.start(), 3U);
}

TEST(SetBorders, LayersStayLeftmostWhateverIsMarked) {
  const TestStream test = stream_with_slack();
  FoundLoop loop = loop_at(1, false);
  set_borders(test.stream, {{marks_at({3, 7, 11})}, {}}, 0, 16, loop);
  EXPECT_EQ(loop.start(), 1U);
  EXPECT_EQ(loop.border, BorderEvidence::kLeftmost);
}

TEST(SetBorders, WithoutSlackThereIsNoChoice) {
  TestStream test;
  test.add_letters("xabcdabcdabcdy");
  FoundLoop loop = loop_at(1);
  loop.run_end = 13;
  set_borders(test.stream, {}, 0, 14, loop);
  EXPECT_EQ(loop.border, BorderEvidence::kOnlyChoice);
  set_borders(test.stream, {{marks_at({1, 5, 9})}, {}}, 0, 14, loop);
  EXPECT_EQ(loop.border, BorderEvidence::kAnnotation);
}

TEST(SetBorders, NeighboursBoundTheSlack) {
  const TestStream test = stream_with_slack();
  FoundLoop loop = loop_at(1);
  set_borders(test.stream, {{marks_at({3, 7, 11})}, {}}, 0, 14, loop);
  EXPECT_EQ(loop.start(), 1U);
}

}  // namespace
}  // namespace lockstep::analysis::cycles
