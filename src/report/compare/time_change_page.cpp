// Rows are roles, means of an iteration on both sides.
#include "report/compare/time_change_page.h"

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/compare/time_change.h"
#include "base/text.h"
#include "report/compare/compare_view.h"
#include "report/cycles/breakdown_page.h"
#include "report/layout/quantities.h"

namespace lockstep::report::compare {
namespace {

using Align = layout::Table::Align;
using analysis::breakdown::Breakdown;
using analysis::breakdown::Part;
using analysis::compare::TimeLimit;

std::string clause(std::string_view what, double percent, std::string_view more,
                   std::string_view less) {
  return fmt::format("{} {:.0f} % {}", what, std::abs(percent), percent > 0 ? more : less);
}

// "launch bound on A", "long pauses on both"
std::string limit_words(std::string_view words, bool is_a, bool is_b) {
  if (!is_a && !is_b) return {};
  return fmt::format("{} on {}", words, is_a && is_b ? "both" : is_a ? "A" : "B");
}

std::string limits_words(const analysis::compare::TimeChange& change) {
  std::vector<std::string> words;
  for (const auto& [limit, name] : {std::pair(TimeLimit::kLaunches, "launch bound"),
                                    std::pair(TimeLimit::kWaits, "long pauses")}) {
    std::string one = limit_words(name, change.limit_a == limit, change.limit_b == limit);
    if (!one.empty()) words.push_back(std::move(one));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

// Means in whole nanoseconds, so that the rows add up on each side.
using Means = std::array<std::int64_t, analysis::breakdown::kPartCount>;

std::int64_t sum_of(const Means& means, const std::vector<Part>& parts) {
  std::int64_t sum = 0;
  for (const Part part : parts) sum += means[analysis::breakdown::index_of(part)];
  return sum;
}

std::vector<std::string> cells_of(std::string name, std::int64_t a, std::int64_t b,
                                  std::int64_t wall_a, std::int64_t wall_b) {
  const auto time = [](std::int64_t ns) {
    return ns == 0 ? std::string() : human_time(Time{ns * kPicosecondsPerNanosecond});
  };
  const std::optional<double> percent =
      a == 0 || !is_shown_change(a, b)
          ? std::nullopt
          : std::optional(100.0 * static_cast<double>(b - a) / static_cast<double>(a));
  return {std::move(name),
          time(a),
          layout::share_of(a, wall_a),
          time(b),
          layout::share_of(b, wall_b),
          a == b ? std::string() : layout::signed_time(Time{(b - a) * kPicosecondsPerNanosecond}),
          percent_words(percent)};
}

// What is told by itself, the little ones that are told together, and what is only counted.
struct ChangedParts {
  std::vector<Part> changed;
  std::vector<Part> rest;
  std::vector<Part> unchanged;
};

ChangedParts changed_parts(const cycles::PartRows& parts, const Means& a, const Means& b) {
  ChangedParts told;
  for (const Part part : parts.shown) {
    const bool is_changed = is_shown_change(sum_of(a, {part}), sum_of(b, {part}));
    (is_changed ? told.changed : told.unchanged).push_back(part);
  }
  const bool is_rest_changed = is_shown_change(sum_of(a, parts.rest), sum_of(b, parts.rest));
  std::vector<Part>& rest = is_rest_changed ? told.rest : told.unchanged;
  rest.insert(rest.end(), parts.rest.begin(), parts.rest.end());
  // Parts that have no moment of their own on either side are none that did not change.
  std::erase_if(told.unchanged, [&](Part part) { return sum_of(a, {part}) == 0; });
  return told;
}

}  // namespace

std::string time_change_words(const analysis::compare::ComparePair& pair) {
  if (!pair.is_same_work) return {};
  const analysis::compare::TimeChange change = analysis::compare::time_change(pair);
  std::vector<std::string> clauses;
  if (change.is_kernels_told)
    clauses.push_back(clause("kernels", *change.kernels_percent, "slower", "faster"));
  if (change.is_idle_told) clauses.push_back(clause("idle", *change.idle_percent, "more", "less"));
  if (clauses.empty()) return {};
  const std::string limits = limits_words(change);
  return fmt::format("{}{}{}", fmt::join(clauses, ", "), limits.empty() ? "" : ": ", limits);
}

void add_time_change(const analysis::compare::ComparePair& pair, layout::Page& page) {
  const Breakdown& a = pair.a->breakdown;
  const Breakdown& b = pair.b->breakdown;
  if (a.windows == 0 || b.windows == 0) return;
  if (const std::string words = time_change_words(pair); !words.empty()) page.paragraph(words);
  const cycles::PartRows parts = cycles::part_rows({a, b});
  const Means means_a = mean_ns(a);
  const Means means_b = mean_ns(b);
  if (means_a == means_b) return;  // the rows below say as much
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](std::string name, const std::vector<Part>& of) {
    const std::int64_t of_a = sum_of(means_a, of);
    const std::int64_t of_b = sum_of(means_b, of);
    if (of_a == 0 && of_b == 0) return;
    rows.push_back(cells_of(std::move(name), of_a, of_b, pair.a->wall_ns, pair.b->wall_ns));
  };
  const ChangedParts told = changed_parts(parts, means_a, means_b);
  for (const Part part : told.changed) add(cycles::part_words(part), {part});
  if (!told.rest.empty()) add(cycles::rest_words(parts), told.rest);
  // One is as short to say by its name.
  const std::size_t same = told.unchanged.size();
  if (same == 1) add(cycles::part_words(told.unchanged.front()), told.unchanged);
  if (same > 1) add(counted(same, "role") + " without change", told.unchanged);
  add(cycles::part_words(Part::kIdle), {Part::kIdle});
  rows.push_back(
      cells_of("wall time", pair.a->wall_ns, pair.b->wall_ns, pair.a->wall_ns, pair.b->wall_ns));
  page.table({{"role", Align::kLeft},
              {"A", Align::kRight},
              {"share", Align::kRight, false, 2},
              {"B", Align::kRight},
              {"share", Align::kRight, false, 1},
              {"delta", Align::kRight},
              {"change", Align::kRight, false, 3}},
             std::move(rows));
}

}  // namespace lockstep::report::compare
