// Rows, boxes, an axis and a legend, in pixels.
#include "report/kernel/kernel_svg.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "analysis/kernel_profile/clocks/saturated_time.h"
#include "analysis/kernels/short_name.h"
#include "base/text.h"
#include "report/kernel/svg_text.h"
#include "report/layout/input_words.h"
#include "report/layout/text_width.h"

namespace lockstep::report::kernel {
namespace {

constexpr std::size_t kRows = 24;
constexpr double kWidth = 1200;
constexpr std::size_t kPixels = 1200;
constexpr double kLeft = 170;  // of the rows; names stand before them
constexpr double kRight = 20;
constexpr double kTop = 64;
constexpr double kBoxHeight = 18;
constexpr double kBoxGap = 2;
constexpr double kLaneGap = 6;
constexpr double kBlockGap = 12;
constexpr double kLegendHeight = 20;
constexpr double kThinBox = 2;            // boxes below it are drawn as one where they touch
constexpr double kTouching = 0.5;         // of boxes that are drawn as one
constexpr std::size_t kCrowded = 10'000;  // regions or instants of a lane, more than can be seen
constexpr double kLeastApart = 1;         // begins of two boxes of a row in a crowded lane
constexpr double kLetterWidth = 6.3;
constexpr std::size_t kMaxArrows = 200;
constexpr std::size_t kMaxBoxRows = 8;  // of one lane; what overlaps more shares the last
constexpr std::size_t kMaxName = 26;
constexpr std::size_t kMaxTicks = 8;

// Told apart also by those who see few colours, and dark text is read on all of them.
constexpr std::array<std::string_view, 12> kColours = {"#8ecae6", "#ffb703", "#90be6d", "#f28482",
                                                       "#cdb4db", "#fb8500", "#84dcc6", "#e9c46a",
                                                       "#b8c0ff", "#d4a373", "#a3b18a", "#ced4da"};

struct Box {
  double x = 0;
  double width = 0;
  std::size_t row = 0;  // inside the lane
  std::uint32_t event = 0;
  std::uint64_t regions = 1;
  Time start;
  Time duration;
  analysis::kernel_profile::RegionStatus status = analysis::kernel_profile::RegionStatus::kOk;
};

// Step of the axis: 1, 2 or 5 times a power of ten.
double axis_step(double length) {
  const double least = length / static_cast<double>(kMaxTicks);
  double step = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {2.0, 2.5, 2.0}) {
    if (step >= least) break;
    step *= factor;
  }
  return step;
}

class KernelSvg {
 public:
  explicit KernelSvg(const KernelReport& report)
      : report_(report), picture_(choose_picture(report, kRows)) {}

  std::string write() {
    draw_title();
    double y = kTop;
    for (const PicturedBlock& block : picture_.blocks) {
      for (const std::uint32_t lane : block.lanes) y = draw_lane(block, lane, y) + kLaneGap;
      y += kBlockGap - kLaneGap;
    }
    draw_arrows();
    draw_axis(y - kBlockGap);
    if (picture_.blocks.empty()) body_ += svg_text(kLeft, kTop, "Nothing was recorded.");
    const double height = draw_legend(y + 16);
    return fmt::format(R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0:g}" height="{1:.0f}" )"
                       R"(viewBox="0 0 {0:g} {1:.0f}" font-family="Helvetica, Arial, sans-serif" )"
                       R"(font-size="11" fill="#222">)"
                       "\n"
                       R"(<rect width="100%" height="100%" fill="#fff"/>)"
                       "\n",
                       kWidth, height) +
           body_ + "</svg>\n";
  }

 private:
  [[nodiscard]] double x_of(const PicturedBlock& block, Time time) const {
    const Time offset =
        std::min(analysis::kernel_profile::time_between(block.start, time), picture_.length);
    return kLeft + (kWidth - kLeft - kRight) * static_cast<double>(offset.ps) /
                       static_cast<double>(picture_.length.ps);
  }

  void draw_title() {
    std::string title = one_line(layout::shown_input(report_.input));
    std::string whole;
    if (picture_.launch < report_.profile.launches.size()) {
      const trace::KernelLaunch& launch = report_.launch(picture_.launch);
      whole = demangled(launch.kernel);
      const std::string kernel = whole.empty() ? title : analysis::kernels::short_name(whole);
      if (kernel == whole) whole.clear();
      title = fmt::format("{}, launch {}", kernel, launch.id);
    }
    const std::string text = svg_text(10, 22, title, R"(font-size="15" font-weight="bold")");
    // A whole name has no room above the picture; viewers show it beside the pointer.
    body_ += whole.empty()
                 ? text
                 : fmt::format("<g><title>{}</title>\n{}</g>\n", svg_escaped(whole), text);
    std::string facts = report_.profile.device;
    facts += fmt::format("{}{}", facts.empty() ? "" : ", ",
                         counted(report_.profile.lanes.size(), "lane"));
    if (picture_.lanes_left_out > 0) {
      facts += fmt::format(", {} not shown", grouped(picture_.lanes_left_out));
    }
    const std::string band = band_words(report_);
    if (!band.empty()) facts += ", times " + band;
    if (!picture_.has_common_start) facts += ", each block from its own start";
    body_ += svg_text(10, 40, facts, R"(fill="#666")");
  }

  // The y below the lane.
  double draw_lane(const PicturedBlock& block, std::uint32_t index, double y) {
    const DrawnKernelLane drawn = drawn_lane(report_, index);
    const std::vector<Box> boxes = boxes_of(block, drawn.regions);
    std::size_t rows = 1;
    for (const Box& box : boxes) rows = std::max(rows, box.row + 1);
    const double height = static_cast<double>(rows) * (kBoxHeight + kBoxGap) - kBoxGap;
    lane_tops_[index] = y;
    const trace::KernelLane& lane = report_.lane(index);
    const std::string group =
        lane.name.empty() ? fmt::format("group {}", lane.group) : one_line(lane.name);
    const std::string place = lane.sm < 0 ? "" : fmt::format(" SM {}", lane.sm);
    body_ += svg_text(
        10, y + 13,
        layout::shorten_middle(fmt::format("block {}{} {}", lane.block, place, group), kMaxName));
    body_ +=
        fmt::format(R"(<rect x="{:g}" y="{:.2f}" width="{:g}" height="{:.2f}" fill="#f4f4f4"/>)"
                    "\n",
                    kLeft, y, kWidth - kLeft - kRight, height);
    for (const Box& box : boxes) draw_box(box, y);
    std::vector<bool> has_instant(drawn.instants.size() > kCrowded ? kPixels : 0);
    for (const analysis::kernel_profile::TimedInstant& instant : drawn.instants) {
      if (!has_instant.empty()) {
        const auto pixel = static_cast<std::size_t>(x_of(block, instant.at.time));
        if (has_instant[pixel]) continue;
        has_instant[pixel] = true;
      }
      draw_instant(block, instant, y);
    }
    return y + height;
  }

  // Each goes to the first row that is free; thin ones that touch become one. So do those of a
  // crowded lane that begin in one pixel: a million boxes show no more than a thousand.
  [[nodiscard]] std::vector<Box> boxes_of(
      const PicturedBlock& block,
      const std::vector<analysis::kernel_profile::TimedRegion>& regions) {
    std::vector<Box> boxes;
    std::vector<Time> row_ends;
    std::vector<std::size_t> last_in_row;
    const bool is_crowded = regions.size() > kCrowded;
    for (const analysis::kernel_profile::TimedRegion& timed : regions) {
      const Time end = end_of(timed);
      const auto free = std::ranges::find_if(
          row_ends, [&](Time taken_until) { return taken_until <= timed.start.time; });
      const std::size_t row =
          std::min(static_cast<std::size_t>(free - row_ends.begin()), kMaxBoxRows - 1);
      Box box{x_of(block, timed.start.time),
              0,
              row,
              timed.region.event,
              1,
              timed.start.time,
              timed.duration,
              timed.region.status};
      box.width = x_of(block, end) - box.x;
      if (row == row_ends.size()) {
        row_ends.push_back(end);
        last_in_row.push_back(boxes.size());
        boxes.push_back(box);
        continue;
      }
      row_ends[row] = end;
      if (joins(boxes[last_in_row[row]], box)) continue;
      if (is_crowded && box.x - boxes[last_in_row[row]].x < kLeastApart) {
        swallow(boxes[last_in_row[row]], box);
        continue;
      }
      last_in_row[row] = boxes.size();
      boxes.push_back(box);
    }
    return boxes;
  }

  static bool joins(Box& before, const Box& box) {
    const bool is_thin = box.width < kThinBox && before.event == box.event;
    if (!is_thin || box.x - (before.x + before.width) > kTouching) return false;
    before.width = box.x + box.width - before.x;
    before.duration = analysis::kernel_profile::saturated_time(WideTime{box.start.ps} +
                                                               box.duration.ps - before.start.ps);
    ++before.regions;
    return true;
  }

  // The longer one gives its colour and name.
  static void swallow(Box& before, const Box& box) {
    if (box.width > before.width) {
      before.event = box.event;
      before.status = box.status;
    }
    const Time end = std::max(before.start + before.duration, box.start + box.duration);
    before.width = std::max(before.x + before.width, box.x + box.width) - before.x;
    before.duration = end - before.start;
    ++before.regions;
  }

  std::string_view colour_of(std::uint32_t event) {
    const auto [entry, is_new] = colours_.try_emplace(event, colours_.size());
    if (is_new) order_.push_back(event);
    return kColours[entry->second % kColours.size()];
  }

  void draw_box(const Box& box, double lane_y) {
    const double y = lane_y + static_cast<double>(box.row) * (kBoxHeight + kBoxGap);
    const std::string name = one_line(report_.profile.event_name(box.event));
    const std::string count =
        box.regions == 1 ? "" : fmt::format(", {} regions", grouped(box.regions));
    const std::string status = box.status == analysis::kernel_profile::RegionStatus::kOk
                                   ? ""
                                   : fmt::format(", {}", name_of(box.status));
    const std::string_view border = box.status == analysis::kernel_profile::RegionStatus::kOk
                                        ? ""
                                        : R"( stroke="#c00" stroke-dasharray="3 2")";
    body_ += fmt::format(R"(<rect x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:g}" fill="{}"{}>)"
                         "<title>{}: {} at {}{}{}</title></rect>\n",
                         box.x, y, std::max(box.width, 0.4), kBoxHeight, colour_of(box.event),
                         border, svg_escaped(name), kernel_time(report_, box.duration),
                         kernel_time(report_, box.start), count, status);
    const double room = box.width - 6;
    if (room >= static_cast<double>(layout::display_width(name)) * kLetterWidth) {
      body_ += svg_text(box.x + 3, y + 13, name);
    }
  }

  void draw_instant(const PicturedBlock& block,
                    const analysis::kernel_profile::TimedInstant& instant, double y) {
    const double x = x_of(block, instant.at.time);
    body_ += fmt::format(
        R"(<path d="M{:.2f} {:.2f} l-4 -6 h8 z" fill="#333"><title>{} at {}</title></path>)"
        "\n",
        x, y + 4, svg_escaped(one_line(report_.profile.event_name(instant.instant.event))),
        kernel_time(report_, instant.at.time));
  }

  [[nodiscard]] const PicturedBlock* block_of(std::uint32_t lane) const {
    const auto found = std::ranges::find_if(picture_.blocks, [&](const PicturedBlock& block) {
      return std::ranges::count(block.lanes, lane) > 0;
    });
    return found == picture_.blocks.end() ? nullptr : &*found;
  }

  void draw_arrows() {
    std::size_t drawn = 0;
    for (const analysis::kernel_profile::AsyncPair& pair : report_.summary.async_pairs) {
      if (drawn == kMaxArrows) return;
      const PicturedBlock* const from = block_of(pair.begin_lane);
      const PicturedBlock* const to = block_of(pair.end_lane);
      if (from == nullptr || to == nullptr) continue;
      const double y1 = lane_tops_.at(pair.begin_lane) + kBoxHeight;
      const double y2 = lane_tops_.at(pair.end_lane);
      body_ += fmt::format(
          R"(<path d="M{:.2f} {:.2f} L{:.2f} {:.2f}" stroke="#555" stroke-width="0.8" )"
          R"(fill="none"><title>{}, token {}: {}</title></path>)"
          "\n",
          x_of(*from, pair.begin.time), y1, x_of(*to, pair.end.time), y2,
          svg_escaped(one_line(report_.profile.event_name(pair.event))), pair.token,
          kernel_time(report_,
                      analysis::kernel_profile::time_between(pair.begin.time, pair.end.time)));
      ++drawn;
    }
  }

  // Above the rows, from the left edge on.
  void draw_axis(double bottom) {
    if (picture_.blocks.empty()) return;
    const auto length = static_cast<double>(picture_.length.ps);
    const double step = axis_step(length);
    for (double at = 0; at <= length; at += step) {
      const double x = kLeft + (kWidth - kLeft - kRight) * at / length;
      body_ += fmt::format(R"(<path d="M{0:.2f} {1:g} V{2:.2f}" stroke="#bbb" stroke-width="0.5"/>)"
                           "\n",
                           x, kTop - 4, bottom);
      body_ += svg_text(x, kTop - 8, axis_words(at), R"(text-anchor="middle" fill="#666")");
    }
  }

  [[nodiscard]] std::string axis_words(double ps) const {
    if (is_in_cycles(report_)) {
      return fmt::format("{:g}", ps / 1e3);
    }
    const auto length = static_cast<double>(picture_.length.ps);
    if (length < 2e6) return fmt::format("{:g} ns", ps / 1e3);
    if (length < 2e9) return fmt::format("{:g} us", ps / 1e6);
    return fmt::format("{:g} ms", ps / 1e9);
  }

  // The height of the whole picture.
  double draw_legend(double y) {
    double x = kLeft;
    for (const std::uint32_t event : order_) {
      const std::string name =
          layout::shorten_middle(one_line(report_.profile.event_name(event)), kMaxName);
      const double width =
          18 + static_cast<double>(layout::display_width(name)) * kLetterWidth + 16;
      if (x + width > kWidth - kRight && x > kLeft) {
        x = kLeft;
        y += kLegendHeight;
      }
      body_ += fmt::format(R"(<rect x="{:.2f}" y="{:.2f}" width="12" height="12" fill="{}"/>)"
                           "\n",
                           x, y, colour_of(event));
      body_ += svg_text(x + 18, y + 10, name);
      x += width;
    }
    return y + kLegendHeight + 6;
  }

  const KernelReport& report_;
  KernelPicture picture_;
  std::string body_;
  std::map<std::uint32_t, double> lane_tops_;
  std::map<std::uint32_t, std::size_t> colours_;
  std::vector<std::uint32_t> order_;  // of the legend: as they come
};

}  // namespace

std::string kernel_svg(const KernelReport& report) { return KernelSvg(report).write(); }

}  // namespace lockstep::report::kernel
