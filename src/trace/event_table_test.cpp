// Claims on the columns of events.
#include "trace/event_table.h"

#include <gtest/gtest.h>

namespace lockstep::trace {
namespace {

Event event_number(std::uint32_t i) {
  Event event;
  event.start = Time{std::int64_t{i} * 1'000 - 7};
  event.duration = Time{std::int64_t{i}};
  event.name = StringId{i + 1};
  event.category = StringId{i + 2};
  event.track = TrackId{i % 5};
  event.kind = static_cast<Kind>(i % kKindCount);
  event.shape = static_cast<Shape>(i % 3);
  event.correlation = std::int64_t{i} - 1;
  return event;
}

void expect_same(const Event& got, const Event& expected) {
  EXPECT_EQ(got.start, expected.start);
  EXPECT_EQ(got.duration, expected.duration);
  EXPECT_EQ(got.name, expected.name);
  EXPECT_EQ(got.category, expected.category);
  EXPECT_EQ(got.track, expected.track);
  EXPECT_EQ(got.kind, expected.kind);
  EXPECT_EQ(got.shape, expected.shape);
  EXPECT_EQ(got.correlation, expected.correlation);
}

EventTable table_of(std::uint32_t rows) {
  EventTable table;
  for (std::uint32_t i = 0; i < rows; ++i) table.add(event_number(i));
  return table;
}

TEST(EventTable, RowsComeBackAcrossGrowth) {
  const EventTable table = table_of(5'000);
  ASSERT_EQ(table.size(), 5'000U);
  for (std::uint32_t i = 0; i < 5'000; ++i) expect_same(table.row(EventId{i}), event_number(i));
}

TEST(EventTable, IdsCountTheRows) {
  EventTable table;
  EXPECT_EQ(table.size(), 0U);
  EXPECT_EQ(table.add({}), EventId{0});
  EXPECT_EQ(table.add({}), EventId{1});
}

TEST(EventTable, EndIsStartAndDuration) {
  EventTable table;
  Event event;
  event.start = Time{-5};
  event.duration = Time{8};
  table.add(event);
  EXPECT_EQ(table.end(0), Time{3});
}

TEST(EventTable, ReservingBeforehandChangesNothing) {
  EventTable table;
  table.reserve(10);
  for (std::uint32_t i = 0; i < 3'000; ++i) table.add(event_number(i));
  for (std::uint32_t i = 0; i < 3'000; ++i) expect_same(table.row(EventId{i}), event_number(i));
}

TEST(EventTable, CopyGoesOnWhereTheOriginalStood) {
  const EventTable table = table_of(1'500);
  EventTable copy = table;
  for (std::uint32_t i = 1'500; i < 4'000; ++i) copy.add(event_number(i));
  EXPECT_EQ(table.size(), 1'500U);
  ASSERT_EQ(copy.size(), 4'000U);
  for (std::uint32_t i = 0; i < 4'000; ++i) expect_same(copy.row(EventId{i}), event_number(i));
}

}  // namespace
}  // namespace lockstep::trace
