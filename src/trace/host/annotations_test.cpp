// Which events are annotations.
#include "trace/host/annotations.h"

#include <gtest/gtest.h>

#include "trace/steps.h"
#include "trace/trace_for_test.h"

namespace lockstep::trace {
namespace {

TEST(Annotations, AreThoseOfTheHostAndTheirCopiesOnDevices) {
  TestTrace test;
  const TrackId stream = test.add_stream(test.add_device("0"), "7");
  const EventId of_host = test.add(test.host, Kind::kAnnotation, "layer", 0, 10);
  test.add(test.host, Kind::kHostOp, "aten::mm", 0, 10);
  const EventId copy = test.add(stream, Kind::kAnnotation, "layer", 20, 10);
  EXPECT_EQ(annotations_of(test.trace), (std::vector{of_host, copy}));
}

TEST(Annotations, ThatDoNotLastAreNone) {
  TestTrace test;
  test.add_instant(test.host, Kind::kAnnotation, "here", 5);
  EXPECT_TRUE(annotations_of(test.trace).empty());
}

TEST(Annotations, OfThisProgramAreNone) {
  TestTrace test;
  test.add(test.host, Kind::kAnnotation, "decode", 0, 10, kNoCorrelation, kOwnAnnotationCategory);
  EXPECT_TRUE(annotations_of(test.trace).empty());
}

}  // namespace
}  // namespace lockstep::trace
