// A row for each part of an input.
#include "report/info/source_page.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"

namespace lockstep::report::info {
namespace {

using Align = layout::Table::Align;

// Databases have dozens of tables that hold nothing for us; JSON has them all.
constexpr std::size_t kMaxUnused = 12;
constexpr std::size_t kMaxNameWidth = 40;
constexpr std::size_t kUseWidth = std::string_view("missing").size();

bool is_same(const trace::SourcePart& a, const trace::SourcePart& b) {
  return a.use == b.use && a.name == b.name;
}

bool has_same_parts(const analysis::summary::RankSummary& a,
                    const analysis::summary::RankSummary& b) {
  return std::ranges::equal(a.parts, b.parts, is_same);
}

// Used ones first, then what is missing, then a few of the unused.
std::vector<trace::SourcePart> parts_to_show(const analysis::summary::RankSummary& rank) {
  std::vector<trace::SourcePart> shown;
  for (const auto use : {trace::SourcePart::Use::kUsed, trace::SourcePart::Use::kMissing,
                         trace::SourcePart::Use::kUnused}) {
    std::ranges::copy_if(rank.parts, std::back_inserter(shown),
                         [use](const trace::SourcePart& part) { return part.use == use; });
  }
  const auto unused = static_cast<std::size_t>(
      std::ranges::count(shown, trace::SourcePart::Use::kUnused, &trace::SourcePart::use));
  if (unused > kMaxUnused) {
    const std::size_t hidden = unused - kMaxUnused;
    shown.resize(shown.size() - hidden);
    shown.push_back(
        {trace::SourcePart::Use::kUnused, fmt::format("and {} more", hidden), 0, "--json has all"});
  }
  return shown;
}

// The note is wrapped beside its name: its end says as much as its beginning.
layout::PageRows rows_of(const std::vector<trace::SourcePart>& parts) {
  layout::PageRows list;
  list.columns = {{"use", Align::kLeft, kUseWidth},
                  {"records", Align::kRight},
                  {"part", Align::kLeft, 0, kMaxNameWidth},
                  {"note", Align::kLeft}};
  for (const trace::SourcePart& part : parts) {
    list.rows.push_back({{std::string(name_of(part.use)),
                          part.records == 0 ? "" : grouped(part.records), part.name, part.note}});
  }
  return list;
}

}  // namespace

void add_sources(const analysis::summary::Summary& summary, layout::Page& page) {
  const auto first = std::ranges::find_if(
      summary.ranks,
      [](const analysis::summary::RankSummary& rank) { return !rank.parts.empty(); });
  if (first == summary.ranks.end()) return;
  page.heading("Sources");
  page.rows(rows_of(parts_to_show(*first)));
  const auto others = static_cast<std::uint64_t>(
      std::ranges::count_if(summary.ranks, [&](const analysis::summary::RankSummary& rank) {
        return !rank.parts.empty() && !has_same_parts(rank, *first);
      }));
  if (others > 0) {
    page.line(fmt::format("and {} with other parts (--json has all)", counted(others, "rank")));
  }
}

}  // namespace lockstep::report::info
