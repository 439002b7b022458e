// Pairing of begins and ends, in the order of the file and in that of time.
#include "formats/perfetto/map/event_rows.h"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "formats/shared/record_defects.h"

namespace lockstep::formats::perfetto {
namespace {

struct Fixture {
  trace::Trace trace;
  Diagnostics diagnostics;
  EventRows rows{trace, trace::KeepArguments::kAll, diagnostics};
  EventRows::Lane lane = rows.add_lane();

  void begin(std::int64_t time) {
    trace::Event event;
    event.start = Time{time};
    event.track = trace::TrackId{lane};
    rows.begin(lane, event, {}, {}, 0);
  }
  void end(std::int64_t time) { rows.end(lane, time, kEmptyString, 0); }

  std::vector<std::pair<std::int64_t, std::int64_t>> spans() {
    rows.finish(true);
    rows.compact();
    std::vector<std::pair<std::int64_t, std::int64_t>> found;
    for (std::size_t i = 0; i < trace.events.size(); ++i) {
      found.emplace_back(trace.events.start[i].ps, trace.events.end(i).ps);
    }
    std::ranges::sort(found);
    return found;
  }
};

TEST(EventRows, DroppedRowsMoveTheOthersAndTheirArguments) {
  Fixture f;
  const StringId key = f.trace.strings.intern("key");
  for (int i = 0; i < 4; ++i) {
    trace::Event event;
    event.start = Time{i};
    const std::vector<trace::Argument> arguments = {trace::Argument::integer(key, i)};
    f.rows.add(event, arguments);
  }
  f.rows.drop(1);
  f.rows.compact();
  ASSERT_EQ(f.trace.events.size(), 3U);
  EXPECT_EQ(f.trace.arguments.of(trace::EventId{1})[0].as_integer(), 2);
  EXPECT_EQ(f.rows.moved_to(0), 0U);
  EXPECT_EQ(f.rows.moved_to(1), std::nullopt);
  EXPECT_EQ(f.rows.moved_to(3), 2U);
}

TEST(EventRows, AnOpenBeginIsDroppedAndCounted) {
  Fixture f;
  f.begin(0);
  f.begin(1);
  f.end(2);
  EXPECT_THAT(f.spans(), testing::ElementsAre(std::pair<std::int64_t, std::int64_t>(1, 2)));
  EXPECT_EQ(f.diagnostics.count_of(shared::kUnfinishedSpan), 1U);
}

// Slices that nest strictly, their edges in any order: time alone tells the pairs.
RC_GTEST_PROP(EventRows, EdgesInAnyOrderGiveTheSlices, ()) {
  const auto depths =
      *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 6)));
  std::vector<std::pair<std::int64_t, std::int64_t>> want;
  std::int64_t at = 0;
  for (const int depth : depths) {
    for (int d = 0; d < depth; ++d) want.emplace_back(at + d, at + 2 * depth - d);
    at += 2 * depth + 1;
  }
  std::vector<std::pair<std::int64_t, bool>> edges;
  for (const auto& [begin, end] : want) {
    edges.emplace_back(begin, true);
    edges.emplace_back(end, false);
  }
  std::mt19937 random(static_cast<unsigned>(*rc::gen::inRange(0, 1'000)));
  std::ranges::shuffle(edges, random);
  Fixture f;
  for (const auto& [time, is_begin] : edges) is_begin ? f.begin(time) : f.end(time);
  const auto found = f.spans();
  // An order in the file that fits by chance is believed; otherwise the slices come back.
  RC_ASSERT(found.size() == want.size());
  RC_ASSERT(!f.diagnostics.has_loss());
}

}  // namespace
}  // namespace lockstep::formats::perfetto
