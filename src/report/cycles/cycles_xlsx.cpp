// Rows of the sheets. Times are numbers, in microseconds.
#include "report/cycles/cycles_xlsx.h"

#include <fmt/format.h>

#include "base/text.h"
#include "report/cycles/cycles_view.h"
#include "report/cycles/evidence_words.h"
#include "report/layout/quantities.h"

namespace lockstep::report::cycles {
namespace {

// More are of use to nobody, and slow every program that opens them. The sheet of loops has all.
constexpr std::size_t kMostSheets = 250;

constexpr double kNameWidth = 60;

sinks::XlsxCell text(std::string value) { return {std::move(value)}; }
sinks::XlsxCell text(std::string_view value) { return {std::string(value)}; }
sinks::XlsxCell number(double value) { return {value}; }
sinks::XlsxCell number(std::uint64_t value) { return {static_cast<double>(value)}; }
sinks::XlsxCell time_cell(Time time) { return number(layout::microseconds(time)); }

std::vector<sinks::XlsxCell> stream_cells(const analysis::cycles::KernelStream& stream) {
  return {stream.rank_number ? number(static_cast<double>(*stream.rank_number)) : sinks::XlsxCell{},
          text(stream.device_id), text(stream.stream_id)};
}

std::vector<sinks::XlsxCell> loop_row(const analysis::cycles::StreamCycles& cycles, std::size_t i) {
  const analysis::cycles::NestLoop& nest = cycles.nest.loops[i];
  const analysis::cycles::Loop& loop = cycles.loops[i];
  std::vector<sinks::XlsxCell> row = stream_cells(cycles.stream);
  const sinks::XlsxCell parent =
      nest.parent == analysis::cycles::kNoLoop
          ? sinks::XlsxCell{}
          : number(std::uint64_t{cycles.nest.loops[static_cast<std::size_t>(nest.parent)].id});
  for (sinks::XlsxCell& cell : std::vector<sinks::XlsxCell>{
           number(std::uint64_t{nest.id}), parent, text(name_of(loop.role)),
           text(name_of(loop.phase)), number(std::uint64_t{loop.complete}),
           number(std::uint64_t{nest.period}), number(nest.instances.size()),
           number(std::uint64_t{nest.instances.front().start()}), number(100 * loop.coverage),
           number(nest.exceptions), text(name_of(nest.border)), time_cell(loop.wall.p50),
           time_cell(loop.wall.p95), time_cell(loop.wall.min), time_cell(loop.wall.max),
           time_cell(loop.busy.p50), time_cell(loop.kernel_sum.p50), time_cell(loop.idle.p50)}) {
    row.push_back(std::move(cell));
  }
  return row;
}

sinks::XlsxSheet loops_sheet(const analysis::cycles::Cycles& cycles) {
  sinks::XlsxSheet sheet{
      "Loops",
      {{"Rank"},          {"Device"},        {"Stream"},        {"Id"},
       {"Parent"},        {"Role"},          {"Phase"},         {"Iterations"},
       {"Kernels"},       {"Instances"},     {"First kernel"},  {"Coverage (%)"},
       {"Exceptions"},    {"Border"},        {"Wall p50 (us)"}, {"Wall p95 (us)"},
       {"Wall min (us)"}, {"Wall max (us)"}, {"Busy p50 (us)"}, {"Kernel sum p50 (us)"},
       {"Idle p50 (us)"}},
      {}};
  for (const analysis::cycles::StreamCycles& stream : cycles.streams) {
    for (std::size_t i = 0; i < stream.loops.size(); ++i) sheet.rows.push_back(loop_row(stream, i));
  }
  return sheet;
}

std::string joined(const std::vector<analysis::cycles::Evidence>& evidence) {
  std::string out;
  for (const analysis::cycles::Evidence& one : evidence) {
    out += fmt::format("{}{} ({})", out.empty() ? "" : "; ", evidence_words(one),
                       name_of(one.strength));
  }
  return out;
}

sinks::XlsxSheet phases_sheet(const analysis::cycles::Cycles& cycles) {
  sinks::XlsxSheet sheet{"Phases",
                         {{"Rank"},
                          {"Device"},
                          {"Stream"},
                          {"Phase"},
                          {"First kernel"},
                          {"Kernels"},
                          {"Passes"},
                          {"Layers"},
                          {"Wall (us)"},
                          {"Evidence", kNameWidth}},
                         {}};
  for (const analysis::cycles::StreamCycles& stream : cycles.streams) {
    for (const analysis::cycles::PhaseSpan& span : stream.phases) {
      std::vector<sinks::XlsxCell> row = stream_cells(stream.stream);
      for (sinks::XlsxCell& cell : std::vector<sinks::XlsxCell>{
               text(name_of(span.phase)), number(std::uint64_t{span.start}),
               number(std::uint64_t{span.end - span.start}), number(std::uint64_t{span.passes}),
               span.layers == 0 ? sinks::XlsxCell{} : number(std::uint64_t{span.layers}),
               time_cell(wall_of(stream.stream, span.start, span.end)),
               text(joined(span.evidence))}) {
        row.push_back(std::move(cell));
      }
      sheet.rows.push_back(std::move(row));
    }
  }
  return sheet;
}

sinks::XlsxSheet body_sheet(const analysis::cycles::NestLoop& nest,
                            const analysis::cycles::Loop& loop) {
  sinks::XlsxSheet sheet{fmt::format("{} {}", nest.id, loop_words(loop)),
                         {{"Index"},
                          {"Kernel", kNameWidth},
                          {"Role"},
                          {"Avg (us)"},
                          {"Min (us)"},
                          {"Max (us)"},
                          {"StdDev (us)"},
                          {"Count"},
                          {"Share (%)"}},
                         {}};
  for (std::size_t i = 0; i < loop.positions.size(); ++i) {
    const analysis::cycles::Position& one = loop.positions[i];
    sheet.rows.push_back({number(i), text(one.name), text(name_of(one.role)),
                          number(layout::microseconds(one.mean_ps)), time_cell(one.min),
                          time_cell(one.max), number(layout::microseconds(one.stddev_ps)),
                          number(one.count), number(100 * one.share)});
  }
  return sheet;
}

}  // namespace

std::vector<sinks::XlsxSheet> cycles_sheets(const analysis::cycles::Cycles& cycles, bool show_all) {
  std::vector<sinks::XlsxSheet> sheets = {loops_sheet(cycles), phases_sheet(cycles)};
  std::uint64_t without_sheet = 0;
  for (const std::size_t s : shown_streams(cycles, show_all)) {
    const analysis::cycles::StreamCycles& stream = cycles.streams[s];
    for (const std::size_t i : shown_loops(stream, show_all)) {
      if (sheets.size() < kMostSheets) {
        sheets.push_back(body_sheet(stream.nest.loops[i], stream.loops[i]));
      } else {
        ++without_sheet;
      }
    }
  }
  if (without_sheet > 0) {
    sheets.front().rows.push_back({text(
        fmt::format("Left out: sheets of {} (--csv writes all)", counted(without_sheet, "loop")))});
  }
  return sheets;
}

}  // namespace lockstep::report::cycles
