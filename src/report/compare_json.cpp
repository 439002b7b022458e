// Keys in the order of the contract; the same traces give the same bytes.
#include "report/compare_json.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "report/cycles_parameters.h"
#include "report/quantities.h"

namespace lockstep {
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

Json side_json(const std::optional<PairSide>& side, const Cycles& cycles) {
  if (!side) return nullptr;
  const StreamCycles& stream = cycles.streams[side->stream];
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
  entry["wall_stddev_ns"] = floored_ns_of(side->wall_stddev_ps);
  return entry;
}

Json kernels_json(const RowSide& side) {
  Json kernels = Json::array();
  for (const RowKernel& kernel : side.kernels) {
    Json entry = {{"name", kernel.name},
                  {"role", name_of(kernel.role)},
                  {"position", kernel.position},
                  {"count", kernel.count}};
    if (kernel.raw_name != kernel.name) entry["raw_name"] = kernel.raw_name;
    kernels.push_back(std::move(entry));
  }
  return kernels;
}

Json row_json(const CompareRow& row) {
  return {{"kind", name_of(row.kind)},
          {"a", kernels_json(row.a)},
          {"b", kernels_json(row.b)},
          {"mean_ns_a", row.a.mean_ns},
          {"mean_ns_b", row.b.mean_ns},
          {"stddev_ns_a", floored_ns_of(row.a.stddev_ps)},
          {"stddev_ns_b", floored_ns_of(row.b.stddev_ps)},
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

Json pair_json(const ComparePair& pair, const ComparedTraces& compared) {
  Json entry = Json::object();
  entry["kind"] = name_of(pair.kind);
  entry["a"] = side_json(pair.a, compared.a.cycles);
  entry["b"] = side_json(pair.b, compared.b.cycles);
  entry["similarity"] = rounded(pair.similarity);
  entry["rotation"] = pair.rotation;
  entry["by_name"] = pair.by_name;
  entry["same_work"] = pair.is_same_work;
  entry["wall_ns_a"] = pair.a ? Json(pair.a->wall_ns) : Json(nullptr);
  entry["wall_ns_b"] = pair.b ? Json(pair.b->wall_ns) : Json(nullptr);
  entry["delta_ns"] = or_null(pair.delta_ns);
  entry["percent"] = percent_json(pair.percent);
  entry["p"] = or_null(pair.p);
  entry["adjusted_p"] = or_null(pair.adjusted_p);
  entry["significant"] = pair.is_significant;
  entry["rows"] = Json::array();
  for (const CompareRow& row : pair.rows) entry["rows"].push_back(row_json(row));
  return entry;
}

Json parameters_json(const CompareOptions& options, const CyclesOptions& cycles,
                     std::optional<double> fail_on_percent) {
  Json parameters = cycles_parameters(cycles);
  parameters["min_similarity"] = options.min_similarity;
  parameters["false_discovery_rate"] = options.false_discovery_rate;
  parameters["min_change"] = options.min_change;
  parameters["min_difference_ns"] = floor_ns(options.min_difference);
  parameters["fail_on_regression_percent"] = or_null(fail_on_percent);
  return parameters;
}

Json paths_json(std::span<const InputFacts> inputs) {
  Json paths = Json::array();
  for (const InputFacts& input : inputs) paths.push_back(input.path);
  return paths;
}

}  // namespace

std::string compare_json(const ComparedTraces& compared, const CyclesOptions& options,
                         std::optional<double> fail_on_percent) {
  const Comparison& comparison = compared.comparison;
  Json document = Json::object();
  document["schema"] = "lockstep.compare/1";
  document["inputs_a"] = paths_json(compared.a.inputs);
  document["inputs_b"] = paths_json(compared.b.inputs);
  document["parameters"] = parameters_json(comparison.options, options, fail_on_percent);
  document["pairs"] = Json::array();
  for (const ComparePair& pair : comparison.pairs) {
    document["pairs"].push_back(pair_json(pair, compared));
  }
  document["total_ns_a"] = comparison.total_ns_a;
  document["total_delta_ns"] = comparison.total_delta_ns;
  document["total_percent"] = percent_json(comparison.total_percent());
  document["rows_tested"] = comparison.rows_tested;
  document["rows_significant"] = comparison.rows_significant;
  document["regressions"] = Json::array();
  if (fail_on_percent) {
    for (std::string& sentence : regressions(comparison, *fail_on_percent)) {
      document["regressions"].push_back(std::move(sentence));
    }
  }
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lockstep
