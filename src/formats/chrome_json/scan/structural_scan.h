// Cuts the elements of a JSON array out of a byte stream by depth and string state.
//
// Elements are cut by quotes, backslashes and brackets alone. The scan keeps its state between
// calls, so that a chunk may end anywhere, and it is the same for every writer's whitespace and key
// order. Damaged text makes wrong marks, which the parser and careful_scan.h find out.
//
// The parser passes over most arguments of events without a look, and two events that damage has
// joined there would be one. So the scan also suspects text whose bytes cannot follow each other as
// they do, escapes that JSON does not have, NUL bytes, and control characters outside of strings;
// careful_scan.h then has the last word. Good JSON is never suspected.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockstep::formats::chrome_json {

struct ScanState {
  std::uint64_t in_string = 0;  // all ones inside a string
  bool escaped = false;         // the next byte is behind a backslash
  std::uint8_t digits = 0;      // so many hexadecimal digits of an escape are still to come
  std::int64_t depth = 0;       // brackets open since the scan began, all kinds
  std::int64_t braces = 0;      // of them, those that are { and not [
  // 1 or 0. What the last of { } [ ] : , was: one that ends something (a colon or a closing
  // bracket), a colon, one that a key may follow, the comma behind a colon.
  std::uint64_t behind_end = 0;
  std::uint64_t behind_colon = 0;
  std::uint64_t before_key = 0;
  std::uint64_t behind_member = 0;
  // What the last byte was that is not blank: the end of a value or key, a colon or comma, {, [.
  std::uint64_t value_ended = 0;
  std::uint64_t value_awaited = 0;
  std::uint64_t object_began = 0;
  std::uint64_t list_began = 0;
  std::uint64_t in_word = 0;  // the last byte is of a number or another word without quotes
};

struct Mark {
  enum class Kind : std::uint32_t {
    kOpen,     // depth went from 0 to 1: an element begins at this byte
    kClose,    // depth went from 1 to 0: it ends with this byte
    kOutside,  // a closing bracket at depth 0: the array ends, or the text is damaged
  };
  std::uint32_t position = 0;
  Kind kind = Kind::kOpen;
};

struct ScanResult {
  std::size_t scanned = 0;  // bytes done; less than asked for when `marks` was full
  std::size_t marks = 0;
  bool stopped_outside = false;  // the last mark is kOutside; `scanned` stops right behind it
  // What is suspected begins before this, which is the end of all that was scanned; 0: nothing is.
  // The scan does not say where: damage is rare.
  std::size_t suspect_end = 0;
};

// Scans data[begin, end), writing marks with positions relative to `data`. `end` stays below 2^32.
// Stops when `marks` (room for `capacity`, at least 64) may not hold one more block, or at
// kOutside.
[[nodiscard]] ScanResult scan_elements(const char* data, std::size_t begin, std::size_t end,
                                       ScanState& state, Mark* marks, std::size_t capacity);

// One implementation of scan_elements, for tests and benchmarks that compare them.
struct ScanImplementation {
  const char* name;
  bool supported;  // by this processor
  ScanResult (*scan)(const char* data, std::size_t begin, std::size_t end, ScanState& state,
                     Mark* marks, std::size_t capacity);
};
inline constexpr std::size_t kScanImplementations = 3;
// Slowest first: plain C++, then AVX2, then AVX-512.
[[nodiscard]] const ScanImplementation* scan_implementations();

namespace avx2 {
ScanResult scan_elements(const char* data, std::size_t begin, std::size_t end, ScanState& state,
                         Mark* marks, std::size_t capacity);
}  // namespace avx2

namespace avx512 {
ScanResult scan_elements(const char* data, std::size_t begin, std::size_t end, ScanState& state,
                         Mark* marks, std::size_t capacity);
}  // namespace avx512

}  // namespace lockstep::formats::chrome_json
