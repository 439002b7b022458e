// Bad input: cut off, bent, hostile. Everything is counted, nothing crashes.
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <isa-l/igzip_lib.h>
#include <zstd.h>

#include "packet_maker_for_test.h"
#include "trace_maker_for_test.h"

namespace lockstep_test {
namespace {

using lockstep::formats::shared::Sniff;
using perfetto::TrackEvent;
using testing::HasSubstr;

constexpr std::uint64_t kStart = 1'000'000'000;

PacketMaker two_slices() {
  PacketMaker maker;
  maker.process(1, 7, "p");
  maker.thread(2, 7, 8, "t", 1);
  maker.slice(2, kStart, kStart + 10, "first");
  maker.slice(2, kStart + 20, kStart + 30, "second");
  return maker;
}

std::string deflated(const std::string& bytes) {
  std::string out(bytes.size() + 1'000, '\0');
  isal_zstream stream{};
  isal_deflate_stateless_init(&stream);
  stream.gzip_flag = IGZIP_ZLIB;
  stream.next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<std::uint32_t>(bytes.size());
  stream.next_out = reinterpret_cast<std::uint8_t*>(out.data());
  stream.avail_out = static_cast<std::uint32_t>(out.size());
  stream.end_of_stream = 1;
  EXPECT_EQ(isal_deflate_stateless(&stream), COMP_OK);
  out.resize(stream.total_out);
  return out;
}

std::string zstandard(const std::string& bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3));
  return out;
}

TEST(PerfettoDamage, EveryCutIsReadUpToItAndSaid) {
  const PacketMaker maker = two_slices();
  const std::string whole = maker.bytes();
  std::vector<std::size_t> ends;
  std::string prefix;
  for (const auto& packet : maker.trace.packet()) {
    perfetto::Trace one;
    *one.add_packet() = packet;
    prefix += one.SerializeAsString();
    ends.push_back(prefix.size());
  }
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    const ReadTrace read(whole.substr(0, cut));
    const bool is_border = cut == 0 || std::ranges::find(ends, cut) != ends.end();
    if (!read.status.ok()) {
      EXPECT_LT(cut, ends[2]) << cut;
      continue;
    }
    EXPECT_EQ(read.count_of("truncated_packet"), is_border ? 0U : 1U) << cut;
    EXPECT_EQ(read.size(), cut == whole.size() ? 2U : cut >= ends[3] ? 1U : 0U) << cut;
    EXPECT_EQ(read.count_of("unfinished_span"),
              (cut >= ends[2] && cut < ends[3]) || (cut >= ends[4] && cut < ends[5]) ? 1U : 0U)
        << cut;
  }
}

TEST(PerfettoDamage, NoWrongByteLosesASliceInSilence) {
  TraceMaker own;
  const auto stream = own.add_stream("0", "7", "H200");
  for (int i = 0; i < 20; ++i) own.add_span(stream, "k" + std::to_string(i), i * 1'500, 1'700);
  lockstep::io::MemorySink sink;
  ASSERT_TRUE(lockstep::formats::perfetto::write_perfetto(own.trace, sink).ok());
  std::mt19937 random(7);
  for (const std::string& whole : {two_slices().bytes(), std::string(sink.bytes())}) {
    const std::size_t events = ReadTrace(whole).size();
    for (std::size_t i = 0; i < whole.size(); ++i) {
      std::string bent = whole;
      bent[i] = static_cast<char>(random());
      const ReadTrace read(bent, true, 64);
      EXPECT_LE(read.size(), 21U);
      const bool is_less = read.status.ok() && read.size() < events;
      EXPECT_FALSE(is_less && read.trace.diagnostics.entries().empty()) << i;
    }
  }
}

TEST(PerfettoDamage, AfterADamagedLengthReadingGoesOnAtTheNextPacket) {
  const PacketMaker maker = two_slices();
  std::string bytes = maker.bytes();
  bytes[1] = '\x7F';  // the first packet now reaches into the second
  const ReadTrace read(bytes);
  ASSERT_TRUE(read.status.ok());
  EXPECT_EQ(read.size(), 2U);
  EXPECT_GE(read.count_of("damaged_framing") + read.count_of("damaged_packet"), 1U);
}

TEST(PerfettoDamage, LengthsBeyondTheFileAndBeyondReasonAreCounted) {
  const std::string good = two_slices().bytes();
  const std::string beyond_file = good + "\x0A\xFF\xFF\x7F" + "xyz";
  EXPECT_EQ(ReadTrace(beyond_file).count_of("truncated_packet"), 1U);
  const std::string absurd = good + "\x0A\xFF\xFF\xFF\xFF\xFF\x7F" + good;
  const ReadTrace read(absurd);
  EXPECT_EQ(read.count_of("damaged_framing"), 1U);
  EXPECT_EQ(read.size(), 4U);
}

TEST(PerfettoDamage, ForeignBytesBetweenAndBehindPacketsAreCounted) {
  const std::string good = two_slices().bytes();
  const ReadTrace read(good + std::string(1'000, '\0') + good + "garbage");
  EXPECT_EQ(read.size(), 4U);
  EXPECT_EQ(read.count_of("damaged_framing"), 2U);
}

TEST(PerfettoDamage, ConcatenatedFilesAreOneTrace) {
  const std::string good = two_slices().bytes();
  EXPECT_EQ(ReadTrace(good + good).size(), 4U);
}

TEST(PerfettoDamage, AFieldOfTheWrongTypeIsPassedOverAndCounted) {
  std::string packet = "\x42\x01x";  // field 8, the timestamp, as bytes
  packet += "\x50\x01";              // trusted_packet_sequence_id 1
  const std::string bent = std::string("\x0A") + static_cast<char>(packet.size()) + packet;
  EXPECT_EQ(ReadTrace(two_slices().bytes() + bent).count_of("wrong_wire_type"), 1U);
  std::string event = "\x5A\x03\x4A\x01x";  // track_event { type as bytes }
  event += "\x40\x05\x50\x01";
  const std::string bent_event = std::string("\x0A") + static_cast<char>(event.size()) + event;
  const ReadTrace read(two_slices().bytes() + bent_event);
  EXPECT_EQ(read.count_of("wrong_wire_type"), 1U);
  EXPECT_EQ(read.size(), 2U);
}

std::string packet_of(const std::string& fields) {
  return std::string("\x0A") + static_cast<char>(fields.size()) + fields;
}

TEST(PerfettoDamage, AnEventUnderAnotherNumberIsSaid) {
  const std::string event = "\x48\x03\x58\x07";  // an instant of track 7
  for (const char tag : {'\x4A', '\x7A', '\x1A', '\x0A'}) {
    const std::string hidden = packet_of("\x40\x05\x50\x01" + (tag + ("\x04" + event)));
    const ReadTrace read(two_slices().bytes() + hidden);
    EXPECT_EQ(read.count_of("misplaced_field"), 1U) << int{tag};
    EXPECT_EQ(read.size(), 2U);
  }
  const std::string twice = packet_of("\x40\x05\x50\x01\x5A\x04" + event + "\x5A\x04" + event);
  EXPECT_EQ(ReadTrace(two_slices().bytes() + twice).count_of("misplaced_field"), 1U);
}

TEST(PerfettoDamage, APacketThatSwallowsTheNextOneIsSaid) {
  const std::string next = packet_of("\x40\x05\x50\x01\x5A\x04\x48\x03\x58\x07");
  const std::string outer = packet_of("\x40\x05\x50\x01" + next);
  const ReadTrace read(two_slices().bytes() + outer);
  EXPECT_EQ(read.count_of("misplaced_field"), 1U);
  EXPECT_EQ(read.size(), 2U);
}

TEST(PerfettoDamage, PacketsThatNobodyReadsAreNoDamage) {
  std::string bundle("\x08\x00\x12\x06\x08\x05\x10\x07\x1A\x00", 10);  // of ftrace: cpu, event
  bundle = packet_of("\x50\x01\x0A\x0A" + bundle);
  EXPECT_EQ(ReadTrace(two_slices().bytes() + bundle).count_of("misplaced_field"), 0U);
  // trace_config { max_file_size_bytes guardrail_overrides { max_upload_per_day_bytes } }
  const std::string config = packet_of("\x50\x01\x8A\x02\x06\x50\x40\x5A\x02\x08\x40");
  EXPECT_EQ(ReadTrace(two_slices().bytes() + config).count_of("misplaced_field"), 0U);
  // trace_stats { invalid_packets filter_stats { input_packets output_packets } }
  const std::string stats = packet_of("\x50\x01\x9A\x02\x08\x50\x02\x5A\x04\x08\x40\x18\x20");
  EXPECT_EQ(ReadTrace(two_slices().bytes() + stats).count_of("misplaced_field"), 0U);
}

TEST(PerfettoDamage, AnEventOfNoTypeOrOneThatThereIsNotIsLost) {
  for (const char type : {'\x00', '\x05', '\x44'}) {
    const std::string event = std::string("\x48") + type + "\x58\x07";
    const ReadTrace read(two_slices().bytes() + packet_of("\x40\x05\x50\x01\x5A\x04" + event));
    EXPECT_EQ(read.count_of("unknown_event_type"), 1U) << int{type};
  }
}

TEST(PerfettoDamage, ADamagedSnapshotLeavesNoHalfOfItBehind) {
  // clock_snapshot { clocks { clock_id: 6 } clocks { clock_id: 3 } and then no protobuf }
  std::string packet = "\x32\x0A\x0A\x02\x08\x06\x0A\x02\x08\x03\x0F\x0F";
  packet += "\x50\x01";
  const std::string bent = std::string("\x0A") + static_cast<char>(packet.size()) + packet;
  const ReadTrace read(bent + two_slices().bytes());
  EXPECT_EQ(read.count_of("damaged_packet"), 1U);
  EXPECT_EQ(read.size(), 2U);
}

TEST(PerfettoDamage, CompressedPacketsOfBothKindsAreRead) {
  const std::string inside = two_slices().bytes();
  for (const bool is_zstd : {false, true}) {
    PacketMaker maker;
    perfetto::TracePacket& packet = maker.packet();
    if (is_zstd) {
      packet.set_zstd_compressed_packets(zstandard(inside));
    } else {
      packet.set_compressed_packets(deflated(inside));
    }
    const ReadTrace read(maker);
    EXPECT_EQ(read.size(), 2U) << is_zstd;
    EXPECT_FALSE(read.trace.diagnostics.has_loss()) << is_zstd;
  }
}

TEST(PerfettoDamage, CompressedPacketsThatAreCutOffGiveWhatIsBeforeTheCut) {
  std::string inside = two_slices().bytes();
  for (int i = 0; i < 8; ++i) inside += inside;
  for (const bool is_zstd : {false, true}) {
    const std::string packed = is_zstd ? zstandard(inside) : deflated(inside);
    for (std::size_t cut = 0; cut < packed.size(); ++cut) {
      PacketMaker maker = two_slices();
      perfetto::TracePacket& packet = maker.packet();
      if (is_zstd) {
        packet.set_zstd_compressed_packets(packed.substr(0, cut));
      } else {
        packet.set_compressed_packets(packed.substr(0, cut));
      }
      const ReadTrace read(maker);
      EXPECT_GE(read.size(), 2U);
      EXPECT_TRUE(read.trace.diagnostics.has_loss()) << is_zstd << " " << cut;
    }
  }
}

TEST(PerfettoDamage, CompressionInsideCompressionIsRefused) {
  PacketMaker inner;
  inner.packet().set_compressed_packets(deflated(two_slices().bytes()));
  PacketMaker outer = two_slices();
  outer.packet().set_compressed_packets(deflated(inner.bytes()));
  const ReadTrace read(outer);
  EXPECT_EQ(read.count_of("nested_compression"), 1U);
  EXPECT_EQ(read.size(), 2U);
}

TEST(PerfettoDamage, ABombIsReadPieceByPiece) {
  PacketMaker maker = two_slices();
  maker.packet().set_zstd_compressed_packets(zstandard(std::string(64U << 20, '\0')));
  const ReadTrace read(maker);
  EXPECT_EQ(read.size(), 2U);
  EXPECT_TRUE(read.trace.diagnostics.has_loss());
}

TEST(PerfettoDamage, DeepAnnotationsEndAtALimit) {
  PacketMaker maker;
  perfetto::DebugAnnotation* at = maker.slice(1, kStart, kStart + 1, "e").add_debug_annotations();
  at->set_name("deep");
  for (int i = 0; i < 60; ++i) at = at->add_dict_entries();
  at->set_int_value(1);
  const ReadTrace read(maker);
  EXPECT_EQ(read.count_of("deep_annotation"), 1U);
  EXPECT_THAT(read.argument("e", "deep"), HasSubstr("null"));
}

TEST(PerfettoDamage, TracksThatAreTheirOwnAncestorsAreSaid) {
  PacketMaker maker;
  maker.track(1, "a", 2);
  maker.track(2, "b", 1);
  maker.track(3, "self", 3);
  maker.slice(1, kStart, kStart + 1, "x");
  maker.slice(3, kStart, kStart + 1, "y");
  const ReadTrace read(maker);
  EXPECT_EQ(read.size(), 2U);
  EXPECT_EQ(read.count_of("track_cycle"), 2U);
}

TEST(PerfettoDamage, LargestIdsAreIdsLikeOthers) {
  PacketMaker maker;
  maker.track(~0ULL, "last");
  auto& name = *maker.packet().mutable_interned_data()->add_event_names();
  name.set_iid(~0ULL);
  name.set_str("named");
  maker.begin(~0ULL, kStart, "").set_name_iid(~0ULL);
  maker.end(~0ULL, kStart + 5);
  const ReadTrace read(maker);
  EXPECT_EQ(read.place("named"), "host 0/last");
}

TEST(PerfettoDamage, EndsWithoutBeginsAndBeginsWithoutEndsAreCounted) {
  PacketMaker maker;
  maker.end(1, kStart);
  maker.slice(1, kStart, kStart + 1, "whole");
  maker.begin(1, kStart + 5, "open");
  const ReadTrace read(maker);
  EXPECT_EQ(read.size(), 1U);
  EXPECT_EQ(read.count_of("unfinished_span"), 1U);
  EXPECT_EQ(read.count_of("end_without_begin"), 1U);
}

TEST(PerfettoDamage, AHeaderThatMakesNoSenseIsSaidAndTheTracksAreUsed) {
  TraceMaker own;
  own.trace.tracks.clear();
  const auto stream = own.add_stream("3", "7", "H200");
  own.add_span(stream, "k", 0, 2'000);
  lockstep::io::MemorySink sink;
  ASSERT_TRUE(lockstep::formats::perfetto::write_perfetto(own.trace, sink).ok());
  std::string bytes(sink.bytes());
  const std::size_t at = bytes.find("\"process\":0");
  ASSERT_NE(at, std::string::npos);
  bytes[at + 10] = '9';
  const ReadTrace read(bytes);
  EXPECT_EQ(read.count_of("damaged_lockstep_header"), 1U);
  EXPECT_EQ(read.place("k"), "device 0/3/7");
  EXPECT_EQ(read.duration_ns("k"), 2);
}

TEST(PerfettoDamage, NumbersOfAHeaderMustBeIntegersInRange) {
  TraceMaker own;
  own.add_span(own.add_stream("3", "7", "H200"), "k", 0, 2'000);
  lockstep::io::MemorySink sink;
  ASSERT_TRUE(lockstep::formats::perfetto::write_perfetto(own.trace, sink).ok());
  perfetto::Trace file;
  ASSERT_TRUE(file.ParseFromString(std::string(sink.bytes())));
  const auto damaged_by = [&](std::string_view key, std::string_view value) {
    perfetto::Trace changed = file;
    for (perfetto::TracePacket& packet : *changed.mutable_packet()) {
      if (packet.track_descriptor().description().empty()) continue;
      std::string& text = *packet.mutable_track_descriptor()->mutable_description();
      const std::size_t at = text.find(key);
      if (at == std::string::npos) continue;
      const std::size_t from = at + key.size();
      text.replace(from, text.find_first_of(",}", from) - from, value);
    }
    return ReadTrace(changed.SerializeAsString()).count_of("damaged_lockstep_header") == 1;
  };
  EXPECT_FALSE(damaged_by("\"events\":", "1"));
  EXPECT_TRUE(damaged_by("\"lockstep\":", "1.0"));
  EXPECT_TRUE(damaged_by("\"lockstep\":", "1e300"));
  EXPECT_TRUE(damaged_by("\"events\":", "1e300"));
  EXPECT_TRUE(damaged_by("\"events\":", "-1"));
  EXPECT_TRUE(damaged_by("\"number\":", "2.5"));
  EXPECT_TRUE(damaged_by("\"number\":", "18446744073709551615"));
  EXPECT_TRUE(damaged_by("\"process\":", "0.0"));
  EXPECT_TRUE(damaged_by("\"sort_index\":", "1e300"));
  EXPECT_FALSE(damaged_by("\"origin_ns\":", "\"9214000000000000000\""));
  EXPECT_TRUE(damaged_by("\"origin_ns\":", "\"9223372036854775807\""));
  EXPECT_TRUE(damaged_by("\"origin_ns\":", "\"-9223372036854775808\""));
}

TEST(PerfettoDamage, FilesWithoutEventsAreRefusedInWords) {
  PacketMaker maker;
  maker.process(1, 7, "p");
  const ReadTrace read(maker);
  ASSERT_FALSE(read.status.ok());
  EXPECT_EQ(read.status.error().text(),
            "test.pftrace: is Perfetto protobuf but holds no track events. lockstep reads track "
            "events and GPU render stages");
  const ReadTrace cut(two_slices().bytes().substr(0, 9));
  ASSERT_FALSE(cut.status.ok());
  EXPECT_EQ(cut.status.error().text(),
            "test.pftrace: is Perfetto protobuf but no event of it can be read. The file is "
            "damaged or cut off");
  EXPECT_TRUE(read.trace.ranks.empty());
}

TEST(PerfettoSniff, PacketsAreToldFromPlanesOfXSpace) {
  const auto verdict = [](std::string_view head) {
    return lockstep::formats::perfetto::perfetto_format().sniff(head, "x").verdict;
  };
  EXPECT_EQ(verdict(two_slices().bytes()), Sniff::Verdict::kYes);
  EXPECT_EQ(verdict(two_slices().bytes().substr(0, 12)), Sniff::Verdict::kYes);
  // XPlane { id: 1, name: "/host:CPU" } and XPlane { name: "/host:CPU", lines: ... }
  EXPECT_EQ(verdict("\x0A\x0D\x08\x01\x12\x09/host:CPU"), Sniff::Verdict::kNo);
  EXPECT_EQ(verdict("\x0A\x0F\x12\x09/host:CPU\x1A\x02\x08\x01"), Sniff::Verdict::kNo);
  EXPECT_EQ(verdict(""), Sniff::Verdict::kNo);
  EXPECT_EQ(verdict("\n{\"traceEvents\": []}"), Sniff::Verdict::kNo);
  EXPECT_EQ(verdict("\n\nhello world, this is text"), Sniff::Verdict::kNo);
  PacketMaker marker;
  marker.trace.add_packet()->set_synchronization_marker("0123456789abcdef");
  EXPECT_EQ(verdict(marker.bytes()), Sniff::Verdict::kYes);
  // Only a clock snapshot in sight: it may be.
  perfetto::Trace clocks;
  clocks.add_packet()->mutable_clock_snapshot()->add_clocks()->set_clock_id(6);
  EXPECT_EQ(verdict(clocks.SerializeAsString()), Sniff::Verdict::kMaybe);
}

}  // namespace
}  // namespace lockstep_test
