// Keys in the order of the contract; the same summary gives the same bytes.
#include "report/info/info_json.h"

#include <nlohmann/json.hpp>

#include "analysis/kernels/role.h"
#include "base/text.h"
#include "report/layout/input_words.h"
#include "report/layout/quantities.h"
#include "report/sinks/json_text.h"

namespace lockstep::report::info {
namespace {

using Json = nlohmann::ordered_json;

Json origin_json(const analysis::summary::Summary& summary) {
  const bool is_absolute = summary.clock == Clock::kEpoch || summary.clock == Clock::kBoot;
  if (!is_absolute || !summary.origin_ns) return nullptr;
  return std::to_string(*summary.origin_ns);
}

Json kinds_json(const analysis::summary::Summary& summary) {
  Json kinds = Json::object();
  for (std::size_t i = 0; i < trace::kKindCount; ++i) {
    if (summary.by_kind[i] > 0) {
      kinds[std::string(name_of(static_cast<trace::Kind>(i)))] = summary.by_kind[i];
    }
  }
  return kinds;
}

void write_steps(const analysis::summary::Summary& summary, sinks::JsonText& text) {
  text.begin_array("steps");
  for (const analysis::summary::StepSummary& step : summary.steps) {
    const auto& window = step.work.window;
    text.element({{"name", step.name},
                  {"start_ns", floor_ns(step.start)},
                  {"end_ns", floor_ns(step.end)},
                  {"kernels", step.work.kernels},
                  {"device_start_ns", window ? Json(floor_ns(window->start)) : Json()},
                  {"device_end_ns", window ? Json(floor_ns(window->end)) : Json()}});
  }
  text.end_array();
}

void write_annotations(const analysis::summary::Summary& summary, sinks::JsonText& text) {
  text.begin_array("annotations");
  for (const analysis::summary::AnnotationSummary& annotation : summary.annotations) {
    text.element({{"name", annotation.name}, {"count", annotation.count}});
  }
  text.end_array();
}

Json collectives_json(const analysis::summary::Summary& summary) {
  Json collectives = Json::array();
  for (const analysis::summary::CollectiveSummary& collective : summary.collectives) {
    collectives.push_back({{"op", collective.op},
                           {"count", collective.count},
                           {"total_ns", layout::floored_ns(collective.total)}});
  }
  return collectives;
}

void write_kernels(const analysis::summary::Summary& summary, sinks::JsonText& text) {
  text.begin_array("top_kernels");
  for (const analysis::summary::KernelNameSummary& kernel : summary.top_kernels) {
    const analysis::kernels::KernelFacts facts = analysis::kernels::kernel_facts(kernel.name);
    text.element({{"name", kernel.name},
                  {"role", analysis::kernels::name_of(facts.role)},
                  {"count", kernel.count},
                  {"total_ns", layout::floored_ns(kernel.total)},
                  {"min_ns", floor_ns(kernel.min)},
                  {"max_ns", floor_ns(kernel.max)}});
  }
  text.end_array();
}

void write_device(const analysis::summary::DeviceSummary& device, sinks::JsonText& text) {
  text.begin_object();
  text.member("id", device.id);
  text.member("name", device.name);
  text.member("kernels", device.kernels);
  text.member("busy_ns", layout::floored_ns(device.busy));
  text.member("kernel_busy_ns", layout::floored_ns(device.kernel_busy));
  text.member("compute_busy_ns", layout::floored_ns(device.compute_busy));
  text.member("communication_busy_ns", layout::floored_ns(device.communication_busy));
  text.begin_array("streams");
  for (const analysis::summary::StreamSummary& stream : device.streams) {
    text.element({{"id", stream.id},
                  {"kernels", stream.kernels},
                  {"busy_ns", layout::floored_ns(stream.busy)}});
  }
  text.end_array();
  text.end_object();
}

Json sources_json(const std::vector<trace::SourcePart>& parts) {
  Json sources = Json::array();
  for (const trace::SourcePart& part : parts) {
    sources.push_back({{"use", name_of(part.use)},
                       {"name", part.name},
                       {"records", part.records},
                       {"note", part.note}});
  }
  return sources;
}

void write_ranks(const analysis::summary::Summary& summary, sinks::JsonText& text) {
  text.begin_array("ranks");
  for (const analysis::summary::RankSummary& rank : summary.ranks) {
    text.begin_object();
    text.member("rank", rank.number ? Json(*rank.number) : Json(nullptr));
    text.member("rank_from", name_of(rank.number_from));
    text.member("input", rank.source);
    text.member("format", rank.format);
    text.member("sources", sources_json(rank.parts));
    text.begin_array("devices");
    for (const analysis::summary::DeviceSummary& device : rank.devices) write_device(device, text);
    text.end_array();
    text.end_object();
  }
  text.end_array();
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

Json diagnostics_json(const analysis::summary::Summary& summary, bool name_input) {
  Json diagnostics = Json::array();
  for (const Diagnostic& diagnostic : summary.diagnostics.entries()) {
    diagnostics.push_back(diagnostic_json(diagnostic, name_input));
  }
  return diagnostics;
}

void write_inputs(std::span<const formats::input::InputFacts> inputs, sinks::JsonText& text) {
  text.begin_array("inputs");
  for (const formats::input::InputFacts& input : inputs) text.element(input.path);
  text.end_array();
  text.member("format", layout::common_format(inputs));
  text.member("compression", layout::common_compression(inputs));
  text.member("size_bytes", layout::total_size(inputs));
  text.member("inflated_bytes", layout::total_inflated(inputs));
}

void write_document(const analysis::summary::Summary& summary,
                    std::span<const formats::input::InputFacts> inputs, sinks::JsonText& text) {
  text.member("schema", "lockstep.info/2");
  write_inputs(inputs, text);
  text.member("origin_ns", origin_json(summary));
  text.member("clock", name_of(summary.clock));
  text.member("events", summary.events);
  text.member("by_kind", kinds_json(summary));
  text.member("kernels", summary.kernels);
  text.member("host_events", summary.host_events);
  text.member("flows", summary.flows);
  text.member("host_threads", summary.host_threads);
  text.member("span_ns", layout::floored_ns(summary.span));
  text.member("device_span_ns", layout::floored_ns(summary.device_span));
  text.member("device_busy_ns", layout::floored_ns(summary.device_busy));
  write_steps(summary, text);
  write_annotations(summary, text);
  text.member("collectives", collectives_json(summary));
  write_kernels(summary, text);
  write_ranks(summary, text);
  text.member("diagnostics", diagnostics_json(summary, inputs.size() > 1));
}

}  // namespace

std::string info_json(const analysis::summary::Summary& summary,
                      std::span<const formats::input::InputFacts> inputs) {
  sinks::JsonText text;
  write_document(summary, inputs, text);
  return text.finish();
}

Status write_info_json(const analysis::summary::Summary& summary,
                       std::span<const formats::input::InputFacts> inputs, io::ByteSink& sink) {
  sinks::JsonText text(sink);
  write_document(summary, inputs, text);
  return text.finish_in_sink();
}

}  // namespace lockstep::report::info
