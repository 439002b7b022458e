// The loop of the structural scan, compiled once for every instruction set.
//
// Included by one source file per instruction set, each of which defines `classify`. Everything is
// in an unnamed namespace and uses no library code, so that no function compiled for a newer
// processor can be picked by the linker for an older one.
#pragma once

#include "formats/chrome_json/structural_scan.h"

namespace lockstep::chrome_json {
namespace {

constexpr std::size_t kBlockBytes = 64;

// One bit a byte of a block.
struct BlockBits {
  std::uint64_t quotes;
  std::uint64_t backslashes;
  std::uint64_t opens;   // { and [
  std::uint64_t closes;  // } and ]
};

// Which bytes stand behind a backslash that itself is not escaped. Backslashes are rare, so the
// loop over their bits costs nothing on average.
inline std::uint64_t escaped_bits(std::uint64_t backslashes, bool& carry, std::size_t length) {
  std::uint64_t escaped = carry ? 1 : 0;
  carry = false;
  while (backslashes != 0) {
    const int at = __builtin_ctzll(backslashes);
    const std::uint64_t bit = std::uint64_t{1} << at;
    backslashes &= backslashes - 1;
    if ((escaped & bit) != 0) continue;
    if (static_cast<std::size_t>(at) + 1 == length) {
      carry = true;
    } else {
      escaped |= bit << 1;
    }
  }
  return escaped;
}

// Bit i of the result is the parity of bits 0..i: set from an opening quote up to before its
// closing quote.
inline std::uint64_t prefix_parity(std::uint64_t bits) {
  bits ^= bits << 1;
  bits ^= bits << 2;
  bits ^= bits << 4;
  bits ^= bits << 8;
  bits ^= bits << 16;
  bits ^= bits << 32;
  return bits;
}

// Walks the brackets of one block that may touch depth 0. Returns true when it met kOutside; the
// state is then as right behind that byte.
inline bool walk_brackets(std::uint64_t opens, std::uint64_t closes, std::size_t position,
                          ScanState& state, Mark* marks, std::size_t& count,
                          std::size_t& stopped_at) {
  std::uint64_t both = opens | closes;
  while (both != 0) {
    const int at = __builtin_ctzll(both);
    const std::uint64_t bit = std::uint64_t{1} << at;
    both &= both - 1;
    const auto here = static_cast<std::uint32_t>(position + static_cast<std::size_t>(at));
    if ((opens & bit) != 0) {
      if (state.depth++ == 0) marks[count++] = {here, Mark::Kind::kOpen};
    } else if (state.depth == 0) {
      marks[count++] = {here, Mark::Kind::kOutside};
      stopped_at = static_cast<std::size_t>(at);
      return true;
    } else if (--state.depth == 0) {
      marks[count++] = {here, Mark::Kind::kClose};
    }
  }
  return false;
}

template <typename Classify>
inline ScanResult scan_loop(const char* data, std::size_t begin, std::size_t end, ScanState& state,
                            Mark* marks, std::size_t capacity, Classify classify) {
  ScanResult result;
  std::size_t at = begin;
  while (at < end) {
    if (result.marks + kBlockBytes > capacity) break;
    const std::size_t length = end - at < kBlockBytes ? end - at : kBlockBytes;
    const BlockBits bits = classify(data + at, length);
    const std::uint64_t escaped = (bits.backslashes != 0 || state.escaped)
                                      ? escaped_bits(bits.backslashes, state.escaped, length)
                                      : 0;
    const std::uint64_t in_string = prefix_parity(bits.quotes & ~escaped) ^ state.in_string;
    const std::uint64_t opens = bits.opens & ~in_string;
    const std::uint64_t closes = bits.closes & ~in_string;
    const int closed = __builtin_popcountll(closes);
    if (state.depth > closed) {
      state.depth += __builtin_popcountll(opens) - closed;
    } else {
      std::size_t stopped_at = 0;
      if (walk_brackets(opens, closes, at, state, marks, result.marks, stopped_at)) {
        state.in_string = 0;  // a bracket that counts is outside of strings
        state.escaped = false;
        result.stopped_outside = true;
        at += stopped_at + 1;
        break;
      }
    }
    state.in_string = (in_string >> 63) != 0 ? ~std::uint64_t{0} : 0;
    at += length;
  }
  result.scanned = at - begin;
  return result;
}

}  // namespace
}  // namespace lockstep::chrome_json
