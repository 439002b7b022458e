// A row for each part of an input.
#include "report/source_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "report/table.h"

namespace lockstep {
namespace {

// Databases have dozens of tables that hold nothing for us; JSON has them all.
constexpr std::size_t kMaxUnused = 12;

bool is_same(const SourcePart& a, const SourcePart& b) {
  return a.use == b.use && a.name == b.name;
}

bool has_same_parts(const RankSummary& a, const RankSummary& b) {
  return std::ranges::equal(a.parts, b.parts, is_same);
}

void add_rows(const RankSummary& rank, SourcePart::Use use, Table& table) {
  std::size_t shown = 0;
  std::size_t hidden = 0;
  for (const SourcePart& part : rank.parts) {
    if (part.use != use) continue;
    if (use == SourcePart::Use::kUnused && ++shown > kMaxUnused) {
      ++hidden;
      continue;
    }
    table.add_row({std::string(name_of(use)), part.records == 0 ? "" : grouped(part.records),
                   part.name, part.note});
  }
  if (hidden > 0) {
    table.add_row(
        {std::string(name_of(use)), "", fmt::format("and {} more", hidden), "--json has all"});
  }
}

}  // namespace

std::string sources_section(const Summary& summary, const TextStyle& style) {
  const auto first = std::ranges::find_if(
      summary.ranks, [](const RankSummary& rank) { return !rank.parts.empty(); });
  if (first == summary.ranks.end()) return {};
  Table table({{"", Table::Align::kLeft},
               {"records", Table::Align::kRight, false, 1},
               {"part", Table::Align::kLeft, true},
               {"what it gives", Table::Align::kLeft, true}});
  for (const auto use :
       {SourcePart::Use::kUsed, SourcePart::Use::kMissing, SourcePart::Use::kUnused}) {
    add_rows(*first, use, table);
  }
  std::string out = "\n" + style.heading("Sources") + "\n" + table.render(style.width);
  const auto others = std::ranges::count_if(summary.ranks, [&](const RankSummary& rank) {
    return !rank.parts.empty() && !has_same_parts(rank, *first);
  });
  if (others > 0) {
    out += fmt::format(
        "  and {} with other parts (--json has all)\n",
        others == 1 ? "1 rank" : grouped(static_cast<std::uint64_t>(others)) + " ranks");
  }
  return out;
}

}  // namespace lockstep
