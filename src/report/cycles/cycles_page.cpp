// The sections of a stream in their order; each adds nothing when it has nothing to say.
#include "report/cycles/cycles_page.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "report/cycles/breakdown_page.h"
#include "report/cycles/cycles_view.h"
#include "report/cycles/loops/loop_rows.h"
#include "report/cycles/loops/loop_tree_page.h"
#include "report/cycles/phase_page.h"
#include "report/cycles/position_page.h"
#include "report/cycles/rank_page.h"
#include "report/layout/input_words.h"
#include "report/layout/quantities.h"

namespace lockstep::report::cycles {
namespace {

using Align = layout::Table::Align;

constexpr std::size_t kMaxRows = 24;  // of the table of loops
constexpr std::size_t kMaxPatterns = 12;
constexpr std::size_t kMaxGaps = 4;

// "Rank 0, stream 7 of device 0, like 3 more ranks"
void add_title(const analysis::cycles::StreamCycles& cycles, std::size_t alike,
               layout::Page& page) {
  const std::string others =
      alike < 2 ? std::string() : fmt::format(", like {}", counted(alike - 1, "more rank"));
  page.headed_line(layout::capitalised(stream_words(cycles.stream)) + others,
                   counted(cycles.stream.size(), "kernel"));
}

// "3 loops are hidden; --all shows them"
std::string hidden_words(std::string_view what, std::size_t hidden) {
  const bool is_one = hidden == 1;
  return fmt::format("{} {} hidden; --all shows {}", what, is_one ? "is" : "are",
                     is_one ? "it" : "them");
}

// Three equal kernels are as short to say one by one.
constexpr std::size_t kFewestKernels = 4;

std::string no_loop_words(const analysis::cycles::StreamCycles& cycles) {
  const std::size_t kernels = cycles.stream.size();
  if (!cycles.loops.empty()) {
    return fmt::format("no loop of several kernels among {} of {}; --all shows what repeats",
                       counted(kernels, "kernel"), counted(cycles.stream.symbols.size(), "name"));
  }
  if (kernels < kFewestKernels) return "no loop: too few kernels";
  return fmt::format("no loop: nothing repeats among {} of {}", counted(kernels, "kernel"),
                     counted(cycles.stream.symbols.size(), "name"));
}

void add_tree(const analysis::cycles::StreamCycles& cycles, const std::vector<std::size_t>& shown,
              bool show_all, layout::Page& page) {
  std::vector<LoopRow> rows = loop_rows(cycles, shown);
  if (!show_all && rows.size() > kMaxRows) rows.resize(kMaxRows);
  add_loop_tree(cycles, rows, page);
  std::size_t hidden = cycles.loops.size();
  for (const LoopRow& row : rows) hidden -= row.loops.size();
  if (hidden == 0) return;
  page.paragraph(hidden_words(counted(hidden, "loop") + " with few iterations or kernels", hidden));
}

void add_coverage(const analysis::cycles::StreamCycles& cycles, layout::Page& page) {
  const std::vector<analysis::cycles::Iteration> outside = outside_of_loops(cycles);
  std::vector<std::string> gaps;
  for (const analysis::cycles::Iteration& gap : outside) {
    if (gaps.size() == kMaxGaps) {
      gaps.push_back(fmt::format("and {} more places", grouped(outside.size() - kMaxGaps)));
      break;
    }
    gaps.push_back(fmt::format("{} at kernel {}", grouped(gap.size()), grouped(gap.start)));
  }
  const std::string inside =
      fmt::format("{} of the kernels are in loops",
                  layout::share_of(cycles.covered, static_cast<WideTime>(cycles.stream.size())));
  page.paragraph(gaps.empty() ? inside
                              : fmt::format("{}; outside: {}", inside, fmt::join(gaps, ", ")));
}

// The selected one, and of the others those that repeat most; in their order.
std::vector<std::size_t> shown_patterns(
    const std::vector<analysis::cycles::AnchorPattern>& patterns, bool show_all) {
  std::vector<std::size_t> shown(patterns.size());
  std::iota(shown.begin(), shown.end(), std::size_t{0});
  if (show_all || shown.size() <= kMaxPatterns) return shown;
  std::ranges::stable_sort(shown, std::ranges::greater{}, [&](std::size_t i) {
    return std::pair(patterns[i].is_selected, patterns[i].repetitions);
  });
  shown.resize(kMaxPatterns);
  std::ranges::sort(shown);
  return shown;
}

// The anchor tells patterns apart, each has its own; signatures are too long for a table.
void add_patterns(const analysis::cycles::StreamCycles& cycles, bool show_all, layout::Page& page) {
  const std::vector<analysis::cycles::AnchorPattern>& patterns = cycles.patterns;
  if (patterns.empty()) return;
  std::vector<std::vector<std::string>> rows;
  for (const std::size_t i : shown_patterns(patterns, show_all)) {
    const analysis::cycles::AnchorPattern& one = patterns[i];
    rows.push_back(
        {one.is_selected ? "*" : "", grouped(one.length), grouped(one.repetitions),
         layout::percent_words(one.centre_percent),
         fmt::format("{} x {}", grouped(one.cycle_repetitions), grouped(one.cycle_length)),
         layout::named(one.anchor)});
  }
  const std::size_t hidden = patterns.size() - rows.size();
  page.nested_heading("Patterns by their centre, * is selected");
  page.table({{"", Align::kLeft},
              {"length", Align::kRight},
              {"repetitions", Align::kRight},
              {"centre", Align::kRight},
              {"cycle", Align::kRight, false, 1},
              {"anchor", Align::kLeft, true, 0, layout::Table::Holds::kKernels}},
             std::move(rows));
  if (hidden > 0) page.paragraph(hidden_words(counted(hidden, "pattern"), hidden));
}

// Streams of one device have one table of where its time goes: that of the first that is shown.
using BrokenDownDevices = std::set<std::pair<trace::RankId, trace::DeviceId>>;

void add_stream(const analysis::cycles::Cycles& all, const std::vector<std::size_t>& group,
                const CyclesPageOptions& options, BrokenDownDevices& devices, layout::Page& page) {
  const analysis::cycles::StreamCycles& cycles = all.streams[group.front()];
  add_title(cycles, group.size(), page);
  const std::vector<std::size_t> shown = shown_loops(cycles, options.show_all);
  if (shown.empty()) {
    page.paragraph(no_loop_words(cycles));
  } else {
    add_tree(cycles, shown, options.show_all, page);
    add_coverage(cycles, page);
  }
  add_ranks(all, group, page);
  if (devices.emplace(cycles.stream.rank, cycles.stream.device).second) add_breakdown(cycles, page);
  add_patterns(cycles, options.show_all, page);
  add_phases(cycles, page);
  add_positions(cycles, options.top, page);
}

void add_rest(const analysis::cycles::Cycles& cycles,
              std::span<const std::vector<std::size_t>> hidden, layout::Page& page) {
  if (hidden.empty()) return;
  std::uint64_t kernels = 0;
  std::size_t streams = 0;
  for (const std::vector<std::size_t>& group : hidden) {
    for (const std::size_t i : group) kernels += cycles.streams[i].stream.size();
    streams += group.size();
  }
  page.remark(fmt::format("and {} with {}; --all shows {}", counted(streams, "stream"),
                          counted(kernels, "kernel"), streams == 1 ? "it" : "them"));
}

}  // namespace

layout::Page cycles_page(const analysis::cycles::Cycles& cycles,
                         std::span<const formats::input::InputFacts> inputs,
                         const CyclesPageOptions& options) {
  layout::Page page;
  layout::add_inputs(inputs, page);
  const std::vector<std::vector<std::size_t>> groups = streams_alike(cycles, options.show_all);
  const std::size_t shown =
      options.show_all ? groups.size() : std::min(groups.size(), kMaxShownStreams);
  BrokenDownDevices devices;
  for (const std::vector<std::size_t>& group : std::span(groups).first(shown)) {
    add_stream(cycles, group, options, devices, page);
  }
  add_rest(cycles, std::span(groups).subspan(shown), page);
  return page;
}

std::string cycles_text(const analysis::cycles::Cycles& cycles,
                        std::span<const formats::input::InputFacts> inputs,
                        const CyclesPageOptions& options, const layout::TextStyle& style) {
  return layout::page_text(cycles_page(cycles, inputs, options), style);
}

std::string cycles_markdown(const analysis::cycles::Cycles& cycles,
                            std::span<const formats::input::InputFacts> inputs,
                            const CyclesPageOptions& options) {
  return layout::page_markdown("Loops of the trace", cycles_page(cycles, inputs, options));
}

}  // namespace lockstep::report::cycles
