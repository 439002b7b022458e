// Any bytes through the gzip and zstd layers, read in small pieces: no crash, and the same bytes
// whatever the size of the pieces. The first byte says which layer and how large the pieces are.
#include "io/compress/decompress.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fuzz_check.h"
#include "io/compress/gzip_source.h"
#include "io/compress/zstd_source.h"

namespace lockstep {
namespace {

// Small inputs can inflate to gigabytes.
constexpr std::size_t kMostBytes = 1 << 20;

struct Inflated {
  std::string bytes;
  std::vector<std::string> findings;
  bool ended = false;
};

Inflated inflate(io::Compression compression, const std::string& input, std::size_t piece) {
  auto below = std::make_unique<io::MemorySource>(input);
  const std::unique_ptr<io::ByteSource> source = compression == io::Compression::kGzip
                                                     ? io::make_gzip_source(std::move(below))
                                                     : io::make_zstd_source(std::move(below));
  Inflated out;
  std::vector<char> buffer(piece);
  while (out.bytes.size() < kMostBytes) {
    const auto got = source->read(buffer);
    LOCKSTEP_FUZZ_CHECK(got.ok());
    LOCKSTEP_FUZZ_CHECK(got.value() <= buffer.size());
    out.bytes.append(buffer.data(), got.value());
    if (got.value() < buffer.size()) {
      // Fewer bytes than asked for mean the end, for good.
      LOCKSTEP_FUZZ_CHECK(source->read(buffer).value() == 0);
      out.ended = true;
      break;
    }
  }
  LOCKSTEP_FUZZ_CHECK(source->raw_bytes_read() <= input.size());
  for (const Diagnostic& entry : source->diagnostics().entries()) {
    LOCKSTEP_FUZZ_CHECK(entry.first.at <= out.bytes.size());
    out.findings.emplace_back(entry.kind->name);
  }
  return out;
}

}  // namespace
}  // namespace lockstep

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  if (size == 0) return 0;
  const auto compression = (data[0] & 1) == 0 ? io::Compression::kGzip : io::Compression::kZstd;
  const std::size_t piece = 1 + data[0] / 2;
  const std::string input(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Inflated small = inflate(compression, input, piece);
  const Inflated large = inflate(compression, input, 64 * 1024);
  const std::size_t common = std::min(small.bytes.size(), large.bytes.size());
  LOCKSTEP_FUZZ_CHECK(small.bytes.compare(0, common, large.bytes, 0, common) == 0);
  if (small.ended && large.ended) {
    LOCKSTEP_FUZZ_CHECK(small.bytes.size() == large.bytes.size());
    LOCKSTEP_FUZZ_CHECK(small.findings == large.findings);
  }
  return 0;
}
