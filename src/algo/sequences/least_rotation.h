// Finds where the least rotation of a sequence begins, so that equal cycles compare equal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace lockstep::algo {

// Index in [0, size) at which the lexicographically least rotation begins; the first one where
// several are equal; 0 of an empty sequence. Linear time, no memory.
[[nodiscard]] std::size_t least_rotation(std::span<const std::uint32_t> symbols);

}  // namespace lockstep::algo
