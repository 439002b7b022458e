// Claims on what only gzip has: headers with fields, zero padding, members cut by a buffer.
#include "io/compress/gzip_source.h"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/compress/decompress.h"

namespace lockstep::io {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::size_t kInputBytes = 256 * 1024;  // what the source reads at a time
constexpr std::string_view kContent = "lockstep reads what gzip writes\n";

// What GNU gzip makes of kContent, in pieces.
constexpr std::string_view kMagicAndMethod = "\x1F\x8B\x08"sv;
constexpr std::string_view kTimeAndSystem = "\x00\xF1\x53\x65\x02\x03"sv;
constexpr std::string_view kDeflated =
    "\xCB\xC9\x4F\xCE\x2E\x2E\x49\x2D\x50\x28\x4A\x4D\x4C\x29\x56\x28\xCF\x48\x2C\x51\x48\xAF"
    "\xCA\x2C\x50\x28\x2F\xCA\x2C\x49\x2D\xE6\x02\x00"sv;
constexpr std::string_view kTrailer = "\x98\xAD\xA2\x50\x20\x00\x00\x00"sv;

// A member with the given flags and the header fields that they announce.
std::string member(char flags = 0, std::string_view fields = {}) {
  std::string out(kMagicAndMethod);
  out += flags;
  for (const std::string_view part : {kTimeAndSystem, fields, kDeflated, kTrailer}) out += part;
  return out;
}

struct Inflated {
  std::string bytes;
  std::vector<std::string> reported;
};

Inflated inflate(std::string compressed) {
  const auto source = make_gzip_source(std::make_unique<MemorySource>(std::move(compressed)));
  Inflated out;
  std::array<char, 1000> buffer{};
  for (;;) {
    const Result<std::size_t> got = source->read(buffer);
    if (!got.ok() || got.value() == 0) break;
    out.bytes.append(buffer.data(), got.value());
  }
  for (const Diagnostic& entry : source->diagnostics().entries()) {
    out.reported.emplace_back(entry.kind->name);
  }
  return out;
}

TEST(GzipSource, ReadsWhatGnuGzipWrites) {
  const Inflated out = inflate(member(0x08, "note.txt\0"sv));
  EXPECT_EQ(out.bytes, kContent);
  EXPECT_THAT(out.reported, IsEmpty());
}

TEST(GzipSource, HeaderFieldsAreSkipped) {
  struct Case {
    char flags;
    std::string_view fields;
  };
  for (const Case& c : {Case{0x00, ""sv},  // none
                        Case{0x01, ""sv},  // "this is text"
                        Case{0x04,
                             "\x05\x00"
                             "extra"sv},
                        Case{0x10, "a comment\0"sv},
                        Case{0x1C,
                             "\x02\x00"
                             "xxname\0comment\0"sv}}) {
    const Inflated out = inflate(member(c.flags, c.fields));
    EXPECT_EQ(out.bytes, kContent) << int{c.flags};
    EXPECT_THAT(out.reported, IsEmpty()) << int{c.flags};
  }
}

TEST(GzipSource, TimeAndSystemOfTheHeaderDoNotMatter) {
  for (std::size_t at = 4; at < 10; ++at) {
    std::string changed = member();
    changed[at] = static_cast<char>(~changed[at]);
    EXPECT_EQ(inflate(changed).bytes, kContent) << at;
    EXPECT_THAT(inflate(changed).reported, IsEmpty()) << at;
  }
}

TEST(GzipSource, OtherMethodsThanDeflateAreDamage) {
  std::string changed = member();
  changed[2] = 7;
  const Inflated out = inflate(changed);
  EXPECT_EQ(out.bytes, "");
  EXPECT_THAT(out.reported, ElementsAre("damaged_compression"));
}

TEST(GzipSource, AFewZerosAreNotWorthAWord) {
  for (const std::size_t zeros : {1, 2, 3, 7}) {
    const Inflated out = inflate(member() + std::string(zeros, '\0'));
    EXPECT_EQ(out.bytes, kContent) << zeros;
    EXPECT_THAT(out.reported, IsEmpty()) << zeros;
  }
}

TEST(GzipSource, BytesBehindZeroPaddingAreReported) {
  const Inflated out = inflate(member() + "\0\0\0the tail"s);
  EXPECT_EQ(out.bytes, kContent);
  EXPECT_THAT(out.reported, ElementsAre("unread_compression"));
}

TEST(GzipSource, MemberMayBeginAnywhereInTheBuffer) {
  const std::string first = member();
  for (std::size_t begin = kInputBytes - 70; begin < kInputBytes + 3; ++begin) {
    const std::string comment(begin - 2 * first.size() - 1, 'c');
    const std::string commented = member(0x10, comment + '\0');
    ASSERT_EQ(first.size() + commented.size(), begin);
    const Inflated out = inflate(first + commented + member(0x08, "second\0"sv));
    ASSERT_EQ(out.bytes, std::string(kContent) + std::string(kContent) + std::string(kContent))
        << begin;
    ASSERT_THAT(out.reported, IsEmpty()) << begin;
  }
}

TEST(GzipSource, ManySmallMembersAreRead) {
  std::string compressed;
  std::string expected;
  for (int i = 0; i < 5'000; ++i) {
    compressed += member();
    expected += kContent;
  }
  const Inflated out = inflate(compressed);
  EXPECT_TRUE(out.bytes == expected);
  EXPECT_THAT(out.reported, IsEmpty());
}

TEST(GzipSource, SecondMemberWithABadHeaderIsDamage) {
  const Inflated out = inflate(member() + "\x1F\x8B\x07 not deflate"s);
  EXPECT_EQ(out.bytes, kContent);
  EXPECT_THAT(out.reported, ElementsAre("damaged_compression"));
}

}  // namespace
}  // namespace lockstep::io
