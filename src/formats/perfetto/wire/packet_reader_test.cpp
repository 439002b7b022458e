// Packets come out the same however the bytes are cut, and damage costs no memory.
#include "formats/perfetto/wire/packet_reader.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "formats/perfetto/defects.h"

namespace lockstep::formats::perfetto {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Bytes of a packet { timestamp: time, trusted_packet_sequence_id: 1 }.
std::string body(char time) { return std::string("\x40") + time + "\x50\x01"; }

std::string framed(const std::string& packet) {
  std::string bytes = "\x0A";
  for (std::size_t left = packet.size();;) {
    bytes += static_cast<char>((left & 0x7F) | (left > 0x7F ? 0x80 : 0));
    if ((left >>= 7) == 0) break;
  }
  return bytes + packet;
}

struct Cut {
  std::vector<std::string> packets;
  std::vector<std::uint64_t> offsets;
  Diagnostics diagnostics;

  explicit Cut(const std::string& bytes, std::size_t chunk = 7) {
    io::MemorySource source{bytes};
    PacketReader reader(source, chunk, diagnostics);
    while (true) {
      const auto packet = reader.next();
      if (!packet.ok() || !packet.value()) break;
      packets.emplace_back(packet.value()->bytes);
      offsets.push_back(packet.value()->offset);
    }
  }
};

TEST(PacketReader, PacketsKnowTheirPlace) {
  const Cut cut(framed(body('\x05')) + framed("") + framed(body('\x06')));
  EXPECT_THAT(cut.packets, ElementsAre(body('\x05'), "", body('\x06')));
  EXPECT_THAT(cut.offsets, ElementsAre(2U, 8U, 10U));
  EXPECT_THAT(cut.diagnostics.entries(), IsEmpty());
}

TEST(PacketReader, AnAbsurdLengthIsDamageAndTheRestIsRead) {
  const std::string absurd = "\x0A\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F";
  const Cut cut(framed(body('\x05')) + absurd + framed(body('\x06')));
  EXPECT_THAT(cut.packets, ElementsAre(body('\x05'), body('\x06')));
  EXPECT_EQ(cut.diagnostics.count_of(kDamagedFraming), 1U);
  EXPECT_EQ(cut.diagnostics.entries()[0].first.at, 6U);
}

TEST(PacketReader, ALengthBeyondTheInputEndsItOnlyWhenNothingFollows) {
  const std::string beyond = "\x0A\xFF\xFF\x7F";
  EXPECT_EQ(Cut(framed(body('\x05')) + beyond + "abc").diagnostics.count_of(kTruncatedPacket), 1U);
  const Cut cut(beyond + framed(body('\x06')));
  EXPECT_THAT(cut.packets, ElementsAre(body('\x06')));
  EXPECT_EQ(cut.diagnostics.count_of(kDamagedFraming), 1U);
}

TEST(PacketReader, OtherFieldsBetweenPacketsAreDamage) {
  const Cut cut(framed(body('\x05')) + "\x12\x01x" + framed(body('\x06')));
  EXPECT_THAT(cut.packets, ElementsAre(body('\x05'), body('\x06')));
  EXPECT_EQ(cut.diagnostics.count_of(kDamagedFraming), 1U);
}

TEST(PacketReader, NoiseGivesNothing) {
  EXPECT_THAT(Cut(std::string(10'000, '\x0A')).diagnostics.entries(), testing::SizeIs(1));
  EXPECT_THAT(Cut(std::string(10'000, '\xFF')).packets, IsEmpty());
  EXPECT_THAT(Cut("").diagnostics.entries(), IsEmpty());
}

RC_GTEST_PROP(PacketReader, ChunksDoNotMatter, ()) {
  const auto sizes = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 400));
  const auto noise = *rc::gen::arbitrary<std::string>();
  const auto chunk = static_cast<std::size_t>(*rc::gen::inRange(1, 300));
  std::string bytes;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (i == sizes.size() / 2) bytes += noise;
    bytes += framed(body('\x07') + "\xD2\x04\x01x" +
                    std::string(static_cast<std::size_t>(sizes[i]) / 4, '\x42'));
  }
  const Cut whole(bytes, bytes.size() + 1);
  const Cut cut(bytes, chunk);
  RC_ASSERT(cut.packets == whole.packets);
  RC_ASSERT(cut.offsets == whole.offsets);
  RC_ASSERT(cut.diagnostics.entries().size() == whole.diagnostics.entries().size());
}

}  // namespace
}  // namespace lockstep::formats::perfetto
