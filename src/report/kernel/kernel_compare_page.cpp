// Changes of events as rows, the largest first.
#include "report/kernel/kernel_compare_page.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analysis/kernel_profile/clocks/saturated_time.h"
#include "base/text.h"
#include "report/layout/input_words.h"
#include "report/layout/quantities.h"
#include "report/layout/text_width.h"

namespace lockstep::report::kernel {
namespace {

using Align = layout::Table::Align;

std::string change_words(const KernelReport& report,
                         const analysis::kernel_profile::TimeChange& change) {
  const std::string_view sign = change.delta.ps < 0 ? "-" : "+";
  const WideTime delta = change.delta.ps;
  const Time size = analysis::kernel_profile::saturated_time(delta < 0 ? -delta : delta);
  const std::string words = std::string(sign) + kernel_time(report, size);
  if (!change.ratio) return words;
  return fmt::format("{} ({})", words, layout::signed_percent(100 * (*change.ratio - 1)));
}

std::string verdict_words(const analysis::kernel_profile::EventChange& change) {
  if (!change.a) return "new";
  if (!change.b) return "gone";
  if (!change.p) return "too few lanes";
  return change.is_significant ? "yes" : "no";
}

std::string before(const KernelReport& report,
                   const std::optional<analysis::kernel_profile::EventStatistics>& side) {
  return side ? kernel_time(report, side->p50) : "-";
}

}  // namespace

void add_kernel_comparison(const KernelReport& report, std::uint32_t top, layout::Page& page) {
  const analysis::kernel_profile::KernelComparison& comparison = *report.comparison;
  page.heading(fmt::format("Against {}", one_line(layout::shown_input(report.compared_with))));
  page.paragraph(fmt::format("A launch takes {}, a lane {}; {} changed beyond noise.",
                             change_words(report, comparison.launch_time),
                             change_words(report, comparison.lane_time),
                             counted(comparison.significant, "event")));
  const std::size_t all = comparison.events.size();
  const std::size_t shown = top == 0 ? all : std::min<std::size_t>(all, top);
  std::vector<std::vector<std::string>> rows;
  for (const analysis::kernel_profile::EventChange& one :
       std::span(comparison.events).first(shown)) {
    rows.push_back({one.name, change_words(report, one.per_launch), before(report, one.a),
                    before(report, one.b), change_words(report, one.p95),
                    fmt::format("{:+d}", one.count_delta), verdict_words(one)});
  }
  page.table({{"event", Align::kLeft, true},
              {"total a launch", Align::kRight},
              {"p50 before", Align::kRight},
              {"p50 now", Align::kRight},
              {"p95", Align::kRight, false, 1},
              {"count", Align::kRight, false, 2},
              {"beyond noise", Align::kLeft}},
             std::move(rows));
}

}  // namespace lockstep::report::kernel
