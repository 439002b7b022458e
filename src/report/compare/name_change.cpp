// Room for two names, and where they part.
#include "report/compare/name_change.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/utf8.h"
#include "report/layout/text_width.h"

namespace lockstep::report::compare {
namespace {

constexpr std::string_view kArrow = " -> ";
constexpr std::string_view kFrame = "{ -> }\u2026";
constexpr std::size_t kMinName = 12;  // columns; a shorter rest of a name says nothing

// Bytes that both begin with, whole characters only.
std::size_t common_prefix(std::string_view a, std::string_view b) {
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t n = 0;
  while (n < most && a[n] == b[n]) ++n;
  while (n > 0 && n < a.size() && is_inside_character(a[n])) --n;
  return n;
}

// The same of their ends.
std::size_t common_suffix(std::string_view a, std::string_view b) {
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t n = 0;
  while (n < most && a[a.size() - 1 - n] == b[b.size() - 1 - n]) ++n;
  while (n > 0 && is_inside_character(a[a.size() - n])) --n;
  return n;
}

std::string around_difference(std::string_view a, std::string_view b, std::size_t width) {
  const std::string_view both = a.substr(0, common_prefix(a, b));
  a.remove_prefix(both.size());
  b.remove_prefix(both.size());
  const std::size_t suffix = common_suffix(a, b);
  a.remove_suffix(suffix);
  b.remove_suffix(suffix);
  const std::size_t room = width - std::min(width, layout::display_width(kFrame));
  const std::size_t quarter = std::max<std::size_t>(1, room / 4);
  const std::string only_a = layout::shorten_middle(a, quarter);
  const std::string only_b = layout::shorten_middle(b, quarter);
  const std::size_t taken = layout::display_width(only_a) + layout::display_width(only_b);
  return fmt::format("{}{{{}{}{}}}{}", layout::shorten_middle(both, room - std::min(room, taken)),
                     only_a, kArrow, only_b, suffix == 0 ? "" : "\u2026");
}

}  // namespace

std::string name_change(const std::string& a, const std::string& b, std::size_t width) {
  if (a == b) return a;
  const std::size_t room = std::max(width, 2 * kMinName + kArrow.size()) - kArrow.size();
  const std::size_t need_a = layout::display_width(a);
  const std::size_t need_b = layout::display_width(b);
  std::size_t for_a = need_a;
  if (need_a + need_b > room) {
    for_a = std::min(need_a, std::max(room / 2, room - std::min(room, need_b)));
  }
  const std::size_t for_b = std::max(kMinName, room - std::min(room, for_a));
  // A column more for one of them would be no difference to speak of.
  const std::size_t least = std::min(for_a, for_b);
  if (layout::shorten_middle(a, least) == layout::shorten_middle(b, least)) {
    return around_difference(a, b, room + kArrow.size());
  }
  return fmt::format("{}{}{}", layout::shorten_middle(a, for_a), kArrow,
                     layout::shorten_middle(b, for_b));
}

}  // namespace lockstep::report::compare
