// Claims on reading ahead: the same bytes, errors in their place, no hanging.
#include "io/read_ahead.h"

#include <algorithm>
#include <new>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep::io {
namespace {

std::string digits(std::size_t bytes) {
  std::string out;
  for (std::size_t i = 0; out.size() < bytes; ++i) out += std::to_string(i) + ",";
  out.resize(bytes);
  return out;
}

// Fails, throws, or never ends, behind its bytes.
class OddSource : public ByteSource {
 public:
  enum class Behind { kFailure, kShortage, kZerosForEver };
  OddSource(std::string bytes, Behind behind) : below_(std::move(bytes)), behind_(behind) {}

  [[nodiscard]] Result<std::size_t> read(std::span<char> buffer) override {
    auto got = below_.read(buffer);
    if (got.value() > 0) return got;
    if (behind_ == Behind::kFailure) return input_error("x", "reading failed: I/O");
    if (behind_ == Behind::kShortage) {
      ++thrown_;
      throw std::bad_alloc();
    }
    return buffer.size();
  }
  [[nodiscard]] const Diagnostics& diagnostics() const override { return below_.diagnostics(); }
  [[nodiscard]] std::uint64_t raw_bytes_read() const override { return below_.raw_bytes_read(); }
  [[nodiscard]] int thrown() const { return thrown_; }

 private:
  MemorySource below_;
  Behind behind_;
  int thrown_ = 0;
};

std::string_view text_of(ReadAhead::Chunk& chunk) {
  return {chunk.bytes().data(), chunk.bytes().size()};
}

std::string read_all(ReadAhead& ahead) {
  std::string out;
  for (;;) {
    const auto chunk = ahead.next();
    if (!chunk.ok() || !chunk.value()) return out;
    out += text_of(*chunk.value());
  }
}

TEST(ReadAhead, ChunksOfAnySizeDeliverTheSameBytes) {
  const std::string content = digits(20'000);
  for (const std::size_t chunk_bytes : {1, 3, 4096, 20'000, 100'000}) {
    MemorySource source(content);
    ReadAhead ahead(source, chunk_bytes);
    EXPECT_TRUE(read_all(ahead) == content) << chunk_bytes;
  }
}

RC_GTEST_PROP(ReadAheadProperties, EveryChunkButTheLastIsFull, (const std::string& content)) {
  const auto chunk_bytes = *rc::gen::inRange<std::size_t>(1, 10);
  MemorySource source(content);
  ReadAhead ahead(source, chunk_bytes);
  for (std::size_t at = 0; at < content.size(); at += chunk_bytes) {
    const auto chunk = ahead.next();
    RC_ASSERT(chunk.ok());
    RC_ASSERT(text_of(*chunk.value()) == content.substr(at, chunk_bytes));
  }
  RC_ASSERT(ahead.next().value() == nullptr);
}

TEST(ReadAhead, EmptySourceEndsAtOnce) {
  MemorySource source("");
  ReadAhead ahead(source, 100);
  EXPECT_EQ(ahead.next().value(), nullptr);
  EXPECT_EQ(ahead.next().value(), nullptr) << "and stays ended";
}

TEST(ReadAhead, RoomAroundAChunkCanBeWrittenTo) {
  const std::string content = digits(200);
  MemorySource source(content);
  ReadAhead ahead(source, 10);
  std::string read;
  for (;;) {
    const auto chunk = ahead.next().value();
    if (!chunk) break;
    std::fill_n(chunk->bytes().data() - ReadAhead::kFront, ReadAhead::kFront, '<');
    std::fill_n(chunk->bytes().data() + chunk->bytes().size(), ReadAhead::kBack, '>');
    read += text_of(*chunk);
  }
  EXPECT_EQ(read, content);
}

TEST(ReadAhead, HeldChunksAreNotOverwritten) {
  const std::string content = digits(300);
  MemorySource source(content);
  std::vector<std::shared_ptr<ReadAhead::Chunk>> held;
  {
    ReadAhead ahead(source, 5);
    for (std::size_t at = 0; at < content.size(); at += 5) held.push_back(ahead.next().value());
  }
  std::string read;
  for (const auto& chunk : held) read += text_of(*chunk);
  EXPECT_EQ(read, content) << "not even when the reader is gone";
}

TEST(ReadAhead, FailureComesBehindTheGoodChunks) {
  const std::string content = digits(1'000);
  OddSource source(content, OddSource::Behind::kFailure);
  ReadAhead ahead(source, 10);
  EXPECT_EQ(read_all(ahead), content);
  for (int i = 0; i < 2; ++i) {
    const auto again = ahead.next();
    ASSERT_FALSE(again.ok()) << "and stays failed";
    EXPECT_EQ(again.error().text(), "x: reading failed: I/O");
  }
}

TEST(ReadAhead, WhatItsThreadThrowsIsThrownBehindTheGoodChunks) {
  const std::string content = digits(100);
  OddSource source(content, OddSource::Behind::kShortage);
  ReadAhead ahead(source, 10);
  for (std::size_t at = 0; at < content.size(); at += 10) {
    EXPECT_EQ(text_of(*ahead.next().value()), content.substr(at, 10));
  }
  EXPECT_THROW((void)ahead.next(), std::bad_alloc);
  EXPECT_THROW((void)ahead.next(), std::bad_alloc) << "and stays so";
}

TEST(ReadAhead, WhatItsThreadThrowsMayBeForNobody) {
  OddSource source("", OddSource::Behind::kShortage);
  EXPECT_NO_THROW(const ReadAhead ahead(source, 10));
  EXPECT_EQ(source.thrown(), 1) << "and the thread is gone";
}

TEST(ReadAhead, FailureAtOnceIsPassedOn) {
  OddSource source("", OddSource::Behind::kFailure);
  ReadAhead ahead(source, 10);
  EXPECT_FALSE(ahead.next().ok());
}

TEST(ReadAhead, DestroyingItEarlyDoesNotHang) {
  for (int chunks = 0; chunks < 8; ++chunks) {
    OddSource source(digits(50), OddSource::Behind::kZerosForEver);
    ReadAhead ahead(source, 10);
    for (int i = 0; i < chunks; ++i) EXPECT_EQ(ahead.next().value()->size, 10U);
  }
}

TEST(ReadAhead, SourceIsFreeAfterTheEnd) {
  MemorySource source("abc");
  ReadAhead ahead(source, 10);
  EXPECT_EQ(read_all(ahead), "abc");
  EXPECT_EQ(source.raw_bytes_read(), 3U);
  EXPECT_TRUE(source.diagnostics().entries().empty());
}

}  // namespace
}  // namespace lockstep::io
