// Random overlapping slices through the writer: each comes out once, with its own begin and end.
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "replay.h"
#include "trace_maker_for_test.h"

namespace lockstep_test {
namespace {

struct Span {
  std::int64_t start_ps;
  std::int64_t duration_ps;
};

// Few distinct times, so that slices often touch, coincide, nest or have no length.
rc::Gen<Span> any_span() {
  return rc::gen::map(rc::gen::tuple(rc::gen::inRange(-20, 200), rc::gen::inRange(0, 60)),
                      [](const std::tuple<int, int>& halves) {
                        const auto [start, duration] = halves;
                        return Span{start * 500, duration * 500};
                      });
}

std::int64_t floor_div(std::int64_t value, std::int64_t by) {
  return value / by - (value % by < 0 ? 1 : 0);
}

// Partly overlapping, so that no track can hold both.
bool cross(const ShownEvent& a, const ShownEvent& b) {
  return (a.begin < b.begin && b.begin < a.end && a.end < b.end) ||
         (b.begin < a.begin && a.begin < b.end && b.end < a.end);
}

RC_GTEST_PROP(PerfettoProperty, EverySliceComesOutOnceWithItsTimes, ()) {
  const auto spans = *rc::gen::container<std::vector<Span>>(any_span());
  TraceMaker maker;
  const std::vector<lockstep::trace::TrackId> tracks = {maker.add_stream("0", "7"),
                                                        maker.add_thread("1", "2")};
  for (std::size_t i = 0; i < spans.size(); ++i) {
    maker.add_span(tracks[i % 2], std::to_string(i), spans[i].start_ps, spans[i].duration_ps);
  }
  const ShownTrace shown = maker.shown();
  RC_ASSERT(shown.faults.empty());
  RC_ASSERT(shown.slices.size() == spans.size());
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const ShownEvent& slice = shown.slice(std::to_string(i));
    const std::int64_t end = spans[i].start_ps + spans[i].duration_ps;
    RC_ASSERT(static_cast<std::int64_t>(slice.begin) ==
              1'000 + floor_div(spans[i].start_ps, 1'000));
    RC_ASSERT(static_cast<std::int64_t>(slice.end) == 1'000 + floor_div(end, 1'000));
    RC_ASSERT(shown.path_of(slice.track_uuid) ==
              (i % 2 == 0 ? "GPU 0/stream 7" : "python3/thread 2"));
  }
}

RC_GTEST_PROP(PerfettoProperty, SlicesOfOneTrackNeverCross, ()) {
  const auto spans = *rc::gen::container<std::vector<Span>>(any_span());
  TraceMaker maker;
  const lockstep::trace::TrackId track = maker.add_stream("0", "7");
  for (const Span& span : spans) maker.add_span(track, "x", span.start_ps, span.duration_ps);
  const ShownTrace shown = maker.shown();
  for (const ShownEvent& a : shown.slices) {
    for (const ShownEvent& b : shown.slices) {
      RC_ASSERT(a.track_uuid != b.track_uuid || !cross(a, b));
    }
  }
}

}  // namespace
}  // namespace lockstep_test
