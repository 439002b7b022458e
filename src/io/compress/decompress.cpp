// What gzip and zstd layers share: detection and the kinds of damage.
#include "io/compress/decompress.h"

#include <algorithm>
#include <array>

namespace lockstep::io {

const DiagnosticKind kTruncatedCompression{
    "truncated_compression", Severity::kDataLoss,
    "The compressed stream ends before its end mark; what could be inflated was read."};
const DiagnosticKind kDamagedCompression{
    "damaged_compression", Severity::kDataLoss,
    "The compressed stream is damaged; what came before the damage was read."};
const DiagnosticKind kChecksumMismatch{
    "checksum_mismatch", Severity::kError,
    "The checksum of the compressed stream does not fit its content; some of it may be wrong."};
const DiagnosticKind kBytesAfterCompression{
    "bytes_after_compression", Severity::kInfo,
    "A few bytes after the end of the compressed stream were ignored."};
const DiagnosticKind kUnreadCompression{"unread_compression", Severity::kDataLoss,
                                        "Behind the end of the compressed stream are zeros or "
                                        "bytes that may have been more of it; they "
                                        "were not read."};
const DiagnosticKind kLargeSkippedFrame{"large_skipped_frame", Severity::kInfo,
                                        "A frame that zstd skips holds more than 64 KiB."};

std::string_view name_of(Compression compression) {
  switch (compression) {
    case Compression::kNone:
      return "none";
    case Compression::kGzip:
      return "gzip";
    case Compression::kZstd:
      return "zstd";
  }
  return "none";
}

Compression compression_of(std::string_view head) {
  using namespace std::string_view_literals;
  if (head.starts_with("\x1F\x8B"sv)) return Compression::kGzip;
  if (head.starts_with("\x28\xB5\x2F\xFD"sv)) return Compression::kZstd;
  // A skippable frame, which parallel compressors put first.
  const bool skippable = head.size() >= 4 && (static_cast<unsigned char>(head[0]) & 0xF0) == 0x50 &&
                         head.substr(1, 3) == "\x2A\x4D\x18"sv;
  if (skippable) return Compression::kZstd;
  return Compression::kNone;
}

bool is_padding(std::uint64_t zeros, std::uint64_t end) {
  if (zeros < kFewestMemberBytes) return true;
  constexpr std::array<std::uint64_t, 9> kBlockBytes{512,    1'024,  2'048,  4'096, 8'192,
                                                     10'240, 16'384, 32'768, 65'536};
  return std::ranges::any_of(
      kBlockBytes, [&](std::uint64_t block) { return zeros < block && end % block == 0; });
}

}  // namespace lockstep::io
