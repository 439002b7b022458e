// Decompressing layers: gzip through ISA-L and zstd, as streams.
//
// Damage never discards what was inflated before it: the bytes up to the damage are delivered, then
// the stream ends and diagnostics() says what happened.
#pragma once

#include <memory>
#include <string_view>

#include "io/byte_source.h"

namespace lockstep {

enum class Compression : std::uint8_t { kNone, kGzip, kZstd };
[[nodiscard]] std::string_view name_of(Compression compression);

// What the first bytes say.
[[nodiscard]] Compression compression_of(std::string_view head);

// Multi-member files and zero padding are accepted in silence; other bytes after the last member
// are reported and ignored.
[[nodiscard]] std::unique_ptr<ByteSource> make_gzip_source(std::unique_ptr<ByteSource> below);
[[nodiscard]] std::unique_ptr<ByteSource> make_zstd_source(std::unique_ptr<ByteSource> below);

extern const DiagnosticKind kTruncatedCompression;
extern const DiagnosticKind kDamagedCompression;
extern const DiagnosticKind kChecksumMismatch;
extern const DiagnosticKind kBytesAfterCompression;

}  // namespace lockstep
