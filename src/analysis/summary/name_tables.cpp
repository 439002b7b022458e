// Aggregation by name, and the orders in which the rows are shown.
#include "analysis/summary/name_tables.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "base/text.h"
#include "trace/steps.h"

namespace lockstep::analysis::summary {
namespace {

std::string valid_name(std::string_view name) { return valid_utf8(demangled(name)); }

}  // namespace

std::vector<KernelNameSummary> top_kernels(const trace::Trace& trace,
                                           const std::vector<KernelTally>& kernels,
                                           std::size_t top) {
  std::vector<const KernelTally*> order;
  for (const KernelTally& kernel : kernels) order.push_back(&kernel);
  std::ranges::stable_sort(order, std::ranges::greater{}, &KernelTally::total);

  // Rows that tie with the last one shown compete with it by name.
  std::size_t shown = std::min(top, order.size());
  while (shown > 0 && shown < order.size() && order[shown]->total == order[shown - 1]->total) {
    ++shown;
  }
  std::vector<KernelNameSummary> rows;
  for (std::size_t i = 0; i < shown; ++i) {
    const KernelTally& kernel = *order[i];
    rows.push_back(
        {valid_name(trace.text(kernel.name)), kernel.count, kernel.total, kernel.min, kernel.max});
  }
  std::ranges::stable_sort(rows, [](const KernelNameSummary& a, const KernelNameSummary& b) {
    return a.total != b.total ? a.total > b.total : a.name < b.name;
  });
  if (rows.size() > top) rows.resize(top);
  return rows;
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
