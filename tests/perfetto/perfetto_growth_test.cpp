// Files that are small but would grow without bounds: what is made of them stays in proportion.
#include <string>

#include <gtest/gtest.h>

#include "packet_maker.h"

namespace lockstep_test {
namespace {

using perfetto::TrackEvent;

constexpr std::size_t kMegabyte = 1'000'000;

std::size_t pool_bytes(const lockstep::Trace& trace) {
  std::size_t bytes = 0;
  for (std::uint32_t i = 0; i < trace.strings.size(); ++i) {
    bytes += trace.strings.view(lockstep::StringId{i}).size();
  }
  return bytes;
}

perfetto::InternedData& interned(PacketMaker& maker) {
  return *maker.packet().mutable_interned_data();
}

TEST(PerfettoGrowth, ManyCategoriesOfOneEventAreJoinedOnceAndCut) {
  PacketMaker maker;
  perfetto::InternedString& category = *interned(maker).add_event_categories();
  category.set_iid(1);
  category.set_str("c");
  TrackEvent& event = maker.event(TrackEvent::TYPE_INSTANT, 1, 5, "e");
  for (int i = 0; i < 60'000; ++i) event.add_category_iids(1);
  const ReadTrace read(maker);
  EXPECT_LT(pool_bytes(read.trace), 10'000U);
  EXPECT_EQ(read.count_of("oversized_text"), 1U);
  std::string expected = "c";
  for (int i = 1; i < 64; ++i) expected += ",c";
  EXPECT_EQ(read.trace.text(read.trace.events.category[0]), expected);
}

TEST(PerfettoGrowth, LongCategoriesAreNotJoined) {
  PacketMaker maker;
  for (std::uint64_t iid = 1; iid <= 20; ++iid) {
    perfetto::InternedString& category = *interned(maker).add_event_categories();
    category.set_iid(iid);
    category.set_str(std::string(20'000, 'c') + std::to_string(iid));
  }
  for (std::uint64_t i = 0; i < 400; ++i) {
    TrackEvent& event = maker.event(TrackEvent::TYPE_INSTANT, 1, 5 + i, "e");
    event.add_category_iids(1 + i / 20);
    event.add_category_iids(1 + i % 20);
  }
  const ReadTrace read(maker);
  EXPECT_LT(pool_bytes(read.trace), kMegabyte);
  EXPECT_EQ(read.count_of("oversized_text"), 400U);
}

}  // namespace
}  // namespace lockstep_test
