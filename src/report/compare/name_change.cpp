// Room for two names, and where they part.
#include "report/compare/name_change.h"

#include <algorithm>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "base/utf8.h"
#include "report/layout/shorten_apart.h"
#include "report/layout/text_width.h"

namespace lockstep::report::compare {
namespace {

constexpr std::string_view kArrow = " -> ";
constexpr std::string_view kFrame = "{ -> }\u2026";
constexpr std::size_t kMinWidth = 12;   // of a line, columns
constexpr std::size_t kMinAround = 24;  // likewise: with less room nothing stands around a change

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

// Columns for the names of a line.
struct NameRoom {
  std::size_t a = 0;
  std::size_t b = 0;

  [[nodiscard]] std::size_t line() const { return a + kArrow.size() + b; }
};

bool is_change(const RowName& name) { return !name.b.empty() && name.a != name.b; }

NameRoom room_for(const RowName& name, std::size_t width) {
  const std::size_t line = std::max(kMinWidth, width - std::min(width, name.end.size()));
  if (!is_change(name)) return {line, 0};
  const std::size_t room = line - kArrow.size();
  const std::size_t need_a = layout::display_width(name.a);
  const std::size_t need_b = layout::display_width(name.b);
  const std::size_t left = room - std::min(room, need_b);
  const std::size_t for_a = std::min(need_a, std::max(room / 2, left));
  return {for_a, room - for_a};
}

// Empty where the shortened names tell the change.
std::string around_change(const RowName& name, const NameRoom& room) {
  if (!is_change(name) || room.line() < kMinAround) return {};
  // A column more for one of them would be no difference to speak of.
  const std::size_t least = std::min(room.a, room.b);
  if (layout::shorten_middle(name.a, least) != layout::shorten_middle(name.b, least)) return {};
  return around_difference(name.a, name.b, room.line());
}

}  // namespace

std::vector<std::string> row_names(std::span<const RowName> rows, std::size_t width) {
  std::vector<std::string> around;
  std::map<std::string_view, std::size_t> times;
  for (const RowName& row : rows) around.push_back(around_change(row, room_for(row, width)));
  for (const std::string& words : around) ++times[words];
  std::vector<std::string> names;
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    // What stands around two changes alike does not tell which kernels they are of.
    if (times[around[i]] > 1) around[i].clear();
    const NameRoom room = room_for(rows[i], width);
    const bool is_told = !around[i].empty();
    names.push_back(is_told ? "" : rows[i].a);
    names.push_back(is_told || !is_change(rows[i]) ? "" : rows[i].b);
    widths.insert(widths.end(), {room.a, room.b});
  }
  const std::vector<std::string> shown = layout::shorten_apart(names, widths);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string line = around[i];
    if (line.empty()) line = shown[2 * i];
    if (around[i].empty() && is_change(rows[i])) line += std::string(kArrow) + shown[2 * i + 1];
    lines.push_back(line + rows[i].end);
  }
  return lines;
}

}  // namespace lockstep::report::compare
