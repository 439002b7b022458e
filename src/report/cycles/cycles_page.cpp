// Sections of a stream, each a function that returns nothing when it has nothing to say.
#include "report/cycles/cycles_page.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "report/cycles/cycles_view.h"
#include "report/cycles/loop_tree_page.h"
#include "report/layout/input_words.h"
#include "report/layout/paragraph.h"
#include "report/layout/quantities.h"
#include "report/layout/table.h"
#include "report/layout/table_notes.h"
#include "report/layout/text_width.h"

namespace lockstep::report::cycles {
namespace {

using Align = layout::Table::Align;

constexpr std::size_t kMaxLoops = 24;
constexpr std::size_t kMaxPhases = 16;
constexpr std::size_t kMaxPatterns = 12;
constexpr std::size_t kMaxGaps = 4;
constexpr std::size_t kIndent = 2;  // as tables have it

std::string named(const std::string& name) { return name.empty() ? "(no name)" : name; }

std::string time_of(double ps) { return human_time(Time{std::llround(ps)}); }

std::string title(const analysis::cycles::StreamCycles& cycles, const layout::TextStyle& style) {
  std::string words = stream_words(cycles.stream);
  words.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(words.front())));
  return "\n" + style.heading(words) + ": " + counted(cycles.stream.size(), "kernel") + "\n";
}

// Three equal kernels are as short to say one by one.
constexpr std::size_t kFewestKernels = 4;

std::string no_loop_words(const analysis::cycles::StreamCycles& cycles) {
  const std::size_t kernels = cycles.stream.size();
  if (kernels < kFewestKernels) return "  no loop: too few kernels\n";
  return fmt::format("  no loop: nothing repeats among {} of {}\n", counted(kernels, "kernel"),
                     counted(cycles.stream.symbols.size(), "name"));
}

std::string tree_section(const analysis::cycles::StreamCycles& cycles,
                         const CyclesTextOptions& options, const layout::TextStyle& style) {
  std::vector<std::size_t> shown = shown_loops(cycles, options.show_all);
  if (!options.show_all && shown.size() > kMaxLoops) shown.resize(kMaxLoops);
  std::string out = loop_tree(cycles, shown, style);
  const std::size_t hidden = cycles.loops.size() - shown.size();
  if (hidden == 0) return out;
  return out + layout::paragraph(
                   fmt::format("{} with few iterations or kernels {} hidden; --all shows {}",
                               counted(hidden, "loop"), hidden == 1 ? "is" : "are",
                               hidden == 1 ? "it" : "them"),
                   style, kIndent);
}

std::string coverage_section(const analysis::cycles::StreamCycles& cycles,
                             const layout::TextStyle& style) {
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
  if (gaps.empty()) return layout::paragraph(inside, style, kIndent);
  return layout::paragraph(fmt::format("{}; outside: {}", inside, fmt::join(gaps, ", ")), style,
                           kIndent);
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
std::string patterns_section(const analysis::cycles::StreamCycles& cycles, bool show_all,
                             const layout::TextStyle& style) {
  const std::vector<analysis::cycles::AnchorPattern>& patterns = cycles.patterns;
  if (patterns.empty()) return {};
  layout::Table table({{"", Align::kLeft},
                       {"length", Align::kRight},
                       {"repetitions", Align::kRight},
                       {"centre", Align::kRight},
                       {"cycle", Align::kRight, false, 1},
                       {"anchor", Align::kLeft, true}});
  const std::vector<std::size_t> shown = shown_patterns(patterns, show_all);
  for (const std::size_t i : shown) {
    const analysis::cycles::AnchorPattern& one = patterns[i];
    table.add_row(
        {one.is_selected ? "*" : "", grouped(one.length), grouped(one.repetitions),
         fmt::format("{:.1f} %", one.centre_percent),
         fmt::format("{} x {}", grouped(one.cycle_repetitions), grouped(one.cycle_length)),
         named(one.anchor)});
  }
  std::string out = "\n" + style.heading("Patterns by their centre, * is selected") + "\n";
  out += table.render(style.width);
  const std::size_t hidden = patterns.size() - shown.size();
  if (hidden == 0) return out;
  return out +
         layout::paragraph(fmt::format("{} {} hidden; --all shows {}", counted(hidden, "pattern"),
                                       hidden == 1 ? "is" : "are", hidden == 1 ? "it" : "them"),
                           style, kIndent);
}

std::vector<std::string> evidence_lines(const std::vector<analysis::cycles::Evidence>& evidence) {
  std::vector<std::string> lines;
  for (const analysis::cycles::Evidence& one : evidence) {
    const bool is_fact = one.strength == analysis::cycles::Strength::kFact;
    lines.push_back(is_fact ? one.text : fmt::format("{}: {}", name_of(one.strength), one.text));
  }
  return lines;
}

std::string phases_section(const analysis::cycles::StreamCycles& cycles,
                           const layout::TextStyle& style) {
  if (cycles.phases.empty()) return {};
  layout::Table table({{"phase", Align::kLeft},
                       {"kernels", Align::kRight},
                       {"from", Align::kRight, false, 1},
                       {"passes", Align::kRight},
                       {"layers", Align::kRight},
                       {"wall", Align::kRight}});
  layout::TableNotes notes;
  for (const analysis::cycles::PhaseSpan& span : cycles.phases) {
    if (notes.size() == kMaxPhases) break;
    table.add_row({phase_words(cycles, span), grouped(span.end - span.start), grouped(span.start),
                   grouped(span.passes), span.layers == 0 ? "-" : grouped(span.layers),
                   human_time(wall_of(cycles.stream, span.start, span.end))});
    notes.add(evidence_lines(span.evidence), 2);
  }
  std::string out = "\n" + style.heading("Phases") + "\n";
  out += layout::with_notes(table.render(style.width), notes, style);
  if (cycles.phases.size() > kMaxPhases) {
    out +=
        fmt::format("  and {} more (--json has all)\n", grouped(cycles.phases.size() - kMaxPhases));
  }
  return out;
}

// Indices of positions, the longest first.
std::vector<std::size_t> by_time(const std::vector<analysis::cycles::Position>& positions) {
  std::vector<std::size_t> order(positions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::size_t i) { return positions[i].sum; });
  return order;
}

std::string positions_table(const analysis::cycles::Loop& loop, std::size_t top,
                            const layout::TextStyle& style) {
  const std::vector<analysis::cycles::Position>& positions = loop.positions;
  if (positions.empty()) return {};
  std::vector<std::size_t> order = by_time(positions);
  if (top != 0 && order.size() > top) order.resize(top);
  layout::Table table({{"at", Align::kRight},
                       {"mean", Align::kRight},
                       {"share", Align::kRight},
                       {"min", Align::kRight, false, 2},
                       {"max", Align::kRight, false, 3},
                       {"stddev", Align::kRight, false, 4},
                       {"count", Align::kRight, false, 1},
                       {"role", Align::kLeft, false, 5},
                       {"kernel", Align::kLeft, true}});
  double shown = 0;
  for (const std::size_t i : order) {
    const analysis::cycles::Position& one = positions[i];
    shown += one.share;
    table.add_row({grouped(i), time_of(one.mean_ps), fmt::format("{:.1f} %", 100 * one.share),
                   human_time(one.min), human_time(one.max), time_of(one.stddev_ps),
                   grouped(one.count), std::string(name_of(one.role)), named(one.name)});
  }
  const std::string heading =
      fmt::format("Top positions of the {} ({} of {}, {:.1f} % of its kernel time)",
                  loop_words(loop), grouped(order.size()), grouped(positions.size()), 100 * shown);
  std::string out = "\n";
  for (const std::string& line : layout::wrap(heading, style.width))
    out += style.heading(line) + "\n";
  return out + table.render(style.width);
}

// Of the main loop, and of the layers that it is made of.
std::string positions_section(const analysis::cycles::StreamCycles& cycles, std::size_t top,
                              const layout::TextStyle& style) {
  const std::optional<std::size_t> main = main_loop(cycles);
  if (!main) return {};
  const std::string out = positions_table(cycles.loops[*main], top, style);
  const std::optional<std::size_t> child = main_child(cycles, *main);
  return child ? out + positions_table(cycles.loops[*child], top, style) : out;
}

std::string stream_section(const analysis::cycles::StreamCycles& cycles,
                           const CyclesTextOptions& options, const layout::TextStyle& style) {
  const std::string head = title(cycles, style);
  if (cycles.loops.empty()) return head + no_loop_words(cycles) + phases_section(cycles, style);
  return head + tree_section(cycles, options, style) + coverage_section(cycles, style) +
         patterns_section(cycles, options.show_all, style) + phases_section(cycles, style) +
         positions_section(cycles, options.top, style);
}

std::string rest_line(const analysis::cycles::Cycles& cycles,
                      const std::vector<std::size_t>& shown) {
  const std::size_t hidden = cycles.streams.size() - shown.size();
  if (hidden == 0) return {};
  std::uint64_t kernels = 0;
  for (const analysis::cycles::StreamCycles& stream : cycles.streams)
    kernels += stream.stream.size();
  for (const std::size_t i : shown) kernels -= cycles.streams[i].stream.size();
  return fmt::format("\nand {} with {}; --all shows {}\n", counted(hidden, "stream"),
                     counted(kernels, "kernel"), hidden == 1 ? "it" : "them");
}

}  // namespace

std::string cycles_text(const analysis::cycles::Cycles& cycles,
                        std::span<const formats::input::InputFacts> inputs,
                        const CyclesTextOptions& options, const layout::TextStyle& style) {
  std::string out = layout::input_lines(inputs, style);
  const std::vector<std::size_t> shown = shown_streams(cycles, options.show_all);
  for (const std::size_t i : shown) out += stream_section(cycles.streams[i], options, style);
  return out + rest_line(cycles, shown);
}

}  // namespace lockstep::report::cycles
