// The loop of the structural scan, compiled once for every instruction set.
//
// Included by one source file per instruction set, each of which defines `classify`. Everything is
// in an unnamed namespace and uses no library code, so that no function compiled for a newer
// processor can be picked by the linker for an older one.
#pragma once

#if defined(__PCLMUL__)
#include <immintrin.h>
#endif

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
  std::uint64_t colons;
  std::uint64_t commas;
  std::uint64_t spaces;  // and control characters
  std::uint64_t nuls;
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
#if defined(__PCLMUL__)
  const __m128i product =
      _mm_clmulepi64_si128(_mm_set_epi64x(0, static_cast<long long>(bits)), _mm_set1_epi8(-1), 0);
  return static_cast<std::uint64_t>(_mm_cvtsi128_si64(product));
#else
  bits ^= bits << 1;
  bits ^= bits << 2;
  bits ^= bits << 4;
  bits ^= bits << 8;
  bits ^= bits << 16;
  bits ^= bits << 32;
  return bits;
#endif
}

// The next bits of `all` behind each of `from`: a sum runs over all bits between them. `carry` is 1
// when one ran out of the block before, and out of this one.
inline std::uint64_t next_bits(std::uint64_t from, std::uint64_t all, std::uint64_t& carry) {
  const std::uint64_t begin = (from << 1) | carry;
  const std::uint64_t sum = begin + ~all;
  carry = static_cast<std::uint64_t>(sum < begin) | (from >> 63);
  return sum & all;
}

// Whether something else than what ends a value stands right behind a closing quote, as where a
// stray quote has turned strings inside out.
inline std::uint64_t text_behind_strings(const BlockBits& bits, std::uint64_t closing_quotes,
                                         std::uint64_t closes, std::size_t length,
                                         ScanState& state) {
  const std::uint64_t behind = (closing_quotes << 1) | state.string_ended;
  state.string_ended = closing_quotes >> (length - 1);
  return behind & ~(bits.commas | bits.colons | bits.spaces | closes);
}

// Whether colons stand as they cannot. Strings and numbers do not count. A colon comes behind { or
// a comma, and such a comma comes behind a value, that is, not right behind another comma or an
// opening bracket, as it may in a list.
inline std::uint64_t odd_colons(const BlockBits& bits, std::uint64_t opens, std::uint64_t closes,
                                std::uint64_t in_string, ScanState& state) {
  const std::uint64_t colons = bits.colons & ~in_string;
  const std::uint64_t commas = bits.commas & ~in_string;
  const std::uint64_t starts = opens | commas;
  const std::uint64_t all = starts | closes | colons;
  const std::uint64_t behind_start = next_bits(starts, all, state.behind_start);
  const std::uint64_t behind_listed = next_bits(commas & behind_start, all, state.behind_listed);
  return colons & (behind_listed | ~behind_start);
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
inline ScanResult scan_loop(const char* data, std::size_t begin, std::size_t end,
                            ScanState& state_between, Mark* marks, std::size_t capacity,
                            Classify classify) {
  ScanResult result;
  ScanState state = state_between;  // in registers
  std::size_t at = begin;
  while (at < end) {
    if (result.marks + kBlockBytes > capacity) break;
    const std::size_t length = end - at < kBlockBytes ? end - at : kBlockBytes;
    const BlockBits bits = classify(data + at, length);
    const std::uint64_t escaped = (bits.backslashes != 0 || state.escaped)
                                      ? escaped_bits(bits.backslashes, state.escaped, length)
                                      : 0;
    const std::uint64_t quotes = bits.quotes & ~escaped;
    const std::uint64_t in_string = prefix_parity(quotes) ^ state.in_string;
    const std::uint64_t opens = bits.opens & ~in_string;
    const std::uint64_t closes = bits.closes & ~in_string;
    const std::uint64_t odd = odd_colons(bits, opens, closes, in_string, state) |
                              text_behind_strings(bits, quotes & ~in_string, closes, length, state);
    if ((odd | bits.nuls) != 0) result.suspect_end = at + length;
    const int closed = __builtin_popcountll(closes);
    if (state.depth > closed) {
      state.depth += __builtin_popcountll(opens) - closed;
    } else {
      std::size_t stopped_at = 0;
      if (walk_brackets(opens, closes, at, state, marks, result.marks, stopped_at)) {
        state = {.depth = state.depth};  // a bracket that counts is outside of strings
        result.stopped_outside = true;
        at += stopped_at + 1;
        break;
      }
    }
    state.in_string = (in_string >> 63) != 0 ? ~std::uint64_t{0} : 0;
    at += length;
  }
  state_between = state;
  result.scanned = at - begin;
  return result;
}

}  // namespace
}  // namespace lockstep::chrome_json
