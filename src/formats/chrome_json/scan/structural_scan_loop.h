// The loop of the structural scan, compiled once for every instruction set.
//
// Included by one source file per instruction set, each of which defines what the loop needs of it:
// `classify`, and `Lanes`, as many words as one register holds. Everything is in an unnamed
// namespace and uses no library code, so that no function compiled for a newer processor can be
// picked by the linker for an older one.
//
// Blocks of 64 bytes are looked at in groups, one question after the other: each loop then has few
// variables, and a bracket that the processor did not foresee throws away little work.
#pragma once

#if defined(__PCLMUL__)
#include <immintrin.h>
#endif

#include "formats/chrome_json/scan/structural_scan.h"

namespace lockstep::formats::chrome_json {
namespace {

constexpr std::size_t kBlockBytes = 64;

// One bit a byte of a block.
struct BlockBits {
  std::uint64_t quotes;
  std::uint64_t backslashes;
  std::uint64_t opens;   // { and [
  std::uint64_t closes;  // } and ]
  std::uint64_t curly;   // those of them that are { and }; of other bytes it means nothing
  std::uint64_t colons;
  std::uint64_t commas;
  std::uint64_t spaces;    // that JSON allows
  std::uint64_t controls;  // other control characters
  std::uint64_t nuls;      // those of them
};

// What a byte may be in an escape. By table: text of other scripts has many escapes, and which byte
// comes cannot be foreseen.
struct EscapeBytes {
  bool is_digit[256] = {};   // hexadecimal
  bool is_escape[256] = {};  // a backslash may stand before it
};

constexpr EscapeBytes make_escape_bytes() {
  EscapeBytes bytes;
  for (const char* c = "0123456789abcdefABCDEF"; *c != '\0'; ++c) {
    bytes.is_digit[static_cast<unsigned char>(*c)] = true;
  }
  for (const char* c = "\"\\/bfnrtu"; *c != '\0'; ++c) {
    bytes.is_escape[static_cast<unsigned char>(*c)] = true;
  }
  return bytes;
}
constexpr EscapeBytes kEscapeBytes = make_escape_bytes();

inline bool is_hex_digit(char c) { return kEscapeBytes.is_digit[static_cast<unsigned char>(c)]; }

// Takes the digits that an escape still wants, from data[at] on; false when one of them is none.
inline bool take_digits(const char* data, std::size_t at, std::size_t length, std::uint8_t& left) {
  bool are_digits = true;
  for (; left != 0 && at < length; ++at, --left) are_digits &= is_hex_digit(data[at]);
  return are_digits;
}

// Takes the byte behind a backslash; false when JSON has no such escape.
inline bool take_escape(const char* data, std::size_t at, std::size_t length, ScanState& state) {
  if (data[at] != 'u') return kEscapeBytes.is_escape[static_cast<unsigned char>(data[at])];
  if (length - at > 4) {
    const char* const four = data + at + 1;
    bool are_digits = true;  // without a branch for each
    for (int i = 0; i < 4; ++i) are_digits &= is_hex_digit(four[i]);
    return are_digits;
  }
  state.digits = 4;
  return take_digits(data, at + 1, length, state.digits);
}

// Which bytes stand behind a backslash that itself is not escaped. Backslashes are rare, so the
// loop over their bits costs nothing on average.
inline std::uint64_t escaped_bits(const char* data, std::size_t length, std::uint64_t backslashes,
                                  ScanState& state, bool& is_odd) {
  is_odd |= !take_digits(data, 0, length, state.digits);
  std::uint64_t escaped = state.escaped ? 1 : 0;
  if (state.escaped) is_odd |= !take_escape(data, 0, length, state);
  state.escaped = false;
  while (backslashes != 0) {
    const int at = __builtin_ctzll(backslashes);
    const std::uint64_t bit = std::uint64_t{1} << at;
    backslashes &= backslashes - 1;
    if ((escaped & bit) != 0) continue;
    const std::size_t behind = static_cast<std::size_t>(at) + 1;
    if (behind == length) {
      state.escaped = true;
    } else {
      escaped |= bit << 1;
      is_odd |= !take_escape(data, behind, length, state);
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

constexpr std::size_t kGroup = 32;  // blocks

// The blocks of a group, one word each.
struct alignas(64) Group {
  std::uint64_t quotes[kGroup];
  std::uint64_t in_string[kGroup];
  std::uint64_t opens[kGroup];
  std::uint64_t closes[kGroup];
  std::uint64_t curly[kGroup];
  std::uint64_t colons[kGroup];
  std::uint64_t commas[kGroup];
  std::uint64_t spaces[kGroup];
};

// Classifies one block. Returns what is odd in itself: escapes that JSON does not have, NUL bytes,
// and other control characters outside of strings; the parser sees to those in strings.
template <typename Classify>
inline std::uint64_t read_block(const char* data, std::size_t length, Classify classify,
                                Group& group, std::size_t i, ScanState& state) {
  const BlockBits bits = classify(data, length);
  bool is_odd = false;
  const std::uint64_t escaped = (bits.backslashes != 0 || state.escaped || state.digits != 0)
                                    ? escaped_bits(data, length, bits.backslashes, state, is_odd)
                                    : 0;
  const std::uint64_t quotes = bits.quotes & ~escaped;
  const std::uint64_t in_string = prefix_parity(quotes) ^ state.in_string;
  state.in_string = (in_string >> 63) != 0 ? ~std::uint64_t{0} : 0;
  group.quotes[i] = quotes;
  group.in_string[i] = in_string;
  group.opens[i] = bits.opens;
  group.closes[i] = bits.closes;
  group.curly[i] = bits.curly;
  group.colons[i] = bits.colons;
  group.commas[i] = bits.commas;
  group.spaces[i] = bits.spaces;
  return bits.nuls | (bits.controls & ~in_string) | static_cast<std::uint64_t>(is_odd);
}

// For each lane whether something reaches into it from the lanes before; `out` says which lanes it
// comes out of. As the carry of an addition it runs on through lanes that let it pass.
template <typename Lanes>
inline unsigned reaching_in(unsigned out, unsigned passing, std::uint64_t& carry) {
  const unsigned sum = (((out << 1) | static_cast<unsigned>(carry)) + passing) ^ passing;
  carry = (sum >> Lanes::kCount) & 1;
  return sum;
}

// The structural bytes of `all` that come next behind one of `from`; other bits mean nothing. A sum
// with all that is not structural runs from each bit to the next one that is.
template <typename Lanes>
inline typename Lanes::Words next_of(typename Lanes::Words from, typename Lanes::Words all,
                                     std::uint64_t& carry) {
  const unsigned in =
      reaching_in<Lanes>(Lanes::greater(from, all ^ from), Lanes::empty(all), carry);
  return from + from + Lanes::ones(in) + ~all;
}

// The first byte behind each of `from` that is not blank.
template <typename Lanes>
inline typename Lanes::Words behind_blanks(typename Lanes::Words from, typename Lanes::Words blanks,
                                           std::uint64_t& carry) {
  typename Lanes::Words behind = from + from;
  const unsigned out = Lanes::tops(from) | Lanes::greater(blanks, (behind & blanks) + blanks);
  behind |= Lanes::ones(reaching_in<Lanes>(out, Lanes::empty(~blanks), carry));
  return (((behind & blanks) + blanks) | behind) & ~blanks;
}

// The byte behind each of `from`.
template <typename Lanes>
inline typename Lanes::Words right_behind(typename Lanes::Words from, std::uint64_t& carry) {
  return (from + from) | Lanes::ones(reaching_in<Lanes>(Lanes::tops(from), 0, carry));
}

// Takes what stands in strings out of the group, and says whether a byte is odd, by what good JSON
// never has. Of structural bytes, strings and numbers not counted: a colon comes behind { or a
// comma, and such a comma behind a value, that is, not right behind another comma or an opening
// bracket, as it may in a list; behind a colon and a comma comes the next colon; ] comes behind no
// colon, } behind a colon, a closing bracket or its own {. Of bytes, blanks not counted: behind a
// string comes a colon, a comma or a closing bracket, behind other values a comma or a closing
// bracket; behind a colon or a comma a value or a key; behind { a key or }; behind [ a value or ].
template <typename Lanes>
inline std::uint64_t odd_bytes(Group& group, std::size_t blocks, ScanState& state) {
  using Words = typename Lanes::Words;
  Words odd{};
  for (std::size_t i = 0; i < blocks; i += Lanes::kCount) {
    const Words outside = ~Lanes::load(group.in_string + i);
    const Words opens = Lanes::load(group.opens + i) & outside;
    const Words closes = Lanes::load(group.closes + i) & outside;
    const Words curly = Lanes::load(group.curly + i);
    const Words colons = Lanes::load(group.colons + i) & outside;
    const Words commas = Lanes::load(group.commas + i) & outside;
    const Words quotes = Lanes::load(group.quotes + i);
    const Words blanks = Lanes::load(group.spaces + i) & outside;
    Lanes::store(group.opens + i, opens);
    Lanes::store(group.closes + i, closes);
    const Words ends = closes | colons;
    const Words all = opens | commas | ends;
    const Words words = outside & ~(all | blanks | quotes);

    const Words behind_end = next_of<Lanes>(ends, all, state.behind_end);
    const Words behind_colon = next_of<Lanes>(colons, all, state.behind_colon);
    const Words before_key = (opens & curly) | (commas & behind_end);
    odd |= colons & ~next_of<Lanes>(before_key, all, state.before_key);
    odd |= (all ^ colons) & next_of<Lanes>(commas & behind_colon, all, state.behind_member);
    odd |= (closes & ~curly) & behind_colon;

    const Words in_word = right_behind<Lanes>(words, state.in_word);
    const Words ended = (quotes & outside) | closes | words;
    odd |= behind_blanks<Lanes>(ended, blanks, state.value_ended) &
           ~(ends | commas | (words & in_word));
    odd |= colons & in_word;
    odd |= behind_blanks<Lanes>(colons | commas, blanks, state.value_awaited) & (ends | commas);
    const Words first_member = behind_blanks<Lanes>(opens & curly, blanks, state.object_began);
    odd |= first_member & ~((quotes & ~outside) | (closes & curly));
    odd |= (closes & curly) & ~(behind_end | first_member);
    odd |= behind_blanks<Lanes>(opens & ~curly, blanks, state.list_began) &
           (colons | commas | (closes & curly));
  }
  return Lanes::any(odd);
}

// The text was written by another thread: the cache of its processor is asked for it early. A
// number, as it may lie behind the end of the text.
inline void fetch_ahead(const char* block) {
  constexpr std::uintptr_t kAhead = kGroup * kBlockBytes;
  __builtin_prefetch(
      reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(block) + kAhead));
}

// Whether the last byte of a group is of a word, which may go on in the next one. The last words of
// a group may be filled up with blanks, so that they do not tell.
inline std::uint64_t ends_in_word(const Group& group, std::size_t i, std::size_t last) {
  const std::uint64_t others = group.in_string[i] | group.quotes[i] | group.spaces[i] |
                               group.opens[i] | group.closes[i] | group.colons[i] | group.commas[i];
  return (~others >> last) & 1;
}

// Fills a group with the blocks of data[0, length), the last of which may be short, and with blanks
// up to a whole number of lanes. Returns other than 0 when a byte of them is odd.
template <typename Lanes, typename Classify>
inline std::uint64_t read_group(const char* data, std::size_t length, Classify classify,
                                Group& group, ScanState& state) {
  std::uint64_t odd = 0;
  std::size_t blocks = length / kBlockBytes;
  for (std::size_t i = 0; i < blocks; ++i) {
    fetch_ahead(data + i * kBlockBytes);
    odd |= read_block(data + i * kBlockBytes, kBlockBytes, classify, group, i, state);
  }
  if (const std::size_t rest = length % kBlockBytes; rest != 0) {
    odd |= read_block(data + blocks * kBlockBytes, rest, classify, group, blocks, state);
    ++blocks;
  }
  for (std::size_t i = blocks; i % Lanes::kCount != 0; ++i) {
    group.quotes[i] = group.in_string[i] = group.opens[i] = 0;
    group.closes[i] = group.curly[i] = group.colons[i] = group.commas[i] = 0;
    group.spaces[i] = ~std::uint64_t{0};
  }
  odd |= odd_bytes<Lanes>(group, blocks, state);
  state.in_word = ends_in_word(group, blocks - 1, (length - 1) % kBlockBytes);
  return odd;
}

// What the marking of a group adds to.
struct Marking {
  Mark* marks;
  std::size_t count;
  std::size_t stopped_at;
  bool is_odd;  // an element has not as many { as }
};

// Walks the brackets of one block that may touch depth 0. Returns true when it met kOutside; the
// state is then as right behind that byte.
inline bool walk_brackets(const Group& group, std::size_t i, std::size_t position, ScanState& state,
                          Marking& out) {
  const std::uint64_t opens = group.opens[i];
  std::uint64_t both = opens | group.closes[i];
  while (both != 0) {
    const int at = __builtin_ctzll(both);
    const std::uint64_t bit = std::uint64_t{1} << at;
    both &= both - 1;
    const auto here = static_cast<std::uint32_t>(position + static_cast<std::size_t>(at));
    const std::int64_t brace = (group.curly[i] & bit) != 0 ? 1 : 0;
    if ((opens & bit) != 0) {
      if (state.depth++ == 0) {
        state.braces = 0;
        out.marks[out.count++] = {here, Mark::Kind::kOpen};
      }
      state.braces += brace;
    } else if (state.depth == 0) {
      out.marks[out.count++] = {here, Mark::Kind::kOutside};
      out.stopped_at = static_cast<std::size_t>(at);
      return true;
    } else {
      state.braces -= brace;
      if (--state.depth != 0) continue;
      out.marks[out.count++] = {here, Mark::Kind::kClose};
      out.is_odd |= state.braces != 0;
    }
  }
  return false;
}

// Makes marks of the brackets of a group. Returns true when it met kOutside.
inline bool mark_group(const Group& group, std::size_t blocks, std::size_t position,
                       ScanState& state, Marking& out) {
  for (std::size_t i = 0; i < blocks; ++i) {
    const int closed = __builtin_popcountll(group.closes[i]);
    if (state.depth > closed) {
      state.depth += __builtin_popcountll(group.opens[i]) - closed;
      state.braces += __builtin_popcountll(group.opens[i] & group.curly[i]) -
                      __builtin_popcountll(group.closes[i] & group.curly[i]);
    } else if (walk_brackets(group, i, position + i * kBlockBytes, state, out)) {
      out.stopped_at += i * kBlockBytes;
      return true;
    }
  }
  return false;
}

template <typename Lanes, typename Classify>
inline ScanResult scan_loop(const char* data, std::size_t begin, std::size_t end,
                            ScanState& state_between, Mark* marks, std::size_t capacity,
                            Classify classify) {
  ScanResult result;
  ScanState state = state_between;  // in registers
  Group group;
  std::uint64_t odd = 0;
  std::size_t at = begin;
  while (at < end) {
    std::size_t blocks = (capacity - result.marks) / kBlockBytes;  // every byte may be a mark
    if (blocks == 0) break;
    if (blocks > kGroup) blocks = kGroup;
    const std::size_t length = end - at < blocks * kBlockBytes ? end - at : blocks * kBlockBytes;
    blocks = (length + kBlockBytes - 1) / kBlockBytes;
    odd |= read_group<Lanes>(data + at, length, classify, group, state);
    Marking marking{marks, result.marks, 0, false};
    const bool is_outside = mark_group(group, blocks, at, state, marking);
    result.marks = marking.count;
    odd |= static_cast<std::uint64_t>(marking.is_odd);
    if (is_outside) {
      state = {.depth = state.depth};  // a bracket that counts is outside of strings
      result.stopped_outside = true;
      at += marking.stopped_at + 1;
      break;
    }
    at += length;
  }
  state_between = state;
  result.scanned = at - begin;
  if (odd != 0) result.suspect_end = at;
  return result;
}

}  // namespace
}  // namespace lockstep::formats::chrome_json
