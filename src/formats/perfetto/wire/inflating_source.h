// The bytes inside compressed_packets as a stream.
#pragma once

#include <memory>
#include <string_view>

#include "io/byte_source.h"

namespace lockstep::formats::perfetto {

// What compressed packets may inflate to; far above what writers put together, far below what a
// bomb would take.
inline constexpr std::uint64_t kMaxInflatedBytes = std::uint64_t{1} << 30;

enum class PacketCompression : std::uint8_t { kDeflate, kZstd };

// Inflates `bytes`, which must outlive it, piece by piece. Ends at the limit; diagnostics() has
// entries when the bytes are damaged, cut off, or inflate to more.
[[nodiscard]] std::unique_ptr<io::ByteSource> make_inflating_source(PacketCompression compression,
                                                                    std::string_view bytes);

}  // namespace lockstep::formats::perfetto
