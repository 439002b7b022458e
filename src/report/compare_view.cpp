// Words and the rule for regressions.
#include "report/compare_view.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "report/cycles_view.h"
#include "report/quantities.h"
#include "report/text_width.h"

namespace lockstep {
namespace {

constexpr std::string_view kArrow = " -> ";
constexpr std::size_t kMinName = 12;  // columns; a shorter rest of a name says nothing

using GroupKey = std::tuple<RowKind, bool, std::vector<std::string>, std::vector<std::string>>;

GroupKey key_of(const CompareRow& row) {
  GroupKey key{row.kind, row.is_beyond_body, {}, {}};
  for (const RowKernel& kernel : row.a.kernels) std::get<2>(key).push_back(kernel.raw_name);
  for (const RowKernel& kernel : row.b.kernels) std::get<3>(key).push_back(kernel.raw_name);
  return key;
}

std::string named(const RowKernel& kernel) {
  const std::string& name = kernel.name.empty() ? "(no name)" : kernel.name;
  return kernel.count > 1 ? fmt::format("{} x {}", grouped(kernel.count), name) : name;
}

std::string short_words(const RowSide& side) {
  if (side.kernels.size() == 1) return named(side.kernels.front());
  return counted(side.kernels.size(), "kernel");
}

// "a -> b" in `width` columns where that is possible; the shorter one keeps what it needs.
std::string joined(const std::string& a, const std::string& b, std::size_t width) {
  const std::size_t room = std::max(width, 2 * kMinName + kArrow.size()) - kArrow.size();
  const std::size_t need_a = display_width(a);
  const std::size_t need_b = display_width(b);
  std::size_t for_a = need_a;
  if (need_a + need_b > room) {
    for_a = std::min(need_a, std::max(room / 2, room - std::min(room, need_b)));
  }
  return fmt::format("{}{}{}", shorten_middle(a, for_a), kArrow,
                     shorten_middle(b, std::max(kMinName, room - std::min(room, for_a))));
}

}  // namespace

std::string pair_words(const ComparePair& pair) {
  const PairSide& side = pair.a ? *pair.a : *pair.b;
  if (side.loop) return loop_words(side.role, side.phase);
  return loop_words(LoopRole::kUnknown, side.phase, "segment");
}

std::string kernels_words(const CompareRow& row, const RowSide& side) {
  if (row.kind == RowKind::kIdle || row.kind == RowKind::kOverlap) {
    return std::string(name_of(row.kind));
  }
  std::vector<std::string> names;
  for (const RowKernel& kernel : side.kernels) names.push_back(named(kernel));
  return fmt::format("{}", fmt::join(names, " + "));
}

std::optional<double> RowGroup::percent() const {
  if (mean_ns_a == 0) return std::nullopt;
  return 100.0 * static_cast<double>(delta_ns()) / static_cast<double>(mean_ns_a);
}

std::vector<RowGroup> grouped_rows(const ComparePair& pair) {
  std::vector<RowGroup> groups;
  std::map<GroupKey, std::size_t> places;
  for (const CompareRow& row : pair.rows) {
    const auto [place, is_new] = places.try_emplace(key_of(row), groups.size());
    if (is_new) groups.push_back({&row});
    RowGroup& group = groups[place->second];
    ++group.rows;
    group.significant += row.is_significant ? 1 : 0;
    group.mean_ns_a += row.a.mean_ns;
    group.mean_ns_b += row.b.mean_ns;
  }
  return groups;
}

std::string row_words(const CompareRow& row, std::size_t width) {
  const std::string beyond = row.is_beyond_body ? " (in some iterations)" : "";
  switch (row.kind) {
    case RowKind::kIdle:
      return "idle: no kernel runs";
    case RowKind::kOverlap:
      return "overlap: kernels that run at once, counted once";
    case RowKind::kOnlyA:
      return short_words(row.a) + " (only in A)" + beyond;
    case RowKind::kOnlyB:
      return short_words(row.b) + " (only in B)" + beyond;
    case RowKind::kSame:
      return short_words(row.a) + beyond;
    case RowKind::kSimilar:
    case RowKind::kFused:
    case RowKind::kSplit:
      break;
  }
  return joined(one_line(short_words(row.a)), one_line(short_words(row.b)), width) + beyond;
}

bool is_matched(const ComparePair& pair) { return pair.a && pair.b && pair.delta_ns; }

std::string percent_words(std::optional<double> percent) {
  return percent ? fmt::format("{:+.1f} %", *percent) : std::string();
}

std::vector<std::string> regressions(const Comparison& comparison, double percent) {
  std::vector<std::string> sentences;
  for (const ComparePair& pair : comparison.pairs) {
    if (!is_matched(pair) || !pair.is_significant || *pair.delta_ns <= 0) continue;
    if (!pair.percent || *pair.percent <= percent) continue;
    sentences.push_back(fmt::format("the {} got slower by {:.1f} %: {} -> {}", pair_words(pair),
                                    *pair.percent,
                                    human_time(Time{pair.a->wall_ns * kPicosecondsPerNanosecond}),
                                    human_time(Time{pair.b->wall_ns * kPicosecondsPerNanosecond})));
  }
  return sentences;
}

}  // namespace lockstep
