// Copies many small ranges of a buffer in few large reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "host/channel_reader.h"

namespace lockstep::device {

struct CopyRange {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;  // may be 0
};

// Calls `use` for every range, in their order, with its bytes. Ranges come in order of offset and
// do not overlap. Neighbours are read together when what lies between them costs less than another
// copy from a device would.
[[nodiscard]] Status copy_grouped(
    BufferBytes& buffer, std::span<const CopyRange> ranges,
    const std::function<void(std::size_t, std::span<const std::byte>)>& use);

}  // namespace lockstep::device
