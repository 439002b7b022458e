// Which code points are shown as they are.
#include "base/one_line.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/utf8.h"

namespace lockstep {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

// Control and format characters, line and paragraph separators (Cc, Cf, Zl, Zp of Unicode 15; those
// of utf8proc's tables, which the library that users' programs load does without). Format
// characters include those that turn the direction of text around.
constexpr std::array kInvisible = std::to_array<Range>(
    {{0x0000, 0x001F},   {0x007F, 0x009F},   {0x00AD, 0x00AD},   {0x0600, 0x0605},
     {0x061C, 0x061C},   {0x06DD, 0x06DD},   {0x070F, 0x070F},   {0x0890, 0x0891},
     {0x08E2, 0x08E2},   {0x180E, 0x180E},   {0x200B, 0x200F},   {0x2028, 0x202E},
     {0x2060, 0x2064},   {0x2066, 0x206F},   {0xFEFF, 0xFEFF},   {0xFFF9, 0xFFFB},
     {0x110BD, 0x110BD}, {0x110CD, 0x110CD}, {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3},
     {0x1D173, 0x1D17A}, {0xE0001, 0xE0001}, {0xE0020, 0xE007F}});

bool is_no_character(std::uint32_t code) {
  return (code & 0xFFFE) == 0xFFFE || (code >= 0xFDD0 && code <= 0xFDEF);
}

bool is_harmless(std::uint32_t code) {
  if (code >= 0x20 && code < 0x7F) return true;
  const auto* const range = std::ranges::lower_bound(kInvisible, code, {}, &Range::last);
  const bool is_invisible = range != kInvisible.end() && range->first <= code;
  return !is_invisible && !is_no_character(code);
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for_each_character(text, [&](Utf8Character one, std::string_view bytes) {
    const bool is_shown = one.code != kReplacementCode && is_harmless(one.code);
    out += is_shown ? bytes : kReplacement;
  });
  return out;
}

}  // namespace lockstep
