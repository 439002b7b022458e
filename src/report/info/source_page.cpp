// A row for each part of an input.
#include "report/info/source_page.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "report/layout/text_width.h"

namespace lockstep::report::info {
namespace {

// Databases have dozens of tables that hold nothing for us; JSON has them all.
constexpr std::size_t kMaxUnused = 12;
constexpr std::size_t kMaxNameWidth = 40;
constexpr std::size_t kMinNoteWidth = 20;

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
std::string part_lines(const std::vector<trace::SourcePart>& parts, std::size_t width) {
  std::size_t records_width = 0;
  std::size_t name_width = 0;
  for (const trace::SourcePart& part : parts) {
    if (part.records > 0) records_width = std::max(records_width, grouped(part.records).size());
    name_width = std::max(name_width, layout::display_width(one_line(part.name)));
  }
  name_width = std::min(name_width, kMaxNameWidth);
  const std::size_t indent = 2 + 9 + records_width + 2 + name_width + 2;
  const std::size_t note_width = width > indent + kMinNoteWidth ? width - indent : kMinNoteWidth;
  std::string out;
  for (const trace::SourcePart& part : parts) {
    const std::string name = layout::shorten_middle(one_line(part.name), name_width);
    std::string line =
        fmt::format("  {:<9}{:>{}}  {}", name_of(part.use),
                    part.records == 0 ? "" : grouped(part.records), records_width, name);
    const std::string gap(name_width - std::min(name_width, layout::display_width(name)) + 2, ' ');
    bool is_first = true;
    for (const std::string& words : layout::wrap(one_line(part.note), note_width)) {
      if (words.empty()) continue;
      line += is_first ? gap + words : "\n" + std::string(indent, ' ') + words;
      is_first = false;
    }
    out += line + "\n";
  }
  return out;
}

}  // namespace

std::string sources_section(const analysis::summary::Summary& summary,
                            const layout::TextStyle& style) {
  const auto first = std::ranges::find_if(
      summary.ranks,
      [](const analysis::summary::RankSummary& rank) { return !rank.parts.empty(); });
  if (first == summary.ranks.end()) return {};
  std::string out =
      "\n" + style.heading("Sources") + "\n" + part_lines(parts_to_show(*first), style.width);
  const auto others =
      std::ranges::count_if(summary.ranks, [&](const analysis::summary::RankSummary& rank) {
        return !rank.parts.empty() && !has_same_parts(rank, *first);
      });
  if (others > 0) {
    out += fmt::format(
        "  and {} with other parts (--json has all)\n",
        others == 1 ? "1 rank" : grouped(static_cast<std::uint64_t>(others)) + " ranks");
  }
  return out;
}

}  // namespace lockstep::report::info
