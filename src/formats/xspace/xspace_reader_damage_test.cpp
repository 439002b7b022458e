// Damaged, cut and foreign bytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/xspace/read/xspace_sniff.h"
#include "formats/xspace/xspace_for_test.h"

namespace lockstep::formats::xspace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

shared::Sniff::Verdict verdict(const std::string& head, std::string_view path = "x") {
  return sniff(head, path).verdict;
}

TEST(XSpaceSniff, KnowsPlanesByTheirNames) {
  EXPECT_EQ(verdict(sample_space()), shared::Sniff::Verdict::kYes);
  EXPECT_EQ(verdict(environment()), shared::Sniff::Verdict::kYes);
  EXPECT_EQ(verdict(sample_space().substr(0, 20)), shared::Sniff::Verdict::kYes);
  EXPECT_EQ(verdict(plane("something", {line(1, "a", 0, {})})), shared::Sniff::Verdict::kMaybe);
}

TEST(XSpaceSniff, PerfettoIsNoXSpace) {
  // A packet with a clock snapshot (6), one with timestamp (8), sequence (10) and event (11).
  const std::string packet =
      field(1, number_field(8, 5) + number_field(10, 1) + field(11, "\x48\x01"));
  EXPECT_EQ(verdict(packet), shared::Sniff::Verdict::kNo);
  const std::string clocks = field(1, number_field(10, 1) + field(6, field(1, number_field(1, 6))));
  EXPECT_EQ(verdict(clocks + packet), shared::Sniff::Verdict::kNo);
  const std::string process_tree = field(1, field(2, field(1, number_field(1, 4711))));
  EXPECT_EQ(verdict(process_tree + packet), shared::Sniff::Verdict::kNo);
}

TEST(XSpaceSniff, OtherBytesAreNoXSpace) {
  EXPECT_EQ(verdict(""), shared::Sniff::Verdict::kNo);
  EXPECT_EQ(verdict("{\"traceEvents\": []}"), shared::Sniff::Verdict::kNo);
  EXPECT_EQ(verdict("\n{\"traceEvents\": []}"), shared::Sniff::Verdict::kNo);
  EXPECT_EQ(verdict("\x1F\x8B"), shared::Sniff::Verdict::kNo);
}

TEST(XSpaceSniff, ANameThatPromisesAnXSpaceIsHeldAgainstTheBytes) {
  const shared::Sniff result = sniff("hello", "a.xplane.pb.gz");
  ASSERT_TRUE(result.refusal);
  EXPECT_EQ(
      result.refusal->text(),
      "a.xplane.pb.gz: is named like an XSpace and does not begin like one. It may be damaged "
      "at its start, or packed in a way that lockstep does not know");
}

// What a tool does that reads bytes as UTF-8 and writes them again.
std::string mangled(const std::string& bytes) {
  std::string out;
  for (const char c : bytes) {
    static_cast<unsigned char>(c) < 0x80 ? out += c : out += "\xEF\xBF\xBD";
  }
  return out;
}

TEST(XSpaceSniff, MangledBytesAreRefusedWithTheCause) {
  const shared::Sniff result = sniff(mangled(sample_space()), "a.xplane.pb");
  ASSERT_TRUE(result.refusal);
  EXPECT_EQ(
      result.refusal->text(),
      "a.xplane.pb: is an XSpace that a text tool has destroyed: its bytes were read as UTF-8 "
      "and those that are none were replaced by EF BF BD. Copy the original again, as binary");
  const Reading read = read_space(mangled(sample_space()));
  ASSERT_FALSE(read.status.ok());
  EXPECT_THAT(read.status.error().message, HasSubstr("EF BF BD"));
}

TEST(XSpaceReaderDamage, BytesWithoutPlanesAreRefused) {
  const Reading read = read_space(field(4, "host"));
  ASSERT_FALSE(read.status.ok());
  EXPECT_EQ(read.status.error().text(), "test.xplane.pb: is an XSpace without any named plane");
}

TEST(XSpaceReaderDamage, EveryCutIsReadUpToIt) {
  const std::string whole = sample_space();
  const std::size_t events = read_space(whole).trace.events.size();
  std::size_t most = 0;
  for (std::size_t length = 1; length < whole.size(); ++length) {
    const Reading read = read_space(whole.substr(0, length));
    if (!read.status.ok()) continue;
    EXPECT_LE(read.count_of("truncated_xspace"), 1) << length;
    EXPECT_EQ(read.count_of("damaged_record"), 0) << length;
    EXPECT_LE(read.trace.events.size(), events);
    EXPECT_GE(read.trace.events.size(), most) << length;
    most = read.trace.events.size();
  }
  EXPECT_EQ(most, events);
}

TEST(XSpaceReaderDamage, ACutIsCounted) {
  const std::string whole = sample_space();
  const Reading read = read_space(whole.substr(0, 60));
  ASSERT_TRUE(read.status.ok());
  EXPECT_EQ(read.count_of("truncated_xspace"), 1);
  EXPECT_EQ(read.count_of("unknown_event_name"), read.trace.events.size());
}

TEST(XSpaceReaderDamage, EveryEventWithoutItsNameIsCounted) {
  const Reading read = read_space(
      plane("/device:GPU:0", {line(1, "Stream #1", 0, {event(9, 1, 1), event(9, 2, 1)})}));
  EXPECT_EQ(read.count_of("unknown_event_name"), 2);
  EXPECT_THAT(brief(read.trace), ElementsAre("kernel device 0/1 event metadata 9 1+1",
                                             "kernel device 0/1 event metadata 9 2+1"));
}

TEST(XSpaceReaderDamage, ADamagedStatLeavesItsEvent) {
  const std::string bad = field(4, number_field(1, 1) + number_field(2, 7) + field(4, "\x18"));
  const Reading read = read_space(
      plane("/device:GPU:0", {line(1, "Stream #1", 0, {bad}), event_name(1, "k")}) + environment());
  EXPECT_EQ(read.trace.events.size(), 1);
  EXPECT_EQ(read.count_of("damaged_record"), 1);
}

TEST(XSpaceReaderDamage, AnEventOfWrongTypesLosesOnlyThoseFields) {
  const std::string bad = field(4, field(1, "abc") + number_field(2, 7) + number_field(3, 1));
  const std::string space =
      plane("/device:GPU:0", {line(1, "Stream #1", 0, {bad, event(1, 9, 1)}), event_name(1, "k")});
  const Reading read = read_space(space);
  EXPECT_EQ(read.count_of("wrong_wire_type"), 1);
  EXPECT_EQ(read.trace.events.size(), 2);
}

// A plane of one kernel, and behind it the field under test, in its line or in the plane.
Reading read_beside(const std::string& in_line, const std::string& in_plane = {}) {
  return read_space(plane("/device:GPU:0", {line(1, "Stream #1", 5, {event(1, 9, 1), in_line}),
                                            in_plane, event_name(1, "k")}) +
                    environment());
}

TEST(XSpaceReaderDamage, AnEventUnderAnotherNumberIsSaid) {
  const std::string body = number_field(1, 1) + number_field(2, 7) + number_field(3, 1);
  for (const std::uint32_t number : {5, 6, 8, 12, 36, 68}) {
    const Reading read = read_beside(field(number, body));
    EXPECT_EQ(read.count_of("misplaced_field"), 1) << number;
    EXPECT_EQ(read.trace.events.size(), 1) << number;
  }
  for (const std::uint32_t number : {2, 11}) {  // names; the first display name is no surprise
    const Reading read = read_beside(field(number, body) + field(number, body));
    EXPECT_GE(read.count_of("misplaced_field"), 1) << number;
  }
}

TEST(XSpaceReaderDamage, NumbersThatALineHasAlreadyAreSaid) {
  EXPECT_EQ(read_beside(number_field(1, 3)).count_of("misplaced_field"), 1);
  EXPECT_EQ(read_beside(number_field(3, 3)).count_of("misplaced_field"), 1);
  EXPECT_EQ(read_beside(number_field(2, 13)).count_of("wrong_wire_type"), 1);
  EXPECT_EQ(read_beside(number_field(4, 13)).count_of("wrong_wire_type"), 1);
  for (const std::uint32_t number : {1, 3, 9, 10}) {  // as in a page of line ends
    EXPECT_EQ(read_beside(field(number, "\n\n\n\n")).count_of("wrong_wire_type"), 1) << number;
  }
}

TEST(XSpaceReaderDamage, FieldsOfLaterVersionsAreNoDamage) {
  const Reading read = read_beside(number_field(12, 3) + field(13, "a text") + number_field(9, 1) +
                                       number_field(10, 1) + field(14, field(1, "x")),
                                   field(7, "a text") + number_field(8, 1));
  EXPECT_TRUE(read.trace.diagnostics.entries().empty());
}

TEST(XSpaceReaderDamage, ALineUnderAnotherNumberIsSaid) {
  const std::string body = number_field(1, 1) + field(2, "Stream #2") + event(1, 9, 1);
  EXPECT_EQ(read_beside({}, field(7, body)).count_of("misplaced_field"), 1);
  EXPECT_EQ(read_beside({}, field(2, body)).count_of("misplaced_field"), 1);
  EXPECT_EQ(read_beside({}, field(4, body)).count_of("damaged_record"), 1);
  EXPECT_EQ(read_beside({}, field(1, body)).count_of("wrong_wire_type"), 1);
}

TEST(XSpaceReaderDamage, APlaneUnderAnotherNumberIsSaid) {
  const std::string body = field(2, "/device:GPU:1") + line(1, "Stream #1", 0, {event(1, 9, 1)});
  for (const std::uint32_t number : {2, 3, 4, 5, 9}) {
    const Reading read = read_space(sample_space() + field(number, body));
    EXPECT_EQ(read.count_of("misplaced_field"), 1) << number;
  }
  EXPECT_EQ(read_space(sample_space() + number_field(1, 9)).count_of("wrong_wire_type"), 1);
  EXPECT_EQ(read_space(sample_space() + field(3, "a warning")).count_of("misplaced_field"), 0);
}

TEST(XSpaceReaderDamage, AStatOfFieldsThatNoStatHasIsSaid) {
  const auto bent = [](const std::string& stat) {
    const std::string body = number_field(1, 1) + number_field(2, 7) + field(4, stat);
    return read_beside(field(4, body)).count_of("wrong_wire_type");
  };
  EXPECT_EQ(bent(number_field(1, 1) + field(3, "x")), 1);
  EXPECT_EQ(bent(number_field(1, 1) + number_field(9, 5)), 1);
  EXPECT_EQ(bent(number_field(9, 1) + number_field(4, 5)), 1);
  EXPECT_EQ(bent(signed_stat(1, 5)), 0);
  EXPECT_EQ(bent(signed_stat(1, 5) + number_field(9, 1)), 0);  // of a later version
}

TEST(XSpaceReaderDamage, AnEventThatSwallowsTheNextOneIsSaid) {
  for (const std::int64_t id : {1, 300}) {
    const std::string inner = event(id, 9, 1);
    const std::string outer = field(4, number_field(1, 1) + number_field(2, 7) + inner);
    for (const bool keeps_arguments : {false, true}) {
      const Reading read =
          read_space(plane("/device:GPU:0", {line(1, "Stream #1", 0, {outer}), event_name(1, "k"),
                                             stat_name(1, "a"), stat_name(300, "b")}),
                     keeps_arguments);
      EXPECT_EQ(read.count_of("misplaced_field"), 1) << id;
    }
  }
}

TEST(XSpaceReaderDamage, EventsOfNoBytesAreCountedAndMakeNoRows) {
  const Reading read = read_beside(field(4, "") + field(4, ""));
  EXPECT_EQ(read.count_of("empty_event"), 2);
  EXPECT_EQ(read.trace.events.size(), 1);
}

TEST(XSpaceReaderDamage, PlanesAndLinesOfNothingMakeNoProcessesAndTracks) {
  const Reading read = read_space(plane("/device:GPU:0", {line(1, "Stream #1", 0, {event(1, 9, 1)}),
                                                          field(3, ""), event_name(1, "k")}) +
                                  plane("a", {field(3, "")}) + plane("b", {}));
  EXPECT_EQ(read.trace.processes.size(), 1);
  EXPECT_EQ(read.trace.tracks.size(), 1);
}

TEST(XSpaceReaderDamage, AStatUnderAnotherNumberIsSaid) {
  const std::string lost = number_field(1, 1) + number_field(2, 7) + field(6, signed_stat(1, 5));
  EXPECT_EQ(read_beside(field(4, lost)).count_of("misplaced_field"), 1);
  // The tag of the stat became that of a number, which took its length for the value.
  const std::string bare =
      number_field(1, 1) + number_field(2, 7) + number_field(15, 4) + signed_stat(1, 5);
  EXPECT_GE(read_beside(field(4, bare)).count_of("misplaced_field"), 1);
}

TEST(XSpaceReaderDamage, ADamagedEventIsDroppedAndTheNextIsRead) {
  const std::string bad = field(4, "\x08\x01\x22\x7F");  // a stat longer than its event
  const std::string space =
      plane("/device:GPU:0", {line(1, "Stream #1", 0, {bad, event(1, 9, 1)}), event_name(1, "k")}) +
      environment();
  const Reading read = read_space(space);
  EXPECT_EQ(read.count_of("damaged_record"), 1);
  EXPECT_EQ(read.count_of("truncated_xspace"), 0);
  EXPECT_EQ(read.trace.events.size(), 1);
}

TEST(XSpaceReaderDamage, ALengthBeyondItsPlaneIsDamageThere) {
  const std::string bad = std::string("\x1A\x7F", 2) + "abc";  // a line of 127 bytes, of which 3
  const std::string space =
      plane("/host:CPU", {bad}) +
      plane("/device:GPU:0", {line(1, "Stream #1", 0, {event(1, 9, 1)}), event_name(1, "k")});
  const Reading read = read_space(space);
  EXPECT_GE(read.count_of("damaged_record"), 1);
  EXPECT_EQ(read.trace.events.size(), 1);
}

TEST(XSpaceReaderDamage, TimesThatMakeNoSenseAreCounted) {
  const std::string space =
      plane("/device:GPU:0", {line(1, "Stream #1", 0,
                                   {event(1, 1000, 10), event(1, 2000, -5), event(1, INT64_MAX, 10),
                                    event(1, 3000, INT64_MAX)}),
                              event_name(1, "k")});
  const Reading read = read_space(space);
  EXPECT_EQ(read.trace.events.size(), 1);
  EXPECT_EQ(read.count_of("negative_duration"), 1);
  EXPECT_EQ(read.count_of("time_out_of_range"), 2);
}

TEST(XSpaceReaderDamage, HostileIdsTakeNoMemory) {
  const std::string space = plane(
      "/device:GPU:0",
      {line(1, "Stream #1", 0, {event(INT64_MAX, 1, 1), event(-1, 2, 1), event(1 << 30, 3, 1)}),
       event_name(INT64_MAX, "a"), event_name(-1, "b"), event_name(1 << 30, "c")});
  EXPECT_THAT(
      brief(read_space(space).trace),
      ElementsAre("kernel device 0/1 a 1+1", "kernel device 0/1 b 2+1", "kernel device 0/1 c 3+1"));
}

TEST(XSpaceReaderDamage, DeepNestingIsNotFollowed) {
  std::string bomb;
  for (int i = 0; i < 2'000; ++i) bomb = field(4, bomb);
  const Reading read = read_space(plane("/host:CPU", {field(3, bomb), bomb, field(6, bomb)}));
  ASSERT_TRUE(read.status.ok());
  EXPECT_EQ(read.trace.events.size(), 1);
}

// Whatever a name, an id or a time became, rows refer to what is there.
void expect_read_or_refused(const Reading& read, std::size_t at) {
  if (!read.status.ok()) {
    EXPECT_EQ(read.status.error().code, ErrorCode::kInput) << at;
    EXPECT_THAT(read.status.error().text(), testing::StartsWith("test.xplane.pb: is ")) << at;
    EXPECT_TRUE(read.trace.ranks.empty()) << at;
    return;
  }
  const trace::Trace& trace = read.trace;
  EXPECT_EQ(trace.ranks.size(), 1U) << at;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    EXPECT_LT(trace::index_of(trace.events.track[i]), trace.tracks.size()) << at;
    EXPECT_LT(static_cast<std::size_t>(trace.events.name[i]), trace.strings.size()) << at;
    EXPECT_GE(trace.events.duration[i].ps, 0) << at;
  }
}

TEST(XSpaceReaderDamage, AnyFlippedByteIsReadOrRefused) {
  const std::string whole = sample_space();
  const std::size_t events = read_space(whole).trace.events.size();
  std::size_t lost_in_silence = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char flip : {'\x01', '\x7F', '\xFF'}) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ flip);
      const Reading read = read_space(bytes);
      expect_read_or_refused(read, at);
      EXPECT_FALSE(sniff(bytes, "x").refusal) << at;
      const bool is_less = read.status.ok() && read.trace.events.size() < events;
      lost_in_silence += is_less && read.trace.diagnostics.entries().empty() ? 1U : 0U;
    }
  }
  // A name one byte shorter, whose last letter is the tag of four bytes that nobody knows.
  EXPECT_LE(lost_in_silence, 1U) << "of " << 3 * whole.size();
}

}  // namespace
}  // namespace lockstep::formats::xspace
