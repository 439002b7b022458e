// What gzip and zstd layers share: detection and the kinds of damage.
#include "io/decompress.h"

namespace lockstep {

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
    "Bytes after the end of the compressed stream were ignored."};

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

}  // namespace lockstep
