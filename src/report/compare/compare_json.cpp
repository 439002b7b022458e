// Keys in the order of the contract; the same traces give the same bytes.
#include "report/compare/compare_json.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "analysis/compare/time_change.h"
#include "report/cycles/breakdown_page.h"
#include "report/cycles/cycles_parameters.h"
#include "report/layout/quantities.h"
#include "report/sinks/json_text.h"

namespace lockstep::report::compare {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kDigits = 1e6;  // shares and percentages are rounded to six decimals

double rounded(double value) { return std::round(value * kDigits) / kDigits; }

template <typename Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json percent_json(const std::optional<double>& percent) {
  return percent ? Json(rounded(*percent)) : Json(nullptr);
}

Json side_json(const std::optional<analysis::compare::PairSide>& side,
               const analysis::cycles::Cycles& cycles) {
  if (!side) return nullptr;
  const analysis::cycles::StreamCycles& stream = cycles.streams[side->stream];
  Json entry = Json::object();
  entry["rank"] = or_null(stream.stream.rank_number);
  entry["device"] = stream.stream.device_id;
  entry["stream"] = stream.stream.stream_id;
  entry["loop"] = side->loop ? Json(stream.nest.loops[*side->loop].id) : Json(nullptr);
  entry["start"] = side->start;
  entry["end"] = side->end;
  entry["phase"] = name_of(side->phase);
  entry["role"] = name_of(side->role);
  entry["kernels"] = side->kernels;
  entry["iterations"] = side->iterations;
  entry["folded"] = side->folded;
  entry["wall_ns"] = side->wall_ns;
  entry["wall_stddev_ns"] = layout::floored_ns_of(side->wall_stddev_ps);
  return entry;
}

Json kernels_json(const analysis::compare::RowSide& side) {
  Json kernels = Json::array();
  for (const analysis::compare::RowKernel& kernel : side.kernels) {
    Json entry = {{"name", kernel.name},
                  {"role", name_of(kernel.role)},
                  {"position", kernel.position},
                  {"count", kernel.count}};
    if (kernel.raw_name != kernel.name) entry["raw_name"] = kernel.raw_name;
    kernels.push_back(std::move(entry));
  }
  return kernels;
}

Json row_json(const analysis::compare::CompareRow& row) {
  return {{"kind", name_of(row.kind)},
          {"a", kernels_json(row.a)},
          {"b", kernels_json(row.b)},
          {"mean_ns_a", row.a.mean_ns},
          {"mean_ns_b", row.b.mean_ns},
          {"stddev_ns_a", layout::floored_ns_of(row.a.stddev_ps)},
          {"stddev_ns_b", layout::floored_ns_of(row.b.stddev_ps)},
          {"min_ns_a", floor_ns(row.a.min)},
          {"min_ns_b", floor_ns(row.b.min)},
          {"max_ns_a", floor_ns(row.a.max)},
          {"max_ns_b", floor_ns(row.b.max)},
          {"delta_ns", row.delta_ns},
          {"percent", percent_json(row.percent)},
          {"p", or_null(row.p)},
          {"adjusted_p", or_null(row.adjusted_p)},
          {"significant", row.is_significant},
          {"beyond_body", row.is_beyond_body}};
}

Json doubt_json(const analysis::compare::ComparePair& pair) {
  switch (pair.doubt) {
    case algo::Doubt::kNone:
      return nullptr;
    case algo::Doubt::kFewValues:
      return "few_iterations";
    case algo::Doubt::kTooSmall:
      return "too_small";
    case algo::Doubt::kStrayValues:
      return "stray_iterations";
    case algo::Doubt::kDrift:
      return "drift";
  }
  return nullptr;
}

// By role, adding up to the walls; parts that run on neither side are left out.
Json breakdown_json(const analysis::compare::ComparePair& pair) {
  if (!is_matched(pair) || pair.a->breakdown.windows == 0 || pair.b->breakdown.windows == 0)
    return nullptr;
  const auto means_a = mean_ns(pair.a->breakdown);
  const auto means_b = mean_ns(pair.b->breakdown);
  Json roles = Json::array();
  for (std::size_t i = 0; i < analysis::breakdown::kPartCount; ++i) {
    const auto part = static_cast<analysis::breakdown::Part>(i);
    const bool is_idle = part == analysis::breakdown::Part::kIdle;
    if (!is_idle && pair.a->breakdown[part].running == 0 && pair.b->breakdown[part].running == 0)
      continue;
    roles.push_back({{"role", name_of(part)},
                     {"ns_a", means_a[i]},
                     {"ns_b", means_b[i]},
                     {"delta_ns", means_b[i] - means_a[i]},
                     {"hidden_ns_a", cycles::mean_hidden_ns(pair.a->breakdown, part)},
                     {"hidden_ns_b", cycles::mean_hidden_ns(pair.b->breakdown, part)}});
  }
  const analysis::compare::TimeChange change = analysis::compare::time_change(pair);
  return {{"roles", std::move(roles)},
          {"kernels_percent", percent_json(change.kernels_percent)},
          {"idle_percent", percent_json(change.idle_percent)},
          {"limit_a", name_of(change.limit_a)},
          {"limit_b", name_of(change.limit_b)}};
}

// Rows as they come: there may be as many as kernels, and a tree takes many times their text.
void write_pair(const analysis::compare::ComparePair& pair, const ComparedTraces& compared,
                sinks::JsonText& text) {
  text.begin_object();
  text.member("kind", name_of(pair.kind));
  text.member("a", side_json(pair.a, compared.a.cycles));
  text.member("b", side_json(pair.b, compared.b.cycles));
  text.member("similarity", rounded(pair.similarity));
  text.member("rotation", pair.rotation);
  text.member("by_name", pair.by_name);
  text.member("same_work", pair.is_same_work);
  text.member("inside", pair.is_inside);
  text.member("elapsed", pair.is_elapsed);
  text.member("wall_ns_a", pair.a ? Json(pair.a->wall_ns) : Json(nullptr));
  text.member("wall_ns_b", pair.b ? Json(pair.b->wall_ns) : Json(nullptr));
  text.member("delta_ns", or_null(pair.delta_ns));
  text.member("percent", percent_json(pair.percent));
  text.member("p", or_null(pair.p));
  text.member("adjusted_p", or_null(pair.adjusted_p));
  text.member("significant", pair.is_significant);
  text.member("doubt", doubt_json(pair));
  text.member("breakdown", breakdown_json(pair));
  text.begin_array("rows");
  for (const analysis::compare::CompareRow& row : pair.rows) text.element(row_json(row));
  text.end_array();
  text.end_object();
}

Json parameters_json(const analysis::compare::CompareOptions& options,
                     const analysis::cycles::CyclesOptions& cycles,
                     std::optional<double> fail_on_percent) {
  Json parameters = cycles::cycles_parameters(cycles);
  parameters["min_similarity"] = options.min_similarity;
  parameters["false_discovery_rate"] = options.false_discovery_rate;
  parameters["min_change"] = options.min_change;
  parameters["min_difference_ns"] = floor_ns(options.min_difference);
  parameters["pair_phases"] = options.pair_phases;
  parameters["fail_on_regression_percent"] = or_null(fail_on_percent);
  return parameters;
}

Json paths_json(std::span<const formats::input::InputFacts> inputs) {
  Json paths = Json::array();
  for (const formats::input::InputFacts& input : inputs) paths.push_back(input.path);
  return paths;
}

void write_document(const ComparedTraces& compared, const analysis::cycles::CyclesOptions& options,
                    std::optional<double> fail_on_percent, sinks::JsonText& text) {
  const analysis::compare::Comparison& comparison = compared.comparison;
  text.member("schema", "lockstep.compare/2");
  text.member("inputs_a", paths_json(compared.a.inputs));
  text.member("inputs_b", paths_json(compared.b.inputs));
  text.member("devices_a", compared.a.devices);
  text.member("devices_b", compared.b.devices);
  text.member("parameters", parameters_json(comparison.options, options, fail_on_percent));
  text.begin_array("pairs");
  for (const analysis::compare::ComparePair& pair : comparison.pairs)
    write_pair(pair, compared, text);
  text.end_array();
  text.member("total_ns_a", comparison.total_ns_a);
  text.member("total_delta_ns", comparison.total_delta_ns);
  text.member("total_percent", percent_json(comparison.total_percent()));
  text.member("elapsed_ns_a", comparison.elapsed_ns_a);
  text.member("elapsed_delta_ns", comparison.elapsed_delta_ns);
  text.member("elapsed_percent", percent_json(comparison.elapsed_percent()));
  text.member("unmatched_ns_a", comparison.unmatched_a.ns);
  text.member("unmatched_ns_b", comparison.unmatched_b.ns);
  text.member("unmatched_percent_a", percent_json(100 * comparison.unmatched_a.share));
  text.member("unmatched_percent_b", percent_json(100 * comparison.unmatched_b.share));
  text.member("rows_tested", comparison.rows_tested);
  text.member("rows_significant", comparison.rows_significant);
  text.begin_array("regressions");
  if (fail_on_percent) {
    for (const std::string& sentence : regressions(comparison, *fail_on_percent)) {
      text.element(sentence);
    }
  }
  text.end_array();
}

}  // namespace

std::string compare_json(const ComparedTraces& compared,
                         const analysis::cycles::CyclesOptions& options,
                         std::optional<double> fail_on_percent) {
  sinks::JsonText text;
  write_document(compared, options, fail_on_percent, text);
  return text.finish();
}

Status write_compare_json(const ComparedTraces& compared,
                          const analysis::cycles::CyclesOptions& options,
                          std::optional<double> fail_on_percent, io::ByteSink& sink) {
  sinks::JsonText text(sink);
  write_document(compared, options, fail_on_percent, text);
  return text.finish_in_sink();
}

}  // namespace lockstep::report::compare
