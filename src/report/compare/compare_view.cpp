// Words and the rule for regressions.
#include "report/compare/compare_view.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/kernels/short_name.h"
#include "analysis/kernels/signature.h"
#include "base/text.h"
#include "report/cycles/cycles_view.h"
#include "report/layout/quantities.h"
#include "report/layout/text_width.h"

namespace lockstep::report::compare {
namespace {

// What stands for one side of rows that are alike.
struct SideKey {
  std::size_t kernels = 0;
  std::uint64_t count = 0;  // of the only kernel
  std::string name;

  auto operator<=>(const SideKey&) const = default;
};

using GroupKey = std::tuple<analysis::compare::RowKind, bool, SideKey, SideKey>;

// Compilers number the kernels that they generate, so one that every layer has goes by several
// names: those of Triton fold without their number. Libraries mean something by every part.
std::string folded_name(const analysis::compare::RowKernel& kernel) {
  return kernel.name.starts_with("triton_") ? analysis::kernels::kernel_signature(kernel.name)
                                            : kernel.name;
}

// Several kernels are told by their number only.
SideKey key_of(const analysis::compare::RowSide& side) {
  if (side.kernels.size() != 1) return {side.kernels.size(), 0, {}};
  const analysis::compare::RowKernel& kernel = side.kernels.front();
  return {1, kernel.count, folded_name(kernel)};
}

GroupKey key_of(const analysis::compare::CompareRow& row) {
  return {row.kind, row.is_beyond_body, key_of(row.a), key_of(row.b)};
}

std::string named(std::uint64_t count, const std::string& name) {
  const std::string shown = layout::named(name);
  return count > 1 ? fmt::format("{} x {}", grouped(count), shown) : shown;
}

std::string named(const analysis::compare::RowKernel& kernel) {
  return named(kernel.count, kernel.name);
}

// What the kernels of one pair are called in its table.
class ShownNames {
 public:
  ShownNames(const analysis::compare::ComparePair& pair, bool has_full_names) {
    if (has_full_names) return;
    std::vector<std::string_view> names;
    for (const analysis::compare::CompareRow& row : pair.rows) {
      for (const auto* const side : {&row.a, &row.b}) {
        for (const analysis::compare::RowKernel& kernel : side->kernels)
          names.push_back(kernel.name);
      }
    }
    const std::vector<std::string> told = analysis::kernels::telling_names(names);
    for (std::size_t i = 0; i < names.size(); ++i) told_[names[i]] = told[i];
  }

  [[nodiscard]] std::string of(const std::string& name) const {
    const auto found = told_.find(name);
    return found == told_.end() ? name : found->second;
  }

 private:
  std::map<std::string_view, std::string> told_;
};

std::string short_words(const analysis::compare::RowSide& side, const ShownNames& names) {
  if (side.kernels.size() == 1) {
    const analysis::compare::RowKernel& kernel = side.kernels.front();
    return one_line(named(kernel.count, names.of(kernel.name)));
  }
  return counted(side.kernels.size(), "kernel");
}

// Calls one side of a group by its signature once a row has another name.
void add_name(const analysis::compare::RowSide& side, const ShownNames& names, std::string& name) {
  const std::string words = short_words(side, names);
  if (name.empty()) name = words;
  if (name == words) return;
  const analysis::compare::RowKernel& kernel = side.kernels.front();
  name = one_line(named(kernel.count, folded_name(kernel) + "*"));
}

std::string side_words(const analysis::compare::PairSide& side) {
  if (side.loop) return cycles::loop_words(side.role, side.phase);
  return cycles::loop_words(analysis::cycles::LoopRole::kUnknown, side.phase, "segment");
}

}  // namespace

std::string pair_words(const analysis::compare::ComparePair& pair) {
  if (!pair.a || !pair.b) return side_words(pair.a ? *pair.a : *pair.b);
  const std::string a = side_words(*pair.a);
  const std::string b = side_words(*pair.b);
  return a == b ? a : fmt::format("{} -> {}", a, b);
}

std::string kernels_words(const analysis::compare::CompareRow& row,
                          const analysis::compare::RowSide& side) {
  if (row.kind == analysis::compare::RowKind::kIdle ||
      row.kind == analysis::compare::RowKind::kOverlap) {
    return std::string(name_of(row.kind));
  }
  std::vector<std::string> names;
  for (const analysis::compare::RowKernel& kernel : side.kernels) names.push_back(named(kernel));
  return fmt::format("{}", fmt::join(names, " + "));
}

std::optional<double> RowGroup::percent() const {
  if (mean_ns_a == 0) return std::nullopt;
  return 100.0 * static_cast<double>(delta_ns()) / static_cast<double>(mean_ns_a);
}

bool RowGroup::is_unchanged() const {
  return significant == 0 && !is_shown_change(mean_ns_a, mean_ns_b);
}

std::vector<RowGroup> grouped_rows(const analysis::compare::ComparePair& pair,
                                   bool has_full_names) {
  const ShownNames names(pair, has_full_names);
  std::vector<RowGroup> groups;
  std::map<GroupKey, std::size_t> places;
  for (const analysis::compare::CompareRow& row : pair.rows) {
    const auto [place, is_new] = places.try_emplace(key_of(row), groups.size());
    if (is_new) groups.emplace_back().first = &row;
    RowGroup& group = groups[place->second];
    add_name(row.a, names, group.name_a);
    add_name(row.b, names, group.name_b);
    ++group.rows;
    group.significant += row.is_significant ? 1 : 0;
    group.mean_ns_a += row.a.mean_ns;
    group.mean_ns_b += row.b.mean_ns;
  }
  return groups;
}

RowName row_name(const RowGroup& group, bool has_kinds, bool is_brief) {
  using analysis::compare::RowKind;
  const RowKind kind = group.first->kind;
  if (kind == RowKind::kIdle) return {"idle: no kernel of the stream runs"};
  if (kind == RowKind::kOverlap) return {"overlap: kernels that run at once, counted once"};
  std::string end;
  if (kind == RowKind::kOnlyA && !has_kinds) end += " (only in A)";
  if (kind == RowKind::kOnlyB && !has_kinds) end += " (only in B)";
  if (group.first->is_beyond_body) end += is_brief ? " (in some)" : " (in some iterations)";
  if (kind == RowKind::kOnlyB) return {group.name_b, {}, std::move(end)};
  const bool is_one = kind == RowKind::kOnlyA || kind == RowKind::kSame;
  return {group.name_a, is_one ? std::string() : group.name_b, std::move(end)};
}

bool is_matched(const analysis::compare::ComparePair& pair) {
  return pair.a && pair.b && pair.delta_ns;
}

std::string unknown_phase_words(const analysis::compare::ComparePair& pair) {
  using Phase = analysis::cycles::PhaseName;
  if (!is_matched(pair)) return {};
  const bool is_known_a = pair.a->phase != Phase::kUnknown;
  const bool is_known_b = pair.b->phase != Phase::kUnknown;
  if (is_known_a == is_known_b) return {};
  return fmt::format("the phase of {} is not known: it may be other work than {}",
                     is_known_a ? "B" : "A", name_of(is_known_a ? pair.a->phase : pair.b->phase));
}

std::vector<std::string> device_names(const trace::Trace& trace,
                                      const analysis::cycles::Cycles& cycles) {
  std::vector<std::string> names;
  for (const analysis::cycles::StreamCycles& stream : cycles.streams) {
    const trace::DeviceId device = stream.stream.device;
    if (trace::index_of(device) >= trace.devices.size()) continue;
    std::string name(trace.text(trace.devices[trace::index_of(device)].name));
    if (name.empty() || std::ranges::find(names, name) != names.end()) continue;
    names.push_back(std::move(name));
  }
  return names;
}

std::string nothing_compared_words(const analysis::compare::Comparison& comparison) {
  const auto counts = [](const analysis::compare::ComparePair& pair) {
    return is_matched(pair) && pair.is_same_work;
  };
  if (std::ranges::any_of(comparison.pairs, counts)) return {};
  if (std::ranges::any_of(comparison.pairs, is_matched))
    return "nothing comparable: no pair of A and B does the same work";
  const auto has =
      [&](std::optional<analysis::compare::PairSide> analysis::compare::ComparePair::* side,
          analysis::cycles::PhaseName phase) {
        return std::ranges::any_of(comparison.pairs,
                                   [&](const analysis::compare::ComparePair& pair) {
                                     return pair.*side && (pair.*side)->phase == phase;
                                   });
      };
  using Pair = analysis::compare::ComparePair;
  using Phase = analysis::cycles::PhaseName;
  const bool are_unlike = (has(&Pair::a, Phase::kPrefill) && has(&Pair::b, Phase::kDecode)) ||
                          (has(&Pair::a, Phase::kDecode) && has(&Pair::b, Phase::kPrefill));
  const bool may_be_paired = are_unlike && !comparison.options.pair_phases;
  return fmt::format("nothing of A was found in B{}",
                     may_be_paired ? ": one has prefill where the other has decode; --pair-phases "
                                     "compares them"
                                   : "");
}

bool is_shown_change(std::int64_t a_ns, std::int64_t b_ns) {
  constexpr double kLeastShown = 0.0005;  // half of what the last digit of a percentage is worth
  const auto delta = static_cast<double>(b_ns) - static_cast<double>(a_ns);
  return std::abs(delta) > kLeastShown * std::abs(static_cast<double>(a_ns));
}

Time time_of_ns(std::int64_t ns) { return Time{ns * kPicosecondsPerNanosecond}; }

std::string signed_ns(std::int64_t ns) { return layout::signed_time(time_of_ns(ns)); }

std::string percent_words(std::optional<double> percent) {
  return percent ? layout::signed_percent(*percent) : std::string();
}

std::vector<std::string> regressions(const analysis::compare::Comparison& comparison,
                                     double percent) {
  std::vector<std::string> sentences;
  for (const analysis::compare::ComparePair& pair : comparison.pairs) {
    if (!is_matched(pair) || !pair.is_significant || *pair.delta_ns <= 0) continue;
    if (!pair.percent || *pair.percent <= percent) continue;
    sentences.push_back(fmt::format("the {} got slower by {}: {} -> {}", pair_words(pair),
                                    layout::percent_words(*pair.percent),
                                    human_time(Time{pair.a->wall_ns * kPicosecondsPerNanosecond}),
                                    human_time(Time{pair.b->wall_ns * kPicosecondsPerNanosecond})));
  }
  return sentences;
}

}  // namespace lockstep::report::compare
