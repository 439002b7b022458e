// What the decompressing layers have in common (gzip_source.h, zstd_source.h).
//
// Members may follow each other (pigz, bgzip, pzstd, cat), with zero padding between and behind
// them. What else stands behind a member may have been another one: it is not read, and data loss.
// Damage never discards what was inflated before it: the bytes up to the damage are delivered, then
// the stream ends and diagnostics() says what happened.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/diagnostics.h"

namespace lockstep::io {

enum class Compression : std::uint8_t { kNone, kGzip, kZstd };
[[nodiscard]] std::string_view name_of(Compression compression);

// What the first bytes say.
[[nodiscard]] Compression compression_of(std::string_view head);

// Fewer bytes hold no member of gzip and no frame of zstd.
inline constexpr std::size_t kFewestMemberBytes = 8;

// Whether zeros behind a member that end at byte `end` of the file are padding: too few to have
// been a member, or the rest of a block of a tape or a disk. Other zeros may have been written over
// data.
[[nodiscard]] bool is_padding(std::uint64_t zeros, std::uint64_t end);

extern const DiagnosticKind kTruncatedCompression;
extern const DiagnosticKind kDamagedCompression;
extern const DiagnosticKind kChecksumMismatch;
extern const DiagnosticKind kBytesAfterCompression;
extern const DiagnosticKind kUnreadCompression;
extern const DiagnosticKind kLargeSkippedFrame;

}  // namespace lockstep::io
