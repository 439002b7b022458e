// Claims on what only zstd has: skippable frames, frames that tell their size, hostile windows.
#include "io/compress/zstd_source.h"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/compress/decompress.h"

namespace lockstep::io {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::size_t kInputBytes = 128 * 1024 + 3;  // what the source reads at a time
const std::string kContent = "lockstep reads what zstd writes\n";

// What the zstd program makes of kContent; its header tells the size of the content.
const std::string kFrame = "\x28\xB5\x2F\xFD\x24\x20\x01\x01\x00"s + kContent + "\x66\xC3\xD0\xE7"s;

// A frame that says nothing, of `size` bytes in all.
std::string skippable(std::size_t size, char variant = 0) {
  std::string out = "\x50\x2A\x4D\x18"s;
  out[0] = static_cast<char>(out[0] + variant);
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>((size - 8) >> shift);
  out.resize(size, 'x');
  return out;
}

struct Inflated {
  std::string bytes;
  std::vector<std::string> reported;
};

Inflated inflate(std::string compressed) {
  const auto source = make_zstd_source(std::make_unique<MemorySource>(std::move(compressed)));
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

TEST(ZstdSource, ReadsWhatTheZstdProgramWrites) {
  const Inflated out = inflate(kFrame);
  EXPECT_EQ(out.bytes, kContent);
  EXPECT_THAT(out.reported, IsEmpty());
}

TEST(ZstdSource, SkippableFramesSayNothing) {
  for (char variant = 0; variant < 16; ++variant) {
    const std::string skipped = skippable(20, variant);
    const Inflated out = inflate(kFrame + skipped + kFrame + skipped);
    EXPECT_EQ(out.bytes, kContent + kContent) << int{variant};
    EXPECT_THAT(out.reported, IsEmpty()) << int{variant};
  }
}

TEST(ZstdSource, EmptyAndLargeSkippableFramesAreSkipped) {
  for (const std::size_t size : {8, 9, 11, 500'000}) {
    const Inflated out = inflate(skippable(size) + kFrame);
    EXPECT_EQ(out.bytes, kContent) << size;
    EXPECT_EQ(out.reported.size(), size > 64 * 1024 ? 1U : 0U) << size;
  }
}

TEST(ZstdSource, LargeSkippableFrameIsSaid) {
  EXPECT_THAT(inflate(kFrame + skippable(64 * 1024 + 8)).reported, IsEmpty());
  EXPECT_THAT(inflate(kFrame + skippable(64 * 1024 + 9)).reported,
              ElementsAre("large_skipped_frame"));
}

TEST(ZstdSource, FrameInsideASkippableOneIsLoss) {
  std::string hidden = skippable(8 + kFrame.size());
  hidden.replace(8, kFrame.size(), kFrame);
  const Inflated out = inflate(kFrame + hidden + kFrame);
  EXPECT_EQ(out.bytes, kContent + kContent);
  EXPECT_THAT(out.reported, ElementsAre("unread_compression"));
}

TEST(ZstdSource, HeadsOfParallelZstdStaySilent) {
  std::string all;
  for (int i = 0; i < 100; ++i) all += skippable(12) + kFrame;
  EXPECT_THAT(inflate(all).reported, IsEmpty());
}

TEST(ZstdSource, CutHeadOfASkippableFrameIsReported) {
  for (std::size_t cut = 1; cut < 12; ++cut) {
    const Inflated out = inflate(kFrame + skippable(12).substr(0, cut));
    EXPECT_EQ(out.bytes, kContent) << cut;
    EXPECT_THAT(out.reported, ElementsAre("truncated_compression")) << cut;
  }
}

TEST(ZstdSource, CutSkippableFrameIsReported) {
  const Inflated out = inflate(kFrame + skippable(100).substr(0, 50));
  EXPECT_EQ(out.bytes, kContent);
  EXPECT_THAT(out.reported, ElementsAre("truncated_compression"));
}

TEST(ZstdSource, FrameMayBeginAnywhereInTheBuffer) {
  for (std::size_t begin = kInputBytes - 60; begin < kInputBytes + 3; ++begin) {
    const Inflated out = inflate(skippable(begin) + kFrame);
    ASSERT_EQ(out.bytes, kContent) << begin;
    ASSERT_THAT(out.reported, ElementsAre("large_skipped_frame")) << begin;
  }
}

TEST(ZstdSource, InputThatEndsWithTheBufferIsComplete) {
  const Inflated out = inflate(skippable(kInputBytes - kFrame.size()) + kFrame);
  EXPECT_EQ(out.bytes, kContent);
  EXPECT_THAT(out.reported, ElementsAre("large_skipped_frame"));
}

TEST(ZstdSource, KnownSizeDoesNotMakeDamageCostTheWholeFrame) {
  std::string wrong_checksum = kFrame;
  wrong_checksum.back() = '\0';
  const Inflated out = inflate(wrong_checksum);
  EXPECT_EQ(out.bytes, kContent);
  EXPECT_THAT(out.reported, ElementsAre("checksum_mismatch"));
}

TEST(ZstdSource, EveryCutOfAFrameOfKnownSizeIsReported) {
  for (std::size_t cut = 0; cut < kFrame.size(); ++cut) {
    const Inflated out = inflate(kFrame.substr(0, cut));
    EXPECT_TRUE(kContent.starts_with(out.bytes)) << cut;
    EXPECT_THAT(out.reported, ElementsAre("truncated_compression")) << cut;
  }
}

TEST(ZstdSource, FrameThatAsksForGigabytesIsRefused) {
  // A window descriptor of 0xF8 is 2 TiB.
  const Inflated out = inflate("\x28\xB5\x2F\xFD\x00\xF8\x01\x00\x00"s);
  EXPECT_EQ(out.bytes, "");
  EXPECT_THAT(out.reported, ElementsAre("damaged_compression"));
}

TEST(ZstdSource, OtherMagicAtTheStartIsDamage) {
  EXPECT_THAT(inflate("plain text").reported, ElementsAre("damaged_compression"));
}

}  // namespace
}  // namespace lockstep::io
