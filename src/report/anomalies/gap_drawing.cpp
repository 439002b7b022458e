// Columns from times, in integers.
#include "report/anomalies/gap_drawing.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "report/layout/text_width.h"

namespace lockstep::report::anomalies {
namespace {

constexpr std::size_t kMaxNameWidth = 24;
constexpr std::size_t kMinColumns = 40;
constexpr std::string_view kBorder = "\u2502";  // light lines: down, across, both
constexpr std::string_view kLine = "\u2500";
constexpr std::string_view kCrossing = "\u253C";

// One part of the drawing: a stretch of time and the columns that it gets.
struct Part {
  Time start;
  Time end;
  std::size_t columns = 0;
  std::string words;  // before its length

  // The column of `time` from 0, rounded down or up.
  [[nodiscard]] std::size_t column_of(Time time, bool is_up) const {
    const WideTime length = WideTime{end.ps} - start.ps;
    const WideTime scaled =
        (WideTime{std::clamp(time, start, end).ps} - start.ps) * static_cast<WideTime>(columns);
    return static_cast<std::size_t>((scaled + (is_up ? length - 1 : 0)) / length);
  }
};

std::vector<Part> parts_of(const GapDrawing& drawing, std::size_t columns) {
  const bool has_before = drawing.start < drawing.gap_start;
  const bool has_after = drawing.gap_end < drawing.end;
  const std::size_t side = columns / 4;
  std::vector<Part> parts;
  if (has_before) parts.push_back({drawing.start, drawing.gap_start, side, {}});
  const std::size_t sides = (has_before ? side : 0) + (has_after ? side : 0);
  parts.push_back(
      {drawing.gap_start, drawing.gap_end, columns - sides, std::string(drawing.gap_words) + " "});
  if (has_after) parts.push_back({drawing.gap_end, drawing.end, side, {}});
  return parts;
}

// "--- 14.200 us ---", as a line that is drawn
std::string ruler_of(const Part& part) {
  const std::string words = fmt::format(" {}{} ", part.words, human_time(part.end - part.start));
  const std::size_t width = layout::display_width(words);
  if (width > part.columns) return layout::repeated(kLine, part.columns);
  const std::size_t before = (part.columns - width) / 2;
  return layout::repeated(kLine, before) + words +
         layout::repeated(kLine, part.columns - width - before);
}

std::string cells_of(const Part& part, const std::vector<DrawnSpan>& spans) {
  std::vector<std::string_view> cells(part.columns, " ");
  for (const DrawnSpan& span : spans) {
    const bool is_point = span.end <= span.start;
    if (span.start >= part.end || (span.end <= part.start && !is_point)) continue;
    if (is_point && span.start < part.start) continue;
    const std::size_t from = std::min(part.column_of(span.start, false), part.columns - 1);
    const std::size_t to = std::max(part.column_of(span.end, true), from + 1);
    std::fill(cells.begin() + static_cast<long>(from), cells.begin() + static_cast<long>(to),
              span.glyph);
  }
  std::string out;
  for (const std::string_view cell : cells) out += cell;
  return out;
}

std::string joined(const std::string& name, std::size_t name_width,
                   const std::vector<std::string>& parts, std::string_view border) {
  std::string line = name + std::string(name_width - layout::display_width(name) + 1, ' ');
  line += border;
  for (const std::string& part : parts) line += part + std::string(border);
  return line;
}

}  // namespace

std::vector<std::string> draw_gap(const GapDrawing& drawing, std::size_t width) {
  if (drawing.gap_end <= drawing.gap_start) return {};
  std::size_t name_width = 0;
  std::vector<std::string> names;
  for (const DrawnLane& lane : drawing.lanes) {
    names.push_back(layout::shorten_middle(one_line(lane.name), kMaxNameWidth));
    name_width = std::max(name_width, layout::display_width(names.back()));
  }
  // A blank, and at most four borders.
  const std::size_t taken = name_width + 1 + 4;
  const std::size_t columns = std::max(width, taken + kMinColumns) - taken;
  const std::vector<Part> parts = parts_of(drawing, columns);
  std::vector<std::string> ruler;
  for (const Part& part : parts) ruler.push_back(ruler_of(part));
  std::vector<std::string> lines = {joined("", name_width, ruler, kCrossing)};
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::vector<std::string> cells;
    for (const Part& part : parts) cells.push_back(cells_of(part, drawing.lanes[i].spans));
    lines.push_back(joined(names[i], name_width, cells, kBorder));
  }
  return lines;
}

}  // namespace lockstep::report::anomalies
