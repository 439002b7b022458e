// Claims on what is said below a loop, and on loops that are one row.
#include "report/cycles/loops/loop_notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/cycles/cycles_for_test.h"
#include "report/cycles/cycles_view.h"
#include "report/cycles/loops/loop_rows.h"

namespace lockstep::report::cycles {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(LoopNotes, AnOutlierInsideAnotherLoopIsToldByItsPlace) {
  analysis::cycles::StreamCycles stream = passes_for_test();
  stream.loops[1].outliers = {{7, test_us(90), 9, 1, false}};
  EXPECT_THAT(loop_notes(stream, 1),
              Contains("1 outlier: layer 2 of decode pass 3 with 90.000 us"));
}

TEST(LoopNotes, OutliersOfOneLayerOfEveryPassAreToldOnce) {
  analysis::cycles::StreamCycles stream = passes_for_test();
  for (const std::uint32_t iteration : {0U, 3U, 6U, 9U})
    stream.loops[1].outliers.push_back({iteration, test_us(90), 9, 0, true});
  stream.loops[1].odd_places = {{0, 4, test_us(90)}};
  EXPECT_THAT(loop_notes(stream, 1), Contains("layer 1 mostly takes 90.000 us"));
  EXPECT_THAT(loop_notes(stream, 1), Not(Contains(HasSubstr("outlier"))));
}

TEST(LoopNotes, ATrendInsideAnotherLoopIsNotSaid) {
  analysis::cycles::StreamCycles stream = passes_for_test();
  stream.loops[1].trend = analysis::cycles::Trend{1, 0.001, true, 0.5};
  EXPECT_THAT(loop_notes(stream, 1), Not(Contains(HasSubstr("over the run"))));
  stream.nest.loops[1].parent = analysis::cycles::kNoLoop;
  EXPECT_THAT(loop_notes(stream, 1), Contains("iterations get 50.0 % longer over the run"));
}

TEST(LoopNotes, IncompleteIterationsAreCounted) {
  analysis::cycles::StreamCycles stream = passes_for_test();
  stream.loops[1].partial = 2;
  EXPECT_THAT(loop_notes(stream, 1), Contains("2 more iterations are incomplete and not counted"));
}

TEST(BorderWords, AreThoseOfAStranger) {
  using Border = analysis::cycles::BorderEvidence;
  EXPECT_EQ(border_words(Border::kAnnotation), "annotation");
  EXPECT_EQ(border_words(Border::kGraphLaunch), "graph launch");
  EXPECT_EQ(border_words(Border::kGap), "longest gap");
  EXPECT_EQ(border_words(Border::kLeftmost), "first repeat");
  EXPECT_EQ(border_words(Border::kOnlyChoice), "only fit");
  EXPECT_EQ(border_words(Border::kAnchor), "anchor kernel");
}

}  // namespace
}  // namespace lockstep::report::cycles
