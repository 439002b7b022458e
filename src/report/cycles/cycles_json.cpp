// Keys in the order of the contract; the same loops give the same bytes.
#include "report/cycles/cycles_json.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/cycles/breakdown_page.h"
#include "report/cycles/cycles_parameters.h"
#include "report/cycles/cycles_view.h"
#include "report/cycles/evidence_words.h"
#include "report/layout/quantities.h"
#include "report/sinks/json_text.h"

namespace lockstep::report::cycles {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kShareDigits = 1e6;  // shares are rounded to six decimals

double rounded_share(double share) { return std::round(share * kShareDigits) / kShareDigits; }

Json spread_json(const analysis::cycles::Spread& spread) {
  return {{"p50", floor_ns(spread.p50)},
          {"p95", floor_ns(spread.p95)},
          {"min", floor_ns(spread.min)},
          {"max", floor_ns(spread.max)}};
}

Json evidence_json(const std::vector<analysis::cycles::Evidence>& evidence) {
  Json entries = Json::array();
  for (const analysis::cycles::Evidence& one : evidence) {
    entries.push_back({{"strength", name_of(one.strength)}, {"text", evidence_words(one)}});
  }
  return entries;
}

Json trend_json(const std::optional<analysis::cycles::Trend>& trend) {
  if (!trend) return nullptr;
  return {{"ns_per_iteration", trend->ps_per_iteration / kPicosecondsPerNanosecond},
          {"p", trend->p},
          {"significant", trend->is_significant},
          {"drift", rounded_share(trend->drift)}};
}

Json regimes_json(const analysis::cycles::Loop& loop) {
  Json regimes = Json::array();
  for (const analysis::cycles::Regime& regime : loop.regimes) {
    regimes.push_back({{"first", regime.first},
                       {"last", regime.last},
                       {"median_wall_ns", floor_ns(regime.median_wall)}});
  }
  return regimes;
}

Json outliers_json(const analysis::cycles::Loop& loop) {
  Json outliers = Json::array();
  for (const analysis::cycles::Outlier& outlier : loop.outliers) {
    outliers.push_back({{"iteration", outlier.iteration},
                        {"wall_ns", floor_ns(outlier.wall)},
                        {"score", outlier.score},
                        {"place", outlier.place},
                        {"recurring", outlier.is_recurring}});
  }
  return outliers;
}

// Of a mean iteration, adding up to its wall; roles that do not run are left out.
Json breakdown_json(const analysis::breakdown::Breakdown& times) {
  const auto means = mean_ns(times);
  Json roles = Json::array();
  std::int64_t wall = 0;
  for (std::size_t i = 0; i < analysis::breakdown::kPartCount; ++i) {
    const auto part = static_cast<analysis::breakdown::Part>(i);
    wall += means[i];
    if (part != analysis::breakdown::Part::kIdle && times[part].running == 0) continue;
    const double share = times.wall == 0 ? 0
                                         : static_cast<double>(times[part].elapsed) /
                                               static_cast<double>(times.wall);
    roles.push_back({{"role", name_of(part)},
                     {"ns", means[i]},
                     {"share", rounded_share(share)},
                     {"hidden_ns", mean_hidden_ns(times, part)}});
  }
  return {{"iterations", times.windows}, {"wall_ns", wall}, {"roles", std::move(roles)}};
}

// As many as the trace is long, so one line each and no tree.
void write_iterations(const analysis::cycles::Loop& loop, sinks::JsonText& text) {
  text.begin_array("iterations");
  for (const analysis::cycles::IterationTime& one : loop.iterations) {
    text.raw_element(
        fmt::format(R"({{"start": {}, "end": {}, "start_ns": {}, "wall_ns": {}, "busy_ns": {}}})",
                    one.kernels.start, one.kernels.end, floor_ns(one.start), floor_ns(one.wall),
                    floor_ns(one.busy)));
  }
  text.end_array();
}

Json positions_json(const analysis::cycles::Loop& loop) {
  Json positions = Json::array();
  for (const analysis::cycles::Position& one : loop.positions) {
    const auto count = static_cast<WideTime>(one.count);
    Json entry = {{"name", one.name},
                  {"role", name_of(one.role)},
                  {"mean_ns", count == 0 ? 0 : layout::floored_ns(one.sum / count)},
                  {"min_ns", floor_ns(one.min)},
                  {"max_ns", floor_ns(one.max)},
                  {"stddev_ns", layout::floored_ns_of(one.stddev_ps)},
                  {"count", one.count},
                  {"share", rounded_share(one.share)}};
    // Only where it says more.
    if (one.raw_name != one.name) entry["raw_name"] = one.raw_name;
    positions.push_back(std::move(entry));
  }
  return positions;
}

Json repetitions_json(const analysis::cycles::NestLoop& nest) {
  const std::optional<std::uint64_t> hundredths = repetition_hundredths(nest);
  if (!hundredths) return nullptr;
  return static_cast<double>(*hundredths) / 100.0;
}

// Where the loop lies, and how exactly it repeats.
void write_shape(const analysis::cycles::Nest& nests, const analysis::cycles::NestLoop& nest,
                 const analysis::cycles::Loop& loop, sinks::JsonText& text) {
  const std::uint32_t start = nest.instances.front().start();
  const std::uint32_t end = nest.instances.front().end();
  const std::uint32_t run = nest.run_end - nest.run_start;
  text.member("id", nest.id);
  text.member("parent", nest.parent == analysis::cycles::kNoLoop
                            ? Json(nullptr)
                            : Json(nests.loops[static_cast<std::size_t>(nest.parent)].id));
  text.member("depth", nest.depth);
  text.member("start", start);
  text.member("end", end);
  text.member("run_start", nest.run_start);
  text.member("run_end", nest.run_end);
  text.member("slack", run > end - start ? run - (end - start) : 0);
  text.member("period", nest.period);
  text.member("repetitions", repetitions_json(nest));
  text.member("complete", loop.complete);
  text.member("partial", loop.partial);
  text.member("instances", loop.instances);
  text.member("exact", nest.is_exact);
  text.member("exceptions", nest.exceptions);
  text.member("symbol", name_of(nest.symbol));
  text.member("border_evidence", name_of(nest.border));
  text.member("anchors_per_body", nest.anchors_per_body);
  text.member("coverage", rounded_share(loop.coverage));
}

void write_loop(const analysis::cycles::Nest& nests, const analysis::cycles::NestLoop& nest,
                const analysis::cycles::Loop& loop, sinks::JsonText& text) {
  text.begin_object();
  write_shape(nests, nest, loop, text);
  text.member("phase", name_of(loop.phase));
  text.member("phase_evidence", evidence_json(loop.phase_evidence));
  text.member("role", name_of(loop.role));
  text.member("start_ns", floor_ns(loop.start));
  text.member("end_ns", floor_ns(loop.end));
  text.member("wall_ns", spread_json(loop.wall));
  text.member("busy_ns", spread_json(loop.busy));
  text.member("kernel_sum_ns", spread_json(loop.kernel_sum));
  text.member("idle_ns", spread_json(loop.idle));
  text.member("trend", trend_json(loop.trend));
  text.member("regimes", regimes_json(loop));
  text.member("outliers", outliers_json(loop));
  text.member("breakdown", breakdown_json(loop.breakdown));
  write_iterations(loop, text);
  text.member("positions", positions_json(loop));
  text.end_object();
}

Json parts_json(const std::vector<analysis::cycles::PhasePart>& parts) {
  Json entries = Json::array();
  for (const analysis::cycles::PhasePart& part : parts) {
    entries.push_back({{"phase", name_of(part.phase)},
                       {"kernels", part.kernels},
                       {"first", part.first},
                       {"kernel_sum_ns", floor_ns(part.kernel_sum)}});
  }
  return entries;
}

Json phases_json(const analysis::cycles::StreamCycles& cycles) {
  Json phases = Json::array();
  for (const analysis::cycles::PhaseSpan& span : cycles.phases) {
    const bool is_loop = span.loop != analysis::cycles::kNoLoop;
    phases.push_back(
        {{"phase", name_of(span.phase)},
         {"start", span.start},
         {"end", span.end},
         {"passes", span.passes},
         {"layers", span.layers == 0 ? Json(nullptr) : Json(span.layers)},
         {"loop", is_loop ? Json(cycles.nest.loops[static_cast<std::size_t>(span.loop)].id)
                          : Json(nullptr)},
         {"wall_ns", floor_ns(wall_of(cycles.stream, span.start, span.end))},
         {"breakdown", breakdown_json(span.breakdown)},
         {"evidence", evidence_json(span.evidence)},
         {"parts", parts_json(span.parts)}});
  }
  return phases;
}

Json families_json(const analysis::cycles::StreamCycles& cycles) {
  Json families = Json::array();
  for (const analysis::cycles::PassFamily& family : cycles.families) {
    Json classes = Json::array();
    for (const analysis::cycles::PassClass& one : family.classes) {
      Json passes = Json::array();
      for (const analysis::cycles::Iteration& pass : one.passes)
        passes.push_back({{"start", pass.start}, {"end", pass.end}});
      classes.push_back({{"phase", name_of(one.phase)},
                         {"evidence", evidence_json(one.evidence)},
                         {"passes", std::move(passes)}});
    }
    families.push_back({{"layers", family.layers == 0 ? Json(nullptr) : Json(family.layers)},
                        {"classes", std::move(classes)}});
  }
  return families;
}

Json patterns_json(const analysis::cycles::StreamCycles& cycles) {
  Json patterns = Json::array();
  for (const analysis::cycles::AnchorPattern& one : cycles.patterns) {
    patterns.push_back({{"length", one.length},
                        {"repetitions", one.repetitions},
                        {"centre", rounded_share(one.centre_percent / 100)},
                        {"anchor", one.anchor},
                        {"signature", one.signature},
                        {"cycle_length", one.cycle_length},
                        {"cycle_repetitions", one.cycle_repetitions},
                        {"selected", one.is_selected}});
  }
  return patterns;
}

void write_stream(const analysis::cycles::StreamCycles& cycles, sinks::JsonText& text) {
  const analysis::cycles::KernelStream& stream = cycles.stream;
  text.begin_object();
  text.member("rank", stream.rank_number ? Json(*stream.rank_number) : Json(nullptr));
  text.member("device", stream.device_id);
  text.member("stream", stream.stream_id);
  text.member("input", stream.source);
  text.member("kernels", stream.size());
  text.member("kernels_in_loops", cycles.covered);
  text.member("selected",
              cycles.selected ? Json(cycles.nest.loops[*cycles.selected].id) : Json(nullptr));
  text.begin_array("loops");
  for (std::size_t i = 0; i < cycles.loops.size(); ++i) {
    write_loop(cycles.nest, cycles.nest.loops[i], cycles.loops[i], text);
  }
  text.end_array();
  text.member("phases", phases_json(cycles));
  text.member("families", families_json(cycles));
  text.member("patterns", patterns_json(cycles));
  text.end_object();
}

}  // namespace

std::string cycles_json(const analysis::cycles::Cycles& cycles,
                        const analysis::cycles::CyclesOptions& options,
                        std::span<const formats::input::InputFacts> inputs) {
  sinks::JsonText text;
  text.member("schema", "lockstep.cycles/2");
  Json paths = Json::array();
  for (const formats::input::InputFacts& input : inputs) paths.push_back(input.path);
  text.member("inputs", paths);
  text.member("parameters", cycles_parameters(options));
  if (cycles.asked_mark_classes < cycles.mark_classes) {
    text.member("mark_classes", cycles.mark_classes);
    text.member("asked_mark_classes", cycles.asked_mark_classes);
  }
  text.begin_array("streams");
  for (const analysis::cycles::StreamCycles& stream : cycles.streams) write_stream(stream, text);
  text.end_array();
  return text.finish();
}

}  // namespace lockstep::report::cycles
