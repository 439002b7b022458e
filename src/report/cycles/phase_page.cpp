// A row a class of passes, and a row for each stretch that is in none.
#include "report/cycles/phase_page.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/cycles/spans/capture_cut.h"
#include "base/text.h"
#include "report/cycles/cycles_view.h"
#include "report/cycles/evidence_words.h"
#include "report/layout/quantities.h"

namespace lockstep::report::cycles {
namespace {

using Align = layout::Table::Align;

constexpr std::size_t kMaxPhases = 16;
constexpr std::size_t kIndent = 2;  // of what is told of a phase

// "forward 217 kernels (3.2 ms), backward 328 kernels (5.9 ms), optimizer 23 kernels (0.1 ms)"
std::string parts_words(const std::vector<analysis::cycles::PhasePart>& parts) {
  std::vector<std::string> words;
  for (const analysis::cycles::PhasePart& part : parts) {
    words.push_back(fmt::format("{} {} ({})", name_of(part.phase), counted(part.kernels, "kernel"),
                                human_time(part.kernel_sum)));
  }
  return fmt::format("a step: {}", fmt::join(words, ", "));
}

struct PhaseRow {
  std::string phase;
  std::uint64_t kernels = 0;
  std::uint32_t from = 0;
  std::size_t passes = 0;
  std::uint32_t layers = 0;
  Time wall;
  std::vector<std::string> notes;
};

const analysis::cycles::PhaseSpan* span_at(const analysis::cycles::StreamCycles& cycles,
                                           std::uint32_t kernel) {
  for (const analysis::cycles::PhaseSpan& span : cycles.phases) {
    if (span.start <= kernel && kernel < span.end) return &span;
  }
  return nullptr;
}

void add_notes_of(const analysis::cycles::StreamCycles& cycles,
                  const analysis::cycles::PhaseSpan& span, PhaseRow& row) {
  if (!span.parts.empty()) row.notes.push_back(parts_words(span.parts));
  const analysis::cycles::Cut cut = analysis::cycles::cut_of(cycles, span);
  if (cut == analysis::cycles::Cut::kNone) return;
  row.notes.push_back(fmt::format("the capture {} inside it: it is a part, and in no mean",
                                  cut == analysis::cycles::Cut::kBegun ? "begins" : "ends"));
}

PhaseRow row_of(const analysis::cycles::StreamCycles& cycles,
                const analysis::cycles::PassFamily& family,
                const analysis::cycles::PassClass& one) {
  PhaseRow row;
  row.phase = name_of(one.phase);
  row.from = one.passes.front().start;
  row.passes = one.passes.size();
  row.layers = family.layers;
  for (const analysis::cycles::Iteration& pass : one.passes) row.kernels += pass.size();
  for (const Time wall : pass_walls(cycles.stream, one.passes)) row.wall += wall;
  row.notes = evidence_lines(one.evidence);
  const analysis::cycles::PhaseSpan* const span = span_at(cycles, row.from);
  if (span != nullptr) add_notes_of(cycles, *span, row);
  return row;
}

// Stretches that hold no pass of any family.
bool is_in_a_family(const analysis::cycles::StreamCycles& cycles,
                    const analysis::cycles::PhaseSpan& span) {
  const auto lies_there = [&](const analysis::cycles::Iteration& pass) {
    return span.start <= pass.start && pass.start < span.end;
  };
  return std::ranges::any_of(cycles.families, [&](const analysis::cycles::PassFamily& family) {
    return std::ranges::any_of(family.classes, [&](const analysis::cycles::PassClass& one) {
      return std::ranges::any_of(one.passes, lies_there);
    });
  });
}

std::vector<PhaseRow> rows_of(const analysis::cycles::StreamCycles& cycles) {
  std::vector<PhaseRow> rows;
  for (const analysis::cycles::PassFamily& family : cycles.families) {
    for (const analysis::cycles::PassClass& one : family.classes)
      rows.push_back(row_of(cycles, family, one));
  }
  for (const analysis::cycles::PhaseSpan& span : cycles.phases) {
    if (is_in_a_family(cycles, span)) continue;
    PhaseRow row{std::string(name_of(span.phase)),
                 span.end - span.start,
                 span.start,
                 span.passes,
                 span.layers,
                 wall_of(cycles.stream, span.start, span.end),
                 evidence_lines(span.evidence)};
    add_notes_of(cycles, span, row);
    rows.push_back(std::move(row));
  }
  std::ranges::stable_sort(rows, {}, &PhaseRow::from);
  return rows;
}

// A table of what is unknown answers nothing.
bool is_told(const analysis::cycles::PhaseSpan& span) {
  return span.phase != analysis::cycles::PhaseName::kUnknown || span.layers > 0 ||
         span.loop != analysis::cycles::kNoLoop;
}

}  // namespace

void add_phases(const analysis::cycles::StreamCycles& cycles, layout::Page& page) {
  if (std::ranges::none_of(cycles.phases, is_told)) return;
  const std::vector<PhaseRow> all = rows_of(cycles);
  std::vector<std::vector<std::string>> rows;
  std::vector<layout::RowNotes> notes;
  for (const PhaseRow& row : all) {
    if (rows.size() == kMaxPhases) break;
    rows.push_back({row.phase, row.passes == 0 ? "-" : grouped(row.passes),
                    row.layers == 0 ? "-" : grouped(row.layers), grouped(row.kernels),
                    grouped(row.from), human_time(row.wall)});
    notes.push_back({row.notes, kIndent});
  }
  page.nested_heading("Phases");
  page.table({{"phase", Align::kLeft},
              {"passes", Align::kRight},
              {"layers", Align::kRight},
              {"kernels", Align::kRight},
              {"from", Align::kRight, false, 1},
              {"wall", Align::kRight}},
             std::move(rows), std::move(notes));
  if (all.size() > kMaxPhases)
    page.line(fmt::format("and {} more (--json has all)", grouped(all.size() - kMaxPhases)));
}

}  // namespace lockstep::report::cycles
