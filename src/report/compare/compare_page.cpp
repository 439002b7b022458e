// The sections in their order; each adds nothing when it has nothing to say.
#include "report/compare/compare_page.h"

#include <algorithm>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/one_line.h"
#include "base/text.h"
#include "report/compare/compare_rows_page.h"
#include "report/compare/time_change_page.h"
#include "report/cycles/cycles_view.h"
#include "report/layout/input_words.h"
#include "report/layout/quantities.h"

namespace lockstep::report::compare {
namespace {

using Align = layout::Table::Align;

constexpr std::size_t kMaxPairs = 8;
constexpr std::size_t kMaxUnmatched = 8;
// More of a trace's time without partner is said beside the total.
constexpr double kMaxUnmatchedShare = 0.05;
// Pairs that take less of the time have no table by role.
constexpr std::int64_t kMinTablePercent = 10;

// "62.000 ms -> 48.100 ms, -13.900 ms (-22.4 %)"
std::string change_words(std::int64_t a, std::int64_t delta, std::optional<double> percent) {
  std::string out =
      fmt::format("{} -> {}", human_time(time_of_ns(a)), human_time(time_of_ns(a + delta)));
  if (delta == 0) return out + ", the same";
  out += ", " + signed_ns(delta);
  return percent ? fmt::format("{} ({})", out, percent_words(percent)) : out;
}

// Why a difference that chance hardly makes is not called one.
std::string doubt_words(const analysis::compare::ComparePair& pair, double false_discovery_rate) {
  if (!pair.adjusted_p || *pair.adjusted_p > false_discovery_rate) return {};
  switch (pair.doubt) {
    case algo::Doubt::kNone:
      return {};
    case algo::Doubt::kFewValues:
      return fmt::format(": {} and {} iterations are too few to say", grouped(pair.a->iterations),
                         grouped(pair.b->iterations));
    case algo::Doubt::kTooSmall:
      return ": less than --min-change or --min-difference";
    case algo::Doubt::kStrayValues:
      return ": a few iterations make the difference, most do not differ";
    case algo::Doubt::kDrift:
      return ": one of the runs drifts by as much";
  }
  return {};
}

std::string noise_words(const analysis::compare::ComparePair& pair, double false_discovery_rate) {
  if (pair.is_significant) return "beyond noise";
  if (!pair.is_same_work) return "not the same work";
  if (!pair.p) return "one iteration: noise is not known";
  return "within noise" + doubt_words(pair, false_discovery_rate);
}

std::size_t matched_streams(const analysis::compare::Comparison& comparison) {
  std::set<std::uint32_t> streams;
  for (const analysis::compare::ComparePair& pair : comparison.pairs) {
    if (is_compared(pair)) streams.insert(pair.a->stream);
  }
  return streams.size();
}

// Streams run at once, so their sum is no time that passed.
std::string sum_words(const analysis::compare::Comparison& comparison) {
  const std::size_t streams = matched_streams(comparison);
  return streams < 2 ? std::string() : fmt::format(", summed over {}", counted(streams, "stream"));
}

// What is left out of the first sentence is said in it: it may be what changed.
std::string unmatched_words(const analysis::compare::Comparison& comparison) {
  std::vector<std::string> sides;
  for (const auto& [side, name] :
       {std::pair(&comparison.unmatched_a, "A"), std::pair(&comparison.unmatched_b, "B")}) {
    if (side->share > kMaxUnmatchedShare)
      sides.push_back(fmt::format("{} of {}", layout::percent_words(100 * side->share), name));
  }
  if (sides.empty()) return {};
  const bool has_unlike = std::ranges::any_of(
      comparison.pairs, [](const auto& pair) { return is_matched(pair) && !pair.is_same_work; });
  return fmt::format(", and without {}, which has no partner{}", fmt::join(sides, " and "),
                     has_unlike ? " that does the same work" : "");
}

std::string noise_words(const analysis::compare::Comparison& comparison) {
  if (comparison.rows_tested == 0) return "one iteration: noise is not known";
  return fmt::format("{} of {} beyond noise", grouped(comparison.rows_significant),
                     counted(comparison.rows_tested, "row"));
}

// "A ran on NVIDIA H100, B on AMD Instinct MI300X"
void add_devices(const ComparedTraces& compared, layout::Page& page) {
  const auto words = [](const std::vector<std::string>& names) {
    return names.empty() ? std::string("an unknown device")
                         : one_line(fmt::format("{}", fmt::join(names, " and ")));
  };
  if (compared.a.devices.empty() && compared.b.devices.empty()) return;
  page.remark(compared.a.devices == compared.b.devices
                  ? fmt::format("Both ran on {}.", words(compared.a.devices))
                  : fmt::format("A ran on {}, B on {}.", words(compared.a.devices),
                                words(compared.b.devices)));
}

void add_total(const analysis::compare::Comparison& comparison, layout::Page& page) {
  const auto matched = static_cast<std::size_t>(
      std::ranges::count_if(comparison.pairs, [](const analysis::compare::ComparePair& pair) {
        return is_compared(pair) && !pair.is_inside;
      }));
  if (matched == 0) {
    return page.remark(layout::capitalised(nothing_compared_words(comparison)) + ".");
  }
  const bool has_elapsed = matched_streams(comparison) > 1;
  const std::string unmatched = unmatched_words(comparison);
  if (has_elapsed) {
    page.headed_paragraph(
        "Elapsed", fmt::format("{}; without what streams do at once{}",
                               change_words(comparison.elapsed_ns_a, comparison.elapsed_delta_ns,
                                            comparison.elapsed_percent()),
                               unmatched));
  }
  const std::string change =
      change_words(comparison.total_ns_a, comparison.total_delta_ns, comparison.total_percent());
  page.headed_paragraph("Total",
                        fmt::format("{}; {}, each times its iterations in A{}{}; {}", change,
                                    counted(matched, "pair"), sum_words(comparison),
                                    has_elapsed ? "" : unmatched, noise_words(comparison)));
}

std::string shape_words(const analysis::compare::PairSide& side) {
  return fmt::format("{} x {}", grouped(side.iterations), grouped(side.kernels));
}

// "12 x 82 kernels (2 iterations as one)"
std::string pair_shape(const analysis::compare::PairSide& side) {
  const std::string shape = shape_words(side) + (side.kernels == 1 ? " kernel" : " kernels");
  return side.folded == 1 ? shape
                          : fmt::format("{} ({} iterations as one)", shape, grouped(side.folded));
}

void add_pair_head(const analysis::compare::ComparePair& pair, const ComparedTraces& compared,
                   layout::Page& page) {
  const std::string change = change_words(pair.a->wall_ns, *pair.delta_ns, pair.percent);
  const double rate = compared.comparison.options.false_discovery_rate;
  const std::string head =
      pair.is_inside ? pair_words(pair) + " of the pass above" : pair_words(pair);
  page.headed_paragraph(head, fmt::format("{}, {}", change, noise_words(pair, rate)));
  const bool is_multiple =
      compared.a.cycles.streams.size() > 1 || compared.b.cycles.streams.size() > 1;
  const std::string where =
      is_multiple
          ? fmt::format("; {} -> {}",
                        cycles::stream_words(compared.a.cycles.streams[pair.a->stream].stream),
                        cycles::stream_words(compared.b.cycles.streams[pair.b->stream].stream))
          : "";
  const std::string how = pair.by_name ? "; too long to align, rows are names" : "";
  std::string unknown = unknown_phase_words(pair);
  if (!unknown.empty()) unknown.insert(0, "; ");
  page.paragraph(fmt::format("{} -> {}, {:.0f} % alike{}{}{}", pair_shape(*pair.a),
                             pair_shape(*pair.b), 100 * pair.similarity, unknown, where, how));
}

// Where pairs of several streams are the same time, one of them has it.
bool has_table(const analysis::compare::ComparePair& pair,
               const analysis::compare::Comparison& comparison) {
  return pair.is_elapsed && 100 * WideTime{pair.a->wall_ns} * pair.a->iterations >=
                                kMinTablePercent * WideTime{comparison.elapsed_ns_a};
}

void add_pair(const analysis::compare::ComparePair& pair, const ComparedTraces& compared,
              std::size_t top, const layout::PageRoom& room, layout::Page& page) {
  add_pair_head(pair, compared, page);
  if (has_table(pair, compared.comparison)) {
    add_time_change(pair, page);
  } else if (pair.is_elapsed || pair.is_inside) {
    if (const std::string words = time_change_words(pair); !words.empty()) page.paragraph(words);
  }
  add_rows(pair, top, room, page);
}

WideTime size_of_change(const analysis::compare::ComparePair& pair) {
  const WideTime change = WideTime{*pair.delta_ns} * pair.a->iterations;
  return change < 0 ? -change : change;
}

// Indices of matched pairs: what changed beyond noise first, then what is in the elapsed time, then
// by what the change makes in all; layers stand behind the pass that they are of.
std::vector<std::size_t> by_change(const analysis::compare::Comparison& comparison) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < comparison.pairs.size(); ++i) {
    if (is_matched(comparison.pairs[i]) && !comparison.pairs[i].is_inside) order.push_back(i);
  }
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t i) {
    const analysis::compare::ComparePair& pair = comparison.pairs[i];
    return std::tuple(pair.is_significant, pair.is_elapsed, size_of_change(pair));
  });
  for (std::size_t i = 0; i < comparison.pairs.size(); ++i) {
    const analysis::compare::ComparePair& inside = comparison.pairs[i];
    if (!inside.is_inside) continue;
    const auto around = std::ranges::find_if(order, [&](std::size_t k) {
      const analysis::compare::PairSide& pass = *comparison.pairs[k].a;
      return pass.stream == inside.a->stream && pass.start <= inside.a->start &&
             inside.a->end <= pass.end;
    });
    order.insert(around == order.end() ? around : around + 1, i);
  }
  return order;
}

void add_hidden_pairs(const analysis::compare::Comparison& comparison,
                      std::span<const std::size_t> hidden, layout::Page& page) {
  if (hidden.empty()) return;
  std::size_t significant = 0;
  std::int64_t change = 0;
  for (const std::size_t i : hidden) {
    const analysis::compare::ComparePair& pair = comparison.pairs[i];
    significant += pair.is_significant ? 1 : 0;
    change += pair.is_inside || !pair.is_same_work ? 0 : *pair.delta_ns * pair.a->iterations;
  }
  page.remark(
      fmt::format("and {} that changed less, {} beyond noise, together {} of "
                  "the total; --top 0 shows all",
                  counted(hidden.size(), "pair"), grouped(significant), signed_ns(change)));
}

const analysis::compare::PairSide& only_side(const analysis::compare::ComparePair& pair) {
  return pair.a ? *pair.a : *pair.b;
}

// Those that take the most time first.
void add_unmatched(const analysis::compare::Comparison& comparison, layout::Page& page) {
  std::vector<const analysis::compare::ComparePair*> lonely;
  for (const analysis::compare::ComparePair& pair : comparison.pairs) {
    if (!is_matched(pair)) lonely.push_back(&pair);
  }
  if (lonely.empty()) return;
  std::ranges::stable_sort(
      lonely, std::ranges::greater{}, [](const analysis::compare::ComparePair* pair) {
        return WideTime{only_side(*pair).wall_ns} * only_side(*pair).iterations;
      });
  const std::size_t count = lonely.size();
  if (count > kMaxUnmatched) lonely.resize(kMaxUnmatched);
  std::vector<std::vector<std::string>> rows;
  for (const analysis::compare::ComparePair* pair : lonely) {
    const analysis::compare::PairSide& side = only_side(*pair);
    rows.push_back({pair->a ? "A" : "B", pair_words(*pair), shape_words(side),
                    human_time(time_of_ns(side.wall_ns))});
  }
  page.heading("Only on one side");
  page.table({{"in", Align::kLeft},
              {"what", Align::kLeft},
              {"kernels", Align::kLeft},
              {"wall", Align::kRight}},
             std::move(rows));
  if (count > kMaxUnmatched) {
    page.line(
        fmt::format("and {} that take less time (--json has all)", grouped(count - kMaxUnmatched)));
  }
}

}  // namespace

layout::Page compare_page(const ComparedTraces& compared, std::size_t top,
                          const layout::PageRoom& room) {
  const analysis::compare::Comparison& comparison = compared.comparison;
  layout::Page page;
  layout::add_inputs(compared.a.inputs, page, "A");
  layout::add_inputs(compared.b.inputs, page, "B");
  add_devices(compared, page);
  add_total(comparison, page);
  const std::vector<std::size_t> order = by_change(comparison);
  const std::size_t shown = top == 0 ? order.size() : std::min(order.size(), kMaxPairs);
  for (const std::size_t i : std::span(order).first(shown)) {
    add_pair(comparison.pairs[i], compared, top, room, page);
  }
  add_hidden_pairs(comparison, std::span(order).subspan(shown), page);
  add_unmatched(comparison, page);
  return page;
}

std::string compare_text(const ComparedTraces& compared, std::size_t top,
                         const layout::TextStyle& style) {
  return layout::page_text(compare_page(compared, top, layout::PageRoom::of(style)), style);
}

std::string compare_markdown(const ComparedTraces& compared, std::size_t top) {
  return layout::page_markdown("What changed from A to B", compare_page(compared, top, {}));
}

}  // namespace lockstep::report::compare
