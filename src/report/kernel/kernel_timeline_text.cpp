// Letters for events, and rows of them.
#include "report/kernel/kernel_timeline_text.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "analysis/kernel_profile/clocks/saturated_time.h"
#include "base/letters.h"
#include "report/kernel/lane_cells.h"
#include "report/layout/text_width.h"

namespace lockstep::report::kernel {
namespace {

constexpr std::size_t kMaxNameWidth = 28;
constexpr std::size_t kMaxLegendName = 24;
constexpr std::size_t kMinColumns = 40;
constexpr std::string_view kOutside = "\u00B7";     // a dot in the middle
constexpr std::string_view kInstant = "\u25BC";     // a triangle
constexpr std::string_view kLaneBorder = "\u2502";  // light lines: down, across, both
constexpr std::string_view kRulerLine = "\u2500";
constexpr std::string_view kRulerEnd = "\u253C";
constexpr char kNoLetterLeft = '#';

// A letter of the name where one is free, then any that is.
class EventLetters {
 public:
  // Called first for the events that take most time, so that they get their first letter.
  char of(std::uint32_t event, const std::string& name) {
    const auto [entry, is_new] = letters_.try_emplace(event, kNoLetterLeft);
    if (is_new) {
      entry->second = free_one(name);
      order_.push_back(event);
    }
    return entry->second;
  }
  [[nodiscard]] const std::vector<std::uint32_t>& order() const { return order_; }

 private:
  char free_one(const std::string& name) {
    static constexpr std::string_view kAll =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    std::string wishes = in_small_letters(name);
    for (const char c : name) wishes += capital_letter(c);
    for (const char c : wishes.append(kAll)) {
      if (kAll.contains(c) && !taken_.contains(c)) {
        taken_ += c;
        return c;
      }
    }
    return kNoLetterLeft;
  }

  std::map<std::uint32_t, char> letters_;
  std::vector<std::uint32_t> order_;
  std::string taken_;
};

class TimelineText {
 public:
  TimelineText(const KernelReport& report, const KernelPicture& picture, std::size_t width)
      : report_(report), picture_(picture), width_(width) {
    for (const PicturedBlock& block : picture.blocks) {
      for (const std::uint32_t lane : block.lanes) {
        names_.push_back(layout::shorten_middle(one_line(row_name(block, lane)), kMaxNameWidth));
        name_width_ = std::max(name_width_, layout::display_width(names_.back()));
        drawn_.push_back(drawn_lane(report, lane));
      }
    }
    const std::size_t taken = name_width_ + 3;  // a blank and two borders
    columns_ = std::max(width, taken + kMinColumns) - taken;
    give_letters();
  }

  std::vector<std::string> lines() {
    std::vector<std::string> out = {std::string(name_width_ + 1, ' ') + ruler()};
    std::size_t row = 0;
    for (const PicturedBlock& block : picture_.blocks) {
      for (const std::uint32_t lane : block.lanes) {
        const std::string& name = names_[row];
        out.push_back(fmt::format("{}{}{}{}{}", name,
                                  std::string(name_width_ - layout::display_width(name) + 1, ' '),
                                  kLaneBorder, cells(block, lane, drawn_[row]), kLaneBorder));
        ++row;
      }
    }
    for (std::string& line : legend()) out.push_back(std::move(line));
    return out;
  }

 private:
  // The launch is told above the drawing.
  [[nodiscard]] std::string row_name(const PicturedBlock& block, std::uint32_t index) const {
    const trace::KernelLane& lane = report_.lane(index);
    const std::string group =
        lane.name.empty() ? fmt::format("group {}", lane.group) : one_line(lane.name);
    const std::string_view mark = block.role == PicturedBlock::Role::kLast ? "*" : " ";
    if (lane.sm < 0) return fmt::format("{}block {} {}", mark, lane.block, group);
    return fmt::format("{}block {} SM {} {}", mark, lane.block, lane.sm, group);
  }

  // By the total time of events, as the table of events has them.
  void give_letters() {
    std::map<std::uint32_t, bool> is_drawn;
    for (const DrawnKernelLane& lane : drawn_) {
      for (const analysis::kernel_profile::TimedRegion& region : lane.regions)
        is_drawn[region.region.event] = true;
    }
    for (const analysis::kernel_profile::EventStatistics& event : report_.summary.events) {
      if (is_drawn.contains(event.event)) letter_of(event.event);
    }
    for (const auto& [event, is_there] : is_drawn) letter_of(event);
  }

  char letter_of(std::uint32_t event) {
    return letters_.of(event, report_.profile.event_name(event));
  }

  [[nodiscard]] std::string ruler() const {
    const std::string words = fmt::format(" {} ", kernel_time(report_, picture_.length));
    const std::size_t width = std::min(layout::display_width(words), columns_);
    const std::size_t before = (columns_ - width) / 2;
    return fmt::format("{}{}{}{}{}", kRulerEnd, layout::repeated(kRulerLine, before), words,
                       layout::repeated(kRulerLine, columns_ - width - before), kRulerEnd);
  }

  std::string cells(const PicturedBlock& block, std::uint32_t lane, const DrawnKernelLane& drawn) {
    std::vector<CellRegion> regions;
    for (const analysis::kernel_profile::TimedRegion& region : drawn.regions) {
      regions.push_back({region.start.time, end_of(region), region.region.event});
    }
    const auto shown = cells_of_lane(regions, block.start, picture_.length, columns_);
    const auto [from, to] = life_of(block, lane);
    std::vector<std::string> glyphs(columns_, " ");
    for (std::size_t i = from; i < to; ++i) glyphs[i] = kOutside;
    for (std::size_t i = 0; i < columns_; ++i) {
      if (!shown[i]) continue;
      glyphs[i] = std::string(1, letter_of(*shown[i]));
      is_shown_.insert(*shown[i]);
    }
    for (const analysis::kernel_profile::TimedInstant& instant : drawn.instants) {
      glyphs[column_of(block, instant.at.time)] = kInstant;
      has_instants_ = true;
    }
    std::string out;
    for (const std::string& glyph : glyphs) out += glyph;
    return out;
  }

  [[nodiscard]] std::size_t column_of(const PicturedBlock& block, Time time) const {
    const Time offset =
        std::min(analysis::kernel_profile::time_between(block.start, time), picture_.length);
    const WideTime column =
        WideTime{offset.ps} * static_cast<WideTime>(columns_) / picture_.length.ps;
    return std::min(static_cast<std::size_t>(column), columns_ - 1);
  }

  // Columns of the lane from its first marker to its last.
  [[nodiscard]] std::pair<std::size_t, std::size_t> life_of(const PicturedBlock& block,
                                                            std::uint32_t lane) const {
    for (const analysis::kernel_profile::LaneResult& result : report_.summary.lanes) {
      if (result.lane != lane) continue;
      return {
          column_of(block, result.start),
          column_of(block, analysis::kernel_profile::saturated_time(WideTime{result.end.ps} - 1)) +
              1};
    }
    return {0, 0};
  }

  // "c compute  l load", and what a dot means; an event that others hide has no entry.
  [[nodiscard]] std::vector<std::string> legend() {
    std::vector<std::string> entries;
    for (const std::uint32_t event : letters_.order()) {
      if (!is_shown_.contains(event)) continue;
      entries.push_back(fmt::format(
          "{} {}", letter_of(event),
          layout::shorten_middle(one_line(report_.profile.event_name(event)), kMaxLegendName)));
    }
    entries.push_back(fmt::format("{} outside regions", kOutside));
    if (has_instants_) entries.push_back(fmt::format("{} instant", kInstant));
    std::vector<std::string> lines = {""};
    for (const std::string& entry : entries) {
      std::string& line = lines.back();
      const std::string_view gap = line.empty() ? "" : "  ";
      if (!line.empty() &&
          layout::display_width(line) + gap.size() + layout::display_width(entry) > width_) {
        lines.push_back(entry);
      } else {
        line += std::string(gap) + entry;
      }
    }
    return lines;
  }

  const KernelReport& report_;
  const KernelPicture& picture_;
  std::size_t width_;
  std::size_t columns_ = 0;
  std::size_t name_width_ = 0;
  std::vector<std::string> names_;
  std::vector<DrawnKernelLane> drawn_;
  EventLetters letters_;
  std::set<std::uint32_t> is_shown_;  // events that a cell shows
  bool has_instants_ = false;
};

}  // namespace

std::vector<std::string> draw_kernel_timeline(const KernelReport& report,
                                              const KernelPicture& picture, std::size_t width) {
  if (picture.blocks.empty()) return {};
  return TimelineText(report, picture, width).lines();
}

}  // namespace lockstep::report::kernel
