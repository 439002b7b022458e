// Aggregation by name, and the orders in which the rows are shown.
#include "analysis/summary/name_tables.h"

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "base/text.h"
#include "trace/steps.h"

namespace lockstep::analysis::summary {
namespace {

std::string valid_name(std::string_view name) { return valid_utf8(demangled(name)); }

}  // namespace

KernelTable kernel_table(const trace::Trace& trace, const std::vector<KernelTally>& kernels,
                         std::size_t top) {
  KernelTable table;
  std::unordered_map<std::string, std::size_t> row_of;
  for (const KernelTally& kernel : kernels) {
    std::string name = valid_name(trace.text(kernel.name));
    const auto [known, is_new] = row_of.try_emplace(name, table.top.size());
    if (is_new) {
      table.top.push_back({std::move(name), kernel.count, kernel.total, kernel.min, kernel.max});
      continue;
    }
    KernelNameSummary& row = table.top[known->second];
    row.count += kernel.count;
    row.total += kernel.total;
    row.min = std::min(row.min, kernel.min);
    row.max = std::max(row.max, kernel.max);
  }
  table.names = table.top.size();
  const auto shown = table.top.begin() + static_cast<std::ptrdiff_t>(std::min(top, table.names));
  std::ranges::partial_sort(table.top, shown,
                            [](const KernelNameSummary& a, const KernelNameSummary& b) {
                              return a.total != b.total ? a.total > b.total : a.name < b.name;
                            });
  table.top.erase(shown, table.top.end());
  return table;
}

std::vector<AnnotationSummary> list_annotations(const trace::Trace& trace,
                                                const TraceTally& tally) {
  std::unordered_set<StringId> step_names;
  for (const trace::Step& step : trace.steps) step_names.insert(step.name);
  std::vector<AnnotationSummary> rows;
  for (const auto& [name, count] : tally.annotations) {
    const std::string_view text = trace.text(name);
    if (step_names.contains(name) || trace::is_step_name(text)) continue;
    rows.push_back({valid_utf8(text), count});
  }
  std::ranges::sort(rows, [](const AnnotationSummary& a, const AnnotationSummary& b) {
    return a.count != b.count ? a.count > b.count : a.name < b.name;
  });
  return rows;
}

std::vector<CollectiveSummary> list_collectives(const trace::Trace& trace) {
  std::unordered_map<StringId, CollectiveSummary> by_op;
  for (const trace::Collective& collective : trace.collectives) {
    CollectiveSummary& row = by_op[collective.op];
    ++row.count;
    if (collective.event != trace::kNoEvent) {
      row.total += trace.events.duration[trace::index_of(collective.event)].ps;
    }
  }
  std::vector<CollectiveSummary> rows;
  for (auto& [op, row] : by_op) {
    row.op = valid_utf8(trace.text(op));
    rows.push_back(std::move(row));
  }
  std::ranges::sort(rows, [](const CollectiveSummary& a, const CollectiveSummary& b) {
    return a.total != b.total ? a.total > b.total : a.op < b.op;
  });
  return rows;
}

std::vector<StepSummary> list_steps(const trace::Trace& trace) {
  std::vector<const trace::Step*> order;
  for (const trace::Step& step : trace.steps) order.push_back(&step);
  std::ranges::stable_sort(order, {}, [&trace](const trace::Step* step) {
    const std::optional<std::int64_t>& number = trace.ranks[trace::index_of(step->rank)].number;
    return std::tuple(number.value_or(std::numeric_limits<std::int64_t>::max()),
                      trace::index_of(step->rank), step->start);
  });
  const std::vector<StepWork> work = work_of_steps(trace);
  std::vector<StepSummary> rows;
  for (const trace::Step* step : order) {
    const auto i = static_cast<std::size_t>(step - trace.steps.data());
    rows.push_back({valid_utf8(trace.text(step->name)), step->start, step->end, work[i]});
  }
  return rows;
}

}  // namespace lockstep::analysis::summary
