// One line a row; unknown figures are empty.
#include "report/compare/compare_csv.h"

#include <fmt/format.h>

#include "report/compare/compare_view.h"
#include "report/layout/quantities.h"
#include "report/sinks/csv_text.h"

namespace lockstep::report::compare {
namespace {

std::string number(const std::optional<double>& value) {
  return value ? fmt::format("{:.6g}", *value) : std::string();
}

std::string times(const analysis::compare::RowSide& side) {
  return fmt::format("{},{},{},{}", side.mean_ns, layout::floored_ns_of(side.stddev_ps),
                     floor_ns(side.min), floor_ns(side.max));
}

std::string row_line(std::size_t number_of_pair, const analysis::compare::ComparePair& pair,
                     const analysis::compare::CompareRow& row) {
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", number_of_pair, pair_words(pair),
                     name_of(row.kind), sinks::csv_name(kernels_words(row, row.a)),
                     sinks::csv_name(kernels_words(row, row.b)), times(row.a), times(row.b),
                     row.delta_ns, number(row.percent), number(row.p), number(row.adjusted_p),
                     row.is_significant ? "true" : "false");
}

std::string unmatched_line(std::size_t number_of_pair, const analysis::compare::ComparePair& pair) {
  const std::string wall_a = pair.a ? fmt::format("{}", pair.a->wall_ns) : "";
  const std::string wall_b = pair.b ? fmt::format("{}", pair.b->wall_ns) : "";
  return fmt::format("{},{},{},,,{},,,,{},,,,,,,,\n", number_of_pair, pair_words(pair),
                     pair.a ? "unmatched_a" : "unmatched_b", wall_a, wall_b);
}

}  // namespace

std::string compare_csv(const analysis::compare::Comparison& comparison) {
  std::string out =
      "pair,what,kind,kernels_a,kernels_b,mean_ns_a,stddev_ns_a,min_ns_a,max_ns_a,mean_ns_b,"
      "stddev_ns_b,min_ns_b,max_ns_b,delta_ns,percent,p,adjusted_p,significant\n";
  for (std::size_t i = 0; i < comparison.pairs.size(); ++i) {
    const analysis::compare::ComparePair& pair = comparison.pairs[i];
    if (!is_matched(pair)) out += unmatched_line(i, pair);
    for (const analysis::compare::CompareRow& row : pair.rows) out += row_line(i, pair, row);
  }
  return out;
}

}  // namespace lockstep::report::compare
