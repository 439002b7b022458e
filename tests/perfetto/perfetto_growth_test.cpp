// Files that are small but would grow without bounds: what is made of them stays in proportion.
#include <string>

#include <gtest/gtest.h>

#include "formats/perfetto/write/perfetto_writer.h"
#include "io/byte_sink.h"
#include "packet_maker_for_test.h"

namespace lockstep_test {
namespace {

using perfetto::TrackEvent;

constexpr std::size_t kMegabyte = 1'000'000;

std::size_t pool_bytes(const lockstep::trace::Trace& trace) {
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

void define_text(PacketMaker& maker, std::uint64_t iid, std::size_t size) {
  perfetto::InternedString& text = *interned(maker).add_debug_annotation_string_values();
  text.set_iid(iid);
  text.set_str(std::string(size, 't'));
}

TEST(PerfettoGrowth, AnAnnotationThatRepeatsALongTextEndsAtALimit) {
  PacketMaker maker;
  define_text(maker, 1, 200'000);
  TrackEvent& event = maker.event(TrackEvent::TYPE_INSTANT, 1, 5, "e");
  perfetto::DebugAnnotation& list = *event.add_debug_annotations();
  list.set_name("list");
  for (int i = 0; i < 20'000; ++i) list.add_array_values()->set_string_value_iid(1);
  const ReadTrace read(maker);
  EXPECT_LT(pool_bytes(read.trace), 2 * kMegabyte);
  EXPECT_EQ(read.count_of("oversized_text"), 1U);
  const std::string json = read.argument("e", "list");
  const std::string text = '"' + std::string(200'000, 't') + '"';
  EXPECT_EQ(json.substr(0, 1 + 2 * text.size() + 1), "[" + text + "," + text);
  EXPECT_EQ(json.substr(json.size() - 6), ",null]");
}

TEST(PerfettoGrowth, ALongKeyEndsADictionaryThatIsStillJson) {
  PacketMaker maker;
  perfetto::InternedString& name = *interned(maker).add_debug_annotation_names();
  name.set_iid(1);
  name.set_str(std::string(600'000, 'k'));
  TrackEvent& event = maker.event(TrackEvent::TYPE_INSTANT, 1, 5, "e");
  perfetto::DebugAnnotation& dict = *event.add_debug_annotations();
  dict.set_name("dict");
  for (int i = 0; i < 3; ++i) {
    perfetto::DebugAnnotation& entry = *dict.add_dict_entries();
    entry.set_name_iid(1);
    entry.set_int_value(i);
  }
  const ReadTrace read(maker);
  EXPECT_EQ(read.argument("e", "dict"), "{\"" + std::string(600'000, 'k') + "\":0}");
  EXPECT_EQ(read.count_of("oversized_text"), 1U);
}

TEST(PerfettoGrowth, ManyAnnotationsTogetherStayInProportionToTheFile) {
  PacketMaker maker;
  define_text(maker, 1, 200'000);
  for (std::uint64_t i = 0; i < 2'000; ++i) {
    TrackEvent& event = maker.event(TrackEvent::TYPE_INSTANT, 1, 5 + i, "e");
    perfetto::DebugAnnotation& list = *event.add_debug_annotations();
    list.set_name("list");
    list.add_array_values()->set_uint_value(i);  // no two are alike
    for (int k = 0; k < 4; ++k) list.add_array_values()->set_string_value_iid(1);
  }
  const ReadTrace read(maker);
  EXPECT_LT(pool_bytes(read.trace), 20 * kMegabyte);
  EXPECT_GT(read.count_of("oversized_text"), 1'900U);
}

TEST(PerfettoGrowth, OrdinaryAnnotationsAreKeptWhole) {
  PacketMaker maker;
  define_text(maker, 1, 300);
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    TrackEvent& event = maker.event(TrackEvent::TYPE_INSTANT, 1, 5 + i, "e");
    perfetto::DebugAnnotation& list = *event.add_debug_annotations();
    list.set_name("list");
    list.add_array_values()->set_uint_value(i);
    list.add_array_values()->set_string_value_iid(1);
  }
  EXPECT_EQ(ReadTrace(maker).count_of("oversized_text"), 0U);
}

// What was read, written again: in the file of the writer every track has its name in full.
std::size_t written_bytes(const lockstep::trace::Trace& trace) {
  lockstep::io::MemorySink sink;
  EXPECT_TRUE(lockstep::formats::perfetto::write_perfetto(trace, sink).ok());
  return sink.bytes().size();
}

TEST(PerfettoGrowth, PathsDoNotRepeatLongNamesOfAncestors) {
  PacketMaker maker;
  for (std::uint64_t depth = 1; depth <= 20; ++depth) {
    maker.track(depth, std::string(900, 'a'), depth - 1);
  }
  for (std::uint64_t i = 0; i < 5'000; ++i) {
    maker.track(100 + i, "x" + std::to_string(i), 20);
    maker.event(TrackEvent::TYPE_INSTANT, 100 + i, 5, "e");
  }
  const ReadTrace read(maker);
  EXPECT_EQ(read.place("e"), "host 0/track 100");
  EXPECT_LT(pool_bytes(read.trace), kMegabyte);
  EXPECT_LT(written_bytes(read.trace), 5 * kMegabyte);
}

TEST(PerfettoGrowth, ANameThatManyTracksShareIsCut) {
  PacketMaker maker;
  maker.process(1, 7, std::string(200'000, 'p') + "\u00e9");
  for (std::uint64_t i = 0; i < 2'000; ++i) {
    maker.track(100 + i, "").mutable_process()->set_pid(7);
    maker.event(TrackEvent::TYPE_INSTANT, 100 + i, 5, "e");
  }
  const ReadTrace read(maker);
  EXPECT_EQ(read.count_of("oversized_text"), 1U);
  EXPECT_LT(pool_bytes(read.trace), kMegabyte);
  EXPECT_LT(written_bytes(read.trace), 10 * kMegabyte);
}

TEST(PerfettoGrowth, NamesAreCutBetweenTwoCharacters) {
  PacketMaker maker;
  std::string name(1'023, 'n');
  name += "\u00e9";  // two bytes around the limit
  maker.track(1, name);
  maker.event(TrackEvent::TYPE_INSTANT, 1, 5, "e");
  EXPECT_EQ(ReadTrace(maker).place("e"), "host 0/" + std::string(1'023, 'n'));
}

TEST(PerfettoGrowth, QueuesOfManyDevicesShareTheirNames) {
  PacketMaker maker;
  perfetto::InternedString& queue = *interned(maker).add_gpu_specifications();
  queue.set_iid(1);
  queue.set_str(std::string(200'000, 'q'));
  for (int i = 0; i < 2'000; ++i) {
    perfetto::TracePacket& packet = maker.packet();
    packet.set_timestamp(5);
    perfetto::GpuRenderStageEvent& stage = *packet.mutable_gpu_render_stage_event();
    stage.set_duration(1);
    stage.set_gpu_id(i);
    stage.set_hw_queue_iid(1);
  }
  const ReadTrace read(maker);
  EXPECT_EQ(read.trace.text(read.trace.tracks[0].id.text), std::string(1'024, 'q'));
  EXPECT_LT(written_bytes(read.trace), 10 * kMegabyte);
}

TEST(PerfettoGrowth, StreamsThatEventsNameAreCut) {
  PacketMaker maker;
  define_text(maker, 1, 200'000);
  for (std::uint64_t i = 0; i < 1'000; ++i) {
    TrackEvent& event = maker.slice(1, 10 * i, 10 * i + 5, "k", "kernel_dispatch");
    annotate(event, "agent", "Agent " + std::to_string(i));
    perfetto::DebugAnnotation& stream = *event.add_debug_annotations();
    stream.set_name("stream_ID");
    stream.set_string_value_iid(1);
  }
  const ReadTrace read(maker);
  ASSERT_EQ(read.trace.devices.size(), 1'000U);
  EXPECT_LT(written_bytes(read.trace), 10 * kMegabyte);
}

}  // namespace
}  // namespace lockstep_test
