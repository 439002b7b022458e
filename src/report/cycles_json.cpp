// Keys in the order of the contract; the same loops give the same bytes.
#include "report/cycles_json.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "report/cycles_parameters.h"
#include "report/cycles_view.h"
#include "report/quantities.h"

namespace lockstep {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kShareDigits = 1e6;  // shares are rounded to six decimals

double rounded_share(double share) { return std::round(share * kShareDigits) / kShareDigits; }

std::int64_t floored_ns_of(double ps) {
  return floor_ns(Time{static_cast<std::int64_t>(std::floor(ps))});
}

Json spread_json(const Spread& spread) {
  return {{"p50", floor_ns(spread.p50)},
          {"p95", floor_ns(spread.p95)},
          {"min", floor_ns(spread.min)},
          {"max", floor_ns(spread.max)}};
}

Json evidence_json(const std::vector<Evidence>& evidence) {
  Json entries = Json::array();
  for (const Evidence& one : evidence) {
    entries.push_back({{"strength", name_of(one.strength)}, {"text", one.text}});
  }
  return entries;
}

Json trend_json(const std::optional<Trend>& trend) {
  if (!trend) return nullptr;
  return {{"ns_per_iteration", trend->ps_per_iteration / kPicosecondsPerNanosecond},
          {"p", trend->p},
          {"significant", trend->is_significant}};
}

Json regimes_json(const Loop& loop) {
  Json regimes = Json::array();
  for (const Regime& regime : loop.regimes) {
    regimes.push_back({{"first", regime.first},
                       {"last", regime.last},
                       {"median_wall_ns", floor_ns(regime.median_wall)}});
  }
  return regimes;
}

Json outliers_json(const Loop& loop) {
  Json outliers = Json::array();
  for (const Outlier& outlier : loop.outliers) {
    outliers.push_back({{"iteration", outlier.iteration},
                        {"wall_ns", floor_ns(outlier.wall)},
                        {"score", outlier.score}});
  }
  return outliers;
}

Json iterations_json(const Loop& loop) {
  Json iterations = Json::array();
  for (const IterationTime& one : loop.iterations) {
    iterations.push_back({{"start", one.kernels.start},
                          {"end", one.kernels.end},
                          {"start_ns", floor_ns(one.start)},
                          {"wall_ns", floor_ns(one.wall)},
                          {"busy_ns", floor_ns(one.busy)}});
  }
  return iterations;
}

Json positions_json(const Loop& loop) {
  Json positions = Json::array();
  for (const Position& one : loop.positions) {
    const auto count = static_cast<WideTime>(one.count);
    Json entry = {{"name", one.name},
                  {"role", name_of(one.role)},
                  {"mean_ns", count == 0 ? 0 : floored_ns(one.sum / count)},
                  {"min_ns", floor_ns(one.min)},
                  {"max_ns", floor_ns(one.max)},
                  {"stddev_ns", floored_ns_of(one.stddev_ps)},
                  {"count", one.count},
                  {"share", rounded_share(one.share)}};
    // Only where it says more.
    if (one.raw_name != one.name) entry["raw_name"] = one.raw_name;
    positions.push_back(std::move(entry));
  }
  return positions;
}

Json repetitions_json(const NestLoop& nest) {
  const std::optional<std::uint64_t> hundredths = repetition_hundredths(nest);
  if (!hundredths) return nullptr;
  return static_cast<double>(*hundredths) / 100.0;
}

// Where the loop lies, and how exactly it repeats.
void add_shape(const Nest& nests, const NestLoop& nest, const Loop& loop, Json& entry) {
  const std::uint32_t start = nest.instances.front().start();
  const std::uint32_t end = nest.instances.front().end();
  const std::uint32_t run = nest.run_end - nest.run_start;
  entry["id"] = nest.id;
  entry["parent"] = nest.parent == kNoLoop
                        ? Json(nullptr)
                        : Json(nests.loops[static_cast<std::size_t>(nest.parent)].id);
  entry["depth"] = nest.depth;
  entry["start"] = start;
  entry["end"] = end;
  entry["run_start"] = nest.run_start;
  entry["run_end"] = nest.run_end;
  entry["slack"] = run > end - start ? run - (end - start) : 0;
  entry["period"] = nest.period;
  entry["repetitions"] = repetitions_json(nest);
  entry["complete"] = loop.complete;
  entry["partial"] = loop.partial;
  entry["instances"] = loop.instances;
  entry["exact"] = nest.is_exact;
  entry["exceptions"] = nest.exceptions;
  entry["symbol"] = name_of(nest.symbol);
  entry["border_evidence"] = name_of(nest.border);
  entry["anchors_per_body"] = nest.anchors_per_body;
  entry["coverage"] = rounded_share(loop.coverage);
}

Json loop_json(const Nest& nests, const NestLoop& nest, const Loop& loop) {
  Json entry = Json::object();
  add_shape(nests, nest, loop, entry);
  entry["phase"] = name_of(loop.phase);
  entry["phase_evidence"] = evidence_json(loop.phase_evidence);
  entry["role"] = name_of(loop.role);
  entry["start_ns"] = floor_ns(loop.start);
  entry["end_ns"] = floor_ns(loop.end);
  entry["wall_ns"] = spread_json(loop.wall);
  entry["busy_ns"] = spread_json(loop.busy);
  entry["kernel_sum_ns"] = spread_json(loop.kernel_sum);
  entry["idle_ns"] = spread_json(loop.idle);
  entry["trend"] = trend_json(loop.trend);
  entry["regimes"] = regimes_json(loop);
  entry["outliers"] = outliers_json(loop);
  entry["iterations"] = iterations_json(loop);
  entry["positions"] = positions_json(loop);
  return entry;
}

Json phases_json(const StreamCycles& cycles) {
  Json phases = Json::array();
  for (const PhaseSpan& span : cycles.phases) {
    const bool is_loop = span.loop != kNoLoop;
    phases.push_back(
        {{"phase", name_of(span.phase)},
         {"start", span.start},
         {"end", span.end},
         {"passes", span.passes},
         {"layers", span.layers == 0 ? Json(nullptr) : Json(span.layers)},
         {"loop", is_loop ? Json(cycles.nest.loops[static_cast<std::size_t>(span.loop)].id)
                          : Json(nullptr)},
         {"wall_ns", floor_ns(wall_of(cycles.stream, span.start, span.end))},
         {"evidence", evidence_json(span.evidence)}});
  }
  return phases;
}

Json stream_json(const StreamCycles& cycles) {
  Json entry = Json::object();
  const KernelStream& stream = cycles.stream;
  entry["rank"] = stream.rank_number ? Json(*stream.rank_number) : Json(nullptr);
  entry["device"] = stream.device_id;
  entry["stream"] = stream.stream_id;
  entry["kernels"] = stream.size();
  entry["kernels_in_loops"] = cycles.covered;
  entry["selected"] =
      cycles.selected ? Json(cycles.nest.loops[*cycles.selected].id) : Json(nullptr);
  entry["loops"] = Json::array();
  for (std::size_t i = 0; i < cycles.loops.size(); ++i) {
    entry["loops"].push_back(loop_json(cycles.nest, cycles.nest.loops[i], cycles.loops[i]));
  }
  entry["phases"] = phases_json(cycles);
  return entry;
}

}  // namespace

std::string cycles_json(const Cycles& cycles, const CyclesOptions& options,
                        std::span<const InputFacts> inputs) {
  Json document = Json::object();
  document["schema"] = "lockstep.cycles/1";
  document["inputs"] = Json::array();
  for (const InputFacts& input : inputs) document["inputs"].push_back(input.path);
  document["parameters"] = cycles_parameters(options);
  document["streams"] = Json::array();
  for (const StreamCycles& stream : cycles.streams) {
    document["streams"].push_back(stream_json(stream));
  }
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lockstep
