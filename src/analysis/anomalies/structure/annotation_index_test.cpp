// The annotations that meet a stretch of time, against reading all of them.
#include "analysis/anomalies/structure/annotation_index.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "trace/trace_for_test.h"

namespace lockstep::analysis::anomalies {
namespace {

std::vector<trace::EventId> meeting(const AnnotationIndex& index, trace::TrackId thread,
                                    std::int64_t first_ns, std::int64_t last_ns) {
  std::vector<HostAnnotation> found;
  index.append(thread, {first_ns * 1000}, {last_ns * 1000}, found);
  std::vector<trace::EventId> events;
  for (const HostAnnotation& one : found) events.push_back(one.event);
  return events;
}

TEST(AnnotationIndex, HasNothingWhereNothingIsAnnotated) {
  trace::TestTrace trace;
  EXPECT_TRUE(meeting(AnnotationIndex(trace.trace), trace.host, 0, 100).empty());
}

TEST(AnnotationIndex, KnowsNoMarkersOfSteps) {
  trace::TestTrace trace;
  trace.add(trace.host, trace::Kind::kAnnotation, "ProfilerStep#1", 0, 100);
  const trace::EventId layer = trace.add(trace.host, trace::Kind::kAnnotation, "layer", 0, 100);
  EXPECT_EQ(meeting(AnnotationIndex(trace.trace), trace.host, 10, 20), std::vector{layer});
}

TEST(AnnotationIndex, GivesOuterAnnotationsBeforeInnerOnes) {
  trace::TestTrace trace;
  const trace::EventId inner = trace.add(trace.host, trace::Kind::kAnnotation, "inner", 10, 5);
  const trace::EventId outer = trace.add(trace.host, trace::Kind::kAnnotation, "outer", 10, 50);
  EXPECT_EQ(meeting(AnnotationIndex(trace.trace), trace.host, 12, 12), (std::vector{outer, inner}));
}

RC_GTEST_PROP(AnnotationIndexProperty, FindsWhatReadingAllFinds, ()) {
  trace::TestTrace trace;
  const trace::TrackId other = trace.add_host_thread("2");
  const auto count = *rc::gen::inRange(0, 40);
  for (int i = 0; i < count; ++i) {
    trace.add(*rc::gen::arbitrary<bool>() ? trace.host : other, trace::Kind::kAnnotation, "a",
              *rc::gen::inRange(0, 60), *rc::gen::inRange(0, 30));
  }
  const AnnotationIndex index(trace.trace);
  const std::int64_t first = *rc::gen::inRange(0, 60);
  const std::int64_t last = first + *rc::gen::inRange(0, 30);
  const trace::EventTable& events = trace.trace.events;
  for (const trace::TrackId thread : {trace.host, other}) {
    std::vector<trace::EventId> expected;
    for (std::uint32_t i = 0; i < events.size(); ++i) {
      if (events.track[i] == thread && events.start[i].ps <= last * 1000 &&
          events.end(i).ps > first * 1000) {
        expected.push_back(trace::EventId{i});
      }
    }
    std::vector<trace::EventId> found = meeting(index, thread, first, last);
    const auto start_of = [&](trace::EventId e) { return events.start[trace::index_of(e)]; };
    RC_ASSERT(std::ranges::is_sorted(found, {}, start_of));
    std::ranges::sort(found);
    RC_ASSERT(found == expected);
  }
}

}  // namespace
}  // namespace lockstep::analysis::anomalies
