// Columns are passes, rows are roles.
#include "report/cycles/breakdown_page.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "report/cycles/pass_times.h"
#include "report/layout/quantities.h"

namespace lockstep::report::cycles {
namespace {

using Align = layout::Table::Align;
using analysis::breakdown::Breakdown;
using analysis::breakdown::Part;

// Parts that take less of the busy time than this are not shown by themselves.
constexpr std::int64_t kMinPartPerMille = 10;

bool is_worth_it(WideTime part, WideTime busy) {
  return part > 0 && part * 1000 >= busy * kMinPartPerMille;
}

WideTime sum_of(const std::vector<Part>& parts, WideTime analysis::breakdown::PartTime::* figure,
                const Breakdown& times) {
  WideTime sum = 0;
  for (const Part part : parts) sum += times[part].*figure;
  return sum;
}

class BreakdownTable {
 public:
  explicit BreakdownTable(std::vector<BrokenDown> passes) : passes_(std::move(passes)) {
    columns_.push_back({"role", Align::kLeft});
    int drop = static_cast<int>(2 * passes_.size());
    for (const BrokenDown& pass : passes_) {
      const bool is_first = columns_.size() == 1;
      hides_.push_back(std::ranges::any_of(pass.times.parts,
                                           [](const auto& part) { return part.hidden() > 0; }));
      columns_.push_back({pass.name, Align::kRight, false, is_first ? 0 : drop});
      columns_.push_back({"share", Align::kRight, false, is_first ? 0 : drop});
      if (hides_.back()) columns_.push_back({"hidden", Align::kRight, false, is_first ? 0 : drop});
      --drop;
    }
  }

  void add_row(std::string name, const std::vector<Part>& parts) {
    std::vector<std::string> cells = {std::move(name)};
    for (std::size_t i = 0; i < passes_.size(); ++i) {
      const Breakdown& times = passes_[i].times;
      const WideTime elapsed = sum_of(parts, &analysis::breakdown::PartTime::elapsed, times);
      const WideTime running = sum_of(parts, &analysis::breakdown::PartTime::running, times);
      add_time(elapsed, times, cells);
      cells.push_back(running == 0 ? "" : layout::share_of(elapsed, times.wall));
      if (hides_[i]) {
        cells.push_back(running == elapsed ? ""
                                           : layout::human_time_of(mean(running - elapsed, times)));
      }
    }
    rows_.push_back(std::move(cells));
  }

  void add_wall() {
    std::vector<std::string> cells = {"wall time"};
    for (std::size_t i = 0; i < passes_.size(); ++i) {
      add_time(passes_[i].times.wall, passes_[i].times, cells);
      cells.push_back("100.0 %");
      if (hides_[i]) cells.emplace_back();
    }
    rows_.push_back(std::move(cells));
  }

  void finish(layout::Page& page) { page.table(std::move(columns_), std::move(rows_)); }

 private:
  static WideTime mean(WideTime sum, const Breakdown& times) {
    return times.windows == 0 ? 0 : sum / static_cast<WideTime>(times.windows);
  }
  static void add_time(WideTime sum, const Breakdown& times, std::vector<std::string>& cells) {
    cells.push_back(sum == 0 ? "" : layout::human_time_of(mean(sum, times)));
  }

  std::vector<BrokenDown> passes_;
  std::vector<bool> hides_;
  std::vector<layout::Table::Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace

std::string part_words(Part part) {
  if (part == Part::kMemcpy) return "memcpy, memset";
  if (part == Part::kCopy) return "copy kernels";
  if (part == Part::kOther) return "other kernels";
  std::string words(name_of(part));
  std::ranges::replace(words, '_', ' ');
  return words;
}

std::int64_t mean_hidden_ns(const Breakdown& times, Part part) {
  if (times.windows == 0) return 0;
  return layout::floored_ns(times[part].hidden() / static_cast<WideTime>(times.windows));
}

PartRows part_rows(const std::vector<Breakdown>& breakdowns) {
  PartRows rows;
  for (std::size_t i = 0; i < analysis::breakdown::kPartCount; ++i) {
    const auto part = static_cast<Part>(i);
    if (part == Part::kIdle) continue;
    const auto runs = [&](const Breakdown& times) { return times[part].running > 0; };
    if (std::ranges::none_of(breakdowns, runs)) continue;
    const bool is_shown = std::ranges::any_of(breakdowns, [&](const Breakdown& times) {
      return is_worth_it(times[part].running, times.busy());
    });
    (is_shown ? rows.shown : rows.rest).push_back(part);
  }
  // One that is little is as short to say by its name.
  if (rows.rest.size() == 1) {
    rows.shown.push_back(rows.rest.front());
    rows.rest.clear();
  }
  std::ranges::stable_sort(rows.shown, std::ranges::greater{}, [&](Part part) {
    return breakdowns.empty() ? WideTime{0} : breakdowns.front()[part].elapsed;
  });
  return rows;
}

std::string rest_words(const PartRows& rows) { return counted(rows.rest.size(), "more role"); }

void add_breakdown(const analysis::cycles::StreamCycles& cycles, layout::Page& page) {
  std::vector<BrokenDown> passes = main_breakdowns(cycles);
  if (passes.empty()) return;
  std::vector<Breakdown> times;
  for (const BrokenDown& one : passes) times.push_back(one.times);
  const bool has_many =
      std::ranges::any_of(times, [](const Breakdown& one) { return one.windows > 1; });
  const bool has_hidden = std::ranges::any_of(times, [](const Breakdown& one) {
    return std::ranges::any_of(one.parts, [](const auto& part) { return part.hidden() > 0; });
  });
  const PartRows rows = part_rows(times);
  BreakdownTable table(std::move(passes));
  for (const Part part : rows.shown) table.add_row(part_words(part), {part});
  if (!rows.rest.empty()) table.add_row(rest_words(rows), rows.rest);
  table.add_row(part_words(Part::kIdle), {Part::kIdle});
  table.add_wall();
  page.nested_heading(has_many ? "Where the time goes, mean of all iterations"
                               : "Where the time goes");
  table.finish(page);
  if (has_hidden) {
    page.paragraph(
        "all streams of the device; a moment counts once, for computing before communication "
        "before copies, and what runs beside is hidden");
  }
}

}  // namespace lockstep::report::cycles
