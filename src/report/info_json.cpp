// Keys in the order of the contract; the same summary gives the same bytes.
#include "report/info_json.h"

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "report/input_words.h"
#include "report/quantities.h"

namespace lockstep {
namespace {

using Json = nlohmann::ordered_json;

Json origin_json(const Summary& summary) {
  const bool is_absolute = summary.clock == Clock::kEpoch || summary.clock == Clock::kBoot;
  if (!is_absolute || !summary.origin_ns) return nullptr;
  return std::to_string(*summary.origin_ns);
}

Json kinds_json(const Summary& summary) {
  Json kinds = Json::object();
  for (std::size_t i = 0; i < kKindCount; ++i) {
    if (summary.by_kind[i] > 0) {
      kinds[std::string(name_of(static_cast<Kind>(i)))] = summary.by_kind[i];
    }
  }
  return kinds;
}

Json steps_json(const Summary& summary) {
  Json steps = Json::array();
  for (const StepSummary& step : summary.steps) {
    steps.push_back(
        {{"name", step.name}, {"start_ns", floor_ns(step.start)}, {"end_ns", floor_ns(step.end)}});
  }
  return steps;
}

Json annotations_json(const Summary& summary) {
  Json annotations = Json::array();
  for (const AnnotationSummary& annotation : summary.annotations) {
    annotations.push_back({{"name", annotation.name}, {"count", annotation.count}});
  }
  return annotations;
}

Json collectives_json(const Summary& summary) {
  Json collectives = Json::array();
  for (const CollectiveSummary& collective : summary.collectives) {
    collectives.push_back({{"op", collective.op},
                           {"count", collective.count},
                           {"total_ns", floored_ns(collective.total)}});
  }
  return collectives;
}

Json kernels_json(const Summary& summary) {
  Json kernels = Json::array();
  for (const KernelNameSummary& kernel : summary.top_kernels) {
    kernels.push_back({{"name", kernel.name},
                       {"count", kernel.count},
                       {"total_ns", floored_ns(kernel.total)},
                       {"min_ns", floor_ns(kernel.min)},
                       {"max_ns", floor_ns(kernel.max)}});
  }
  return kernels;
}

Json device_json(const DeviceSummary& device) {
  Json streams = Json::array();
  for (const StreamSummary& stream : device.streams) {
    streams.push_back(
        {{"id", stream.id}, {"kernels", stream.kernels}, {"busy_ns", floored_ns(stream.busy)}});
  }
  return {{"id", device.id},
          {"name", device.name},
          {"kernels", device.kernels},
          {"busy_ns", floored_ns(device.busy)},
          {"kernel_busy_ns", floored_ns(device.kernel_busy)},
          {"compute_busy_ns", floored_ns(device.compute_busy)},
          {"communication_busy_ns", floored_ns(device.communication_busy)},
          {"streams", std::move(streams)}};
}

Json sources_json(const std::vector<SourcePart>& parts) {
  Json sources = Json::array();
  for (const SourcePart& part : parts) {
    sources.push_back({{"use", name_of(part.use)},
                       {"name", part.name},
                       {"records", part.records},
                       {"note", part.note}});
  }
  return sources;
}

Json ranks_json(const Summary& summary) {
  Json ranks = Json::array();
  for (const RankSummary& rank : summary.ranks) {
    Json devices = Json::array();
    for (const DeviceSummary& device : rank.devices) devices.push_back(device_json(device));
    Json entry = Json::object();
    entry["rank"] = rank.number ? Json(*rank.number) : Json(nullptr);
    entry["rank_from"] = name_of(rank.number_from);
    entry["input"] = rank.source;
    entry["format"] = rank.format;
    entry["sources"] = sources_json(rank.parts);
    entry["devices"] = std::move(devices);
    ranks.push_back(std::move(entry));
  }
  return ranks;
}

Json diagnostic_json(const Diagnostic& diagnostic, bool name_input) {
  Json entry = {{"kind", diagnostic.kind->name},
                {"severity", name_of(diagnostic.kind->severity)},
                {"count", diagnostic.count}};
  if (diagnostic.first.unit == Place::Unit::kByte) entry["first_byte"] = diagnostic.first.at;
  if (diagnostic.first.unit == Place::Unit::kRow) entry["first_row"] = diagnostic.first.at;
  entry["text"] = diagnostic.text();
  if (name_input) entry["input"] = diagnostic.source;
  return entry;
}

Json diagnostics_json(const Summary& summary, bool name_input) {
  Json diagnostics = Json::array();
  for (const Diagnostic& diagnostic : summary.diagnostics.entries()) {
    diagnostics.push_back(diagnostic_json(diagnostic, name_input));
  }
  return diagnostics;
}

void add_inputs(std::span<const InputFacts> inputs, Json& document) {
  document["inputs"] = Json::array();
  for (const InputFacts& input : inputs) document["inputs"].push_back(input.path);
  document["format"] = common_format(inputs);
  document["compression"] = common_compression(inputs);
  document["size_bytes"] = total_size(inputs);
  document["inflated_bytes"] = total_inflated(inputs);
}

}  // namespace

std::string info_json(const Summary& summary, std::span<const InputFacts> inputs) {
  Json document = Json::object();
  document["schema"] = "lockstep.info/1";
  add_inputs(inputs, document);
  document["origin_ns"] = origin_json(summary);
  document["clock"] = name_of(summary.clock);
  document["events"] = summary.events;
  document["by_kind"] = kinds_json(summary);
  document["kernels"] = summary.kernels;
  document["host_events"] = summary.host_events;
  document["flows"] = summary.flows;
  document["host_threads"] = summary.host_threads;
  document["span_ns"] = floored_ns(summary.span);
  document["device_span_ns"] = floored_ns(summary.device_span);
  document["device_busy_ns"] = floored_ns(summary.device_busy);
  document["steps"] = steps_json(summary);
  document["annotations"] = annotations_json(summary);
  document["collectives"] = collectives_json(summary);
  document["top_kernels"] = kernels_json(summary);
  document["ranks"] = ranks_json(summary);
  document["diagnostics"] = diagnostics_json(summary, inputs.size() > 1);
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lockstep
