// Claims that hold for gzip and zstd alike; content is compressed through the sinks.
#include "io/compress/decompress.h"

#include <algorithm>
#include <ostream>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "io/byte_sink.h"
#include "io/compress/gzip_sink.h"
#include "io/compress/gzip_source.h"
#include "io/compress/zstd_sink.h"
#include "io/compress/zstd_source.h"

namespace lockstep::io {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

struct Codec {
  std::string name;
  std::unique_ptr<ByteSink> (*sink)(std::unique_ptr<ByteSink>);
  std::unique_ptr<ByteSource> (*source)(std::unique_ptr<ByteSource>);

  friend void PrintTo(const Codec& codec, std::ostream* out) { *out << codec.name; }
};

// What came out of a compressed stream, read by `read_bytes` at a time.
struct Inflated {
  std::string bytes;
  std::vector<std::string> reported;
  std::vector<std::uint64_t> places;
  bool has_loss = false;
};

constexpr std::size_t kLargeReads = 1 << 20;
constexpr std::size_t kMostBytes = 64 << 20;  // nothing in these tests inflates to so much

Inflated inflate(const Codec& codec, std::string compressed, std::size_t read_bytes = kLargeReads) {
  const auto source = codec.source(std::make_unique<MemorySource>(std::move(compressed)));
  Inflated out;
  std::string buffer(read_bytes, '\0');
  while (out.bytes.size() < kMostBytes) {
    const Result<std::size_t> got = source->read(buffer);
    if (!got.ok() || got.value() == 0) break;
    out.bytes.append(buffer, 0, got.value());
  }
  for (const Diagnostic& entry : source->diagnostics().entries()) {
    out.reported.emplace_back(entry.kind->name);
    out.places.push_back(entry.first.at);
  }
  out.has_loss = source->diagnostics().has_loss();
  return out;
}

std::string compress(const Codec& codec, std::string_view content, std::size_t write_bytes = 4099) {
  auto memory = std::make_unique<MemorySink>();
  const MemorySink& written = *memory;
  const auto sink = codec.sink(std::move(memory));
  for (; !content.empty(); content.remove_prefix(std::min(write_bytes, content.size()))) {
    EXPECT_TRUE(sink->write(content.substr(0, write_bytes)).ok());
  }
  EXPECT_TRUE(sink->close().ok());
  return written.bytes();
}

// Text like that of a trace: it compresses, and no two lines are equal.
std::string trace_text(std::size_t at_least) {
  std::string text;
  for (std::uint64_t i = 0; text.size() < at_least; ++i) {
    text += R"({"ph":"X","name":"kernel )" + std::to_string(i * 2'654'435'761U % 97) +
            R"(","ts":)" + std::to_string(i * i + 17) + "},\n";
  }
  return text;
}

std::string noise(std::size_t bytes) {
  std::mt19937 engine(7);
  std::string out(bytes, '\0');
  for (char& c : out) c = static_cast<char>(engine());
  return out;
}

class Decompress : public testing::TestWithParam<Codec> {};
INSTANTIATE_TEST_SUITE_P(, Decompress,
                         testing::Values(Codec{"gzip", make_gzip_sink, make_gzip_source},
                                         Codec{"zstd", make_zstd_sink, make_zstd_source}),
                         [](const auto& suite) { return suite.param.name; });

TEST_P(Decompress, ContentOfAnySizeComesBack) {
  for (const std::size_t size : {0, 1, 2, 100, 65'535, 65'536, 65'537, 3'000'000}) {
    for (const std::string& content : {noise(size), trace_text(size), std::string(size, 'x')}) {
      const Inflated out = inflate(GetParam(), compress(GetParam(), content));
      ASSERT_TRUE(out.bytes == content) << size;
      ASSERT_THAT(out.reported, IsEmpty()) << size;
    }
  }
}

TEST_P(Decompress, SizeOfReadsDoesNotMatter) {
  const std::string content = trace_text(300'000) + noise(50'000);
  const std::string compressed = compress(GetParam(), content);
  for (const std::size_t read_bytes : {1, 7, 4'096, 65'536}) {
    const Inflated out = inflate(GetParam(), compressed, read_bytes);
    ASSERT_TRUE(out.bytes == content) << read_bytes;
    ASSERT_THAT(out.reported, IsEmpty()) << read_bytes;
  }
}

TEST_P(Decompress, AnyContentWrittenAndReadInAnyPiecesComesBack) {
  EXPECT_TRUE(rc::check([&](const std::string& content) {
    const auto write_bytes = *rc::gen::inRange<std::size_t>(1, 50);
    const auto read_bytes = *rc::gen::inRange<std::size_t>(1, 50);
    const std::string compressed = compress(GetParam(), content, write_bytes);
    RC_ASSERT(inflate(GetParam(), compressed, read_bytes).bytes == content);
  }));
}

TEST_P(Decompress, EveryCutGivesAPrefixAndIsReported) {
  const std::string content = trace_text(1'500);
  const std::string compressed = compress(GetParam(), content);
  for (const std::size_t read_bytes : {std::size_t{1}, std::size_t{7}, kLargeReads}) {
    std::size_t before = 0;
    for (std::size_t cut = 0; cut < compressed.size(); ++cut) {
      const Inflated out = inflate(GetParam(), compressed.substr(0, cut), read_bytes);
      ASSERT_TRUE(content.starts_with(out.bytes)) << cut;
      ASSERT_GE(out.bytes.size(), before) << "more input gives less: " << cut;
      ASSERT_THAT(out.reported, ElementsAre("truncated_compression")) << cut;
      ASSERT_THAT(out.places, ElementsAre(out.bytes.size())) << cut;
      before = out.bytes.size();
    }
    EXPECT_EQ(before, content.size()) << "only the checksum was cut off";
  }
}

TEST_P(Decompress, CutInTheMiddleOfALargeFileKeepsWhatWasThere) {
  const std::string content = trace_text(3'000'000);
  const std::string compressed = compress(GetParam(), content);
  const Inflated out = inflate(GetParam(), compressed.substr(0, compressed.size() / 2));
  EXPECT_TRUE(content.starts_with(out.bytes));
  EXPECT_GT(out.bytes.size(), content.size() / 3);
  EXPECT_THAT(out.reported, ElementsAre("truncated_compression"));
  EXPECT_THAT(out.places, ElementsAre(out.bytes.size()));
}

TEST_P(Decompress, NoDamagedByteIsSilentUnlessTheContentIsWhole) {
  const std::string content = trace_text(1'500);
  const std::string compressed = compress(GetParam(), content);
  for (const int mask : {0x01, 0x10, 0x80, 0xFF}) {
    for (std::size_t at = 0; at < compressed.size(); ++at) {
      std::string damaged = compressed;
      damaged[at] = static_cast<char>(damaged[at] ^ mask);
      const Inflated out = inflate(GetParam(), damaged);
      ASSERT_TRUE(out.bytes == content || !out.reported.empty()) << at << " ^ " << mask;
      ASSERT_LT(out.bytes.size(), 100'000U) << at << " ^ " << mask;
    }
  }
}

TEST_P(Decompress, DamageKeepsWhatCameBeforeWhateverTheSizeOfReads) {
  const std::string content = trace_text(1'000'000);
  const std::string good = compress(GetParam(), content);
  for (const char filling : {'\0', '\x55', '\xAA', '\xF0', '\xFF'}) {
    std::string damaged = good;
    std::fill_n(damaged.begin() + static_cast<std::ptrdiff_t>(good.size() * 9 / 10), 64, filling);
    const Inflated whole = inflate(GetParam(), damaged);
    EXPECT_TRUE(whole.bytes.starts_with(content.substr(0, content.size() * 7 / 10)));
    EXPECT_THAT(whole.reported, SizeIs(1));
    EXPECT_THAT(whole.places, ElementsAre(whole.bytes.size()));
    for (const std::size_t read_bytes : {7, 1'000, 100'000}) {
      const Inflated out = inflate(GetParam(), damaged, read_bytes);
      EXPECT_TRUE(out.bytes == whole.bytes) << out.bytes.size() << " " << whole.bytes.size();
      EXPECT_EQ(out.reported, whole.reported) << read_bytes;
      EXPECT_EQ(out.places, whole.places) << read_bytes;
    }
  }
}

TEST_P(Decompress, WrongChecksumIsReportedAndTheContentKept) {
  const std::string content = trace_text(1'500);
  const std::string good = compress(GetParam(), content);
  const std::size_t checksum = GetParam().name == "gzip" ? 8 : 4;  // from the end
  for (std::size_t at = good.size() - checksum; at < good.size(); ++at) {
    std::string compressed = good;
    compressed[at] = static_cast<char>(compressed[at] ^ 0x20);
    for (const std::size_t read_bytes : {std::size_t{1}, kLargeReads}) {
      const Inflated out = inflate(GetParam(), compressed + good, read_bytes);
      EXPECT_TRUE(out.bytes == content + content) << "the next member is read all the same";
      EXPECT_THAT(out.reported, ElementsAre("checksum_mismatch"));
      EXPECT_THAT(out.places, ElementsAre(content.size()));
    }
  }
}

TEST_P(Decompress, MembersFollowEachOther) {
  const std::string first = trace_text(70'000);
  const std::string second = noise(200'000);
  const std::string empty = compress(GetParam(), "");
  const std::string compressed =
      empty + compress(GetParam(), first) + empty + empty + compress(GetParam(), second) + empty;
  for (const std::size_t read_bytes : {std::size_t{1}, std::size_t{7}, kLargeReads}) {
    const Inflated out = inflate(GetParam(), compressed, read_bytes);
    EXPECT_TRUE(out.bytes == first + second) << read_bytes;
    EXPECT_THAT(out.reported, IsEmpty()) << read_bytes;
  }
}

TEST_P(Decompress, CutInASecondMemberIsReported) {
  const std::string content = trace_text(500);
  const std::string member = compress(GetParam(), content);
  for (std::size_t cut = 1; cut < member.size(); ++cut) {
    const Inflated out = inflate(GetParam(), member + member.substr(0, cut));
    ASSERT_TRUE(out.bytes.starts_with(content)) << cut;
    ASSERT_TRUE((content + content).starts_with(out.bytes)) << cut;
    ASSERT_THAT(out.reported, ElementsAre("truncated_compression")) << cut;
  }
}

TEST_P(Decompress, BytesBehindTheEndAreLossUnlessTooFewForAMember) {
  const std::string content = trace_text(1'500);
  const std::string compressed = compress(GetParam(), content);
  for (const std::size_t size : {1, 2, 3, 4, 5, 7, 8, 17, 1'000, 400'000}) {
    const std::string garbage(size, '\n');
    for (const std::size_t read_bytes : {std::size_t{1}, kLargeReads}) {
      const Inflated out = inflate(GetParam(), compressed + garbage, read_bytes);
      EXPECT_TRUE(out.bytes == content) << size;
      const std::string kind = size < 8 ? "bytes_after_compression" : "unread_compression";
      EXPECT_THAT(out.reported, ElementsAre(kind)) << size;
      EXPECT_THAT(out.places, ElementsAre(content.size())) << size;
    }
  }
}

TEST_P(Decompress, NoDamagedByteOfASecondMemberIsSilentUnlessTheContentIsWhole) {
  const std::string content = trace_text(300);
  const std::string member = compress(GetParam(), content);
  for (int bit = 0; bit < 8; ++bit) {
    for (std::size_t at = 0; at < member.size(); ++at) {
      std::string damaged = member;
      damaged[at] = static_cast<char>(damaged[at] ^ 1 << bit);
      const Inflated out = inflate(GetParam(), member + damaged + member);
      ASSERT_TRUE(out.bytes == content + content + content || out.has_loss) << at << " bit " << bit;
    }
  }
}

TEST_P(Decompress, MemberOfZerosIsLossAndTheOneBehindIsRead) {
  const std::string content = trace_text(1'500);
  const std::string member = compress(GetParam(), content);
  const std::string zeros(member.size(), '\0');
  for (const std::size_t read_bytes : {std::size_t{1}, kLargeReads}) {
    const Inflated last = inflate(GetParam(), member + zeros, read_bytes);
    EXPECT_TRUE(last.bytes == content);
    EXPECT_THAT(last.reported, ElementsAre("unread_compression"));
    const Inflated middle = inflate(GetParam(), member + zeros + member, read_bytes);
    EXPECT_TRUE(middle.bytes == content + content);
    EXPECT_THAT(middle.reported, ElementsAre("unread_compression"));
    EXPECT_THAT(middle.places, ElementsAre(content.size()));
  }
}

TEST_P(Decompress, ZerosThatFillABlockArePadding) {
  const std::string content = trace_text(1'500);
  const std::string member = compress(GetParam(), content);
  for (const std::size_t block : {512, 4'096, 10'240, 65'536}) {
    std::string padded = member;
    padded.resize((member.size() + block - 1) / block * block);
    const Inflated out = inflate(GetParam(), padded + padded);
    EXPECT_TRUE(out.bytes == content + content) << block;
    EXPECT_THAT(out.reported, IsEmpty()) << block;
  }
}

TEST(Compression, ZerosOfMoreThanABlockAreNoPadding) {
  EXPECT_TRUE(is_padding(0, 777));
  EXPECT_TRUE(is_padding(7, 777));
  EXPECT_FALSE(is_padding(8, 777));
  EXPECT_TRUE(is_padding(511, 512 * 7));
  EXPECT_FALSE(is_padding(512, 512 * 7));
  EXPECT_TRUE(is_padding(10'239, 30'720));
  EXPECT_TRUE(is_padding(65'535, 65'536));
  EXPECT_FALSE(is_padding(65'536, 65'536 * 2));
}

TEST_P(Decompress, EmptyInputIsATruncatedOne) {
  EXPECT_THAT(inflate(GetParam(), "").reported, ElementsAre("truncated_compression"));
}

// Delivers some bytes, then fails.
class FailingSource : public ByteSource {
 public:
  explicit FailingSource(std::string bytes) : below_(std::move(bytes)) {}
  [[nodiscard]] Result<std::size_t> read(std::span<char> buffer) override {
    auto got = below_.read(buffer);
    if (got.ok() && got.value() < buffer.size()) return input_error("x", "reading failed: I/O");
    return got;
  }
  [[nodiscard]] const Diagnostics& diagnostics() const override { return below_.diagnostics(); }
  [[nodiscard]] std::uint64_t raw_bytes_read() const override { return below_.raw_bytes_read(); }

 private:
  MemorySource below_;
};

TEST_P(Decompress, FailureBelowIsPassedOn) {
  const std::string compressed = compress(GetParam(), noise(600'000));
  const auto source = GetParam().source(std::make_unique<FailingSource>(compressed));
  std::string buffer(1'000'000, '\0');
  const Result<std::size_t> got = source->read(buffer);
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().text(), "x: reading failed: I/O");
}

TEST_P(Decompress, ProgressCountsCompressedBytes) {
  const std::string compressed = compress(GetParam(), trace_text(100'000));
  const auto source = GetParam().source(std::make_unique<MemorySource>(compressed));
  std::string buffer(1'000'000, '\0');
  EXPECT_TRUE(source->read(buffer).ok());
  EXPECT_EQ(source->raw_bytes_read(), compressed.size());
}

TEST(Compression, IsToldByTheFirstBytes) {
  EXPECT_EQ(compression_of(""), Compression::kNone);
  EXPECT_EQ(compression_of("{\"traceEvents\""), Compression::kNone);
  EXPECT_EQ(compression_of("\x1F"), Compression::kNone);
  EXPECT_EQ(compression_of("\x1F\x8B"), Compression::kGzip);
  EXPECT_EQ(compression_of("\x28\xB5\x2F"), Compression::kNone);
  EXPECT_EQ(compression_of("\x28\xB5\x2F\xFD rest"), Compression::kZstd);
}

TEST(Compression, NamesAreStable) {
  EXPECT_EQ(name_of(Compression::kNone), "none");
  EXPECT_EQ(name_of(Compression::kGzip), "gzip");
  EXPECT_EQ(name_of(Compression::kZstd), "zstd");
}

}  // namespace
}  // namespace lockstep::io
