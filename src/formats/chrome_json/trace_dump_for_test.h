// A trace as text, for tests: all of it, so that two readings can be compared, or a line an event.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace lockstep::formats::chrome_json {

// "1.5" for 1500 picoseconds.
[[nodiscard]] inline std::string nanoseconds_text(Time time) {
  return format_decimal(time.ps, 3, 0);
}

[[nodiscard]] inline std::string lane_text(const trace::Trace& trace, const trace::Track& track) {
  const trace::Process& process = trace.processes[trace::index_of(track.process)];
  return std::string(track.side == trace::Track::Side::kDevice ? "device " : "host ") +
         std::string(trace.text(process.id.text)) + "/" + std::string(trace.text(track.id.text));
}

// "gemm kernel device 0/7 1000+250": name, kind, lane, start and duration in nanoseconds from the
// origin. Instants have no duration, counters end in "=".
[[nodiscard]] inline std::string brief(const trace::Trace& trace, std::size_t event) {
  const trace::EventTable& events = trace.events;
  std::string out(trace.text(events.name[event]));
  out.append(" ").append(name_of(events.kind[event]));
  out.append(" ").append(lane_text(trace, trace.track_of(event)));
  out.append(" ").append(nanoseconds_text(events.start[event]));
  if (events.shape[event] == trace::Shape::kSpan) {
    out.append("+").append(nanoseconds_text(events.duration[event]));
  }
  if (events.shape[event] == trace::Shape::kCounter) out.append("=");
  return out;
}

[[nodiscard]] inline std::vector<std::string> brief(const trace::Trace& trace) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < trace.events.size(); ++i) lines.push_back(brief(trace, i));
  return lines;
}

[[nodiscard]] inline std::vector<std::string> names_of_events(const trace::Trace& trace) {
  std::vector<std::string> names;
  for (const StringId name : trace.events.name) names.emplace_back(trace.text(name));
  return names;
}

// "launch a -> b", "fwdbwd a -> b".
[[nodiscard]] inline std::vector<std::string> flows_of(const trace::Trace& trace) {
  std::vector<std::string> lines;
  for (const trace::Flow& flow : trace.flows) {
    const std::string_view name = trace.text(flow.name);
    std::string line(flow.kind == trace::Flow::Kind::kLaunch ? "launch" : name);
    line.append(" ").append(trace.text(trace.events.name[trace::index_of(flow.from)]));
    line.append(" -> ").append(trace.text(trace.events.name[trace::index_of(flow.to)]));
    lines.push_back(std::move(line));
  }
  return lines;
}

// "ProfilerStep#1 0..2000".
[[nodiscard]] inline std::vector<std::string> steps_of(const trace::Trace& trace) {
  std::vector<std::string> lines;
  for (const trace::Step& step : trace.steps) {
    lines.push_back(std::string(trace.text(step.name)) + " " + nanoseconds_text(step.start) + ".." +
                    nanoseconds_text(step.end));
  }
  return lines;
}

// "damaged_event x2 @117": kind, count, first byte.
[[nodiscard]] inline std::vector<std::string> findings(const trace::Trace& trace) {
  std::vector<std::string> lines;
  for (const Diagnostic& entry : trace.diagnostics.entries()) {
    std::string line(entry.kind->name);
    line.append(" x").append(std::to_string(entry.count));
    if (entry.first.unit == Place::Unit::kByte) {
      line.append(" @").append(std::to_string(entry.first.at));
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

[[nodiscard]] inline std::string argument_text(const trace::Trace& trace,
                                               const trace::Argument& argument) {
  const std::string key = std::string(trace.text(argument.key)) + "=";
  switch (argument.type) {
    case trace::Argument::Type::kInteger:
      return key + std::to_string(argument.as_integer());
    case trace::Argument::Type::kReal:
      return key + "real " + std::to_string(argument.as_real());
    case trace::Argument::Type::kBoolean:
      return key + (argument.as_boolean() ? "true" : "false");
    case trace::Argument::Type::kString:
      return key + "'" + std::string(trace.text(argument.as_string())) + "'";
    case trace::Argument::Type::kJson:
      return key + "json " + std::string(trace.text(argument.as_string()));
  }
  return key;
}

[[nodiscard]] inline std::vector<std::string> arguments_of(const trace::Trace& trace,
                                                           std::size_t event) {
  std::vector<std::string> lines;
  for (const trace::Argument& argument :
       trace.arguments.of(trace::EventId{static_cast<std::uint32_t>(event)})) {
    lines.push_back(argument_text(trace, argument));
  }
  return lines;
}

namespace dump {

template <typename Number>
std::string optional_text(const std::optional<Number>& number) {
  return number ? std::to_string(*number) : "-";
}

inline void add_line(std::string& out, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) out.append(word).append(" | ");
  out.append("\n");
}

inline void add_ranks(std::string& out, const trace::Trace& trace) {
  for (const trace::Rank& rank : trace.ranks) {
    add_line(out, {"rank", optional_text(rank.number), rank.source, rank.format,
                   std::to_string(rank.origin.ns), name_of(rank.origin.clock)});
    for (const trace::Metadata& entry : rank.metadata)
      add_line(out, {"metadata", entry.key, entry.json});
  }
}

inline void add_lanes(std::string& out, const trace::Trace& trace) {
  for (const trace::Process& process : trace.processes) {
    add_line(out, {"process", trace.text(process.id.text), process.id.is_number ? "#" : "text",
                   trace.text(process.name), trace.text(process.labels),
                   optional_text(process.sort_index)});
  }
  for (const trace::Device& device : trace.devices) {
    add_line(out, {"device", trace.text(device.id), trace.text(device.name)});
  }
  for (const trace::Track& track : trace.tracks) {
    const bool has_device = track.device != trace::kNoDevice;
    add_line(out, {"track", lane_text(trace, track), track.id.is_number ? "#" : "text",
                   trace.text(track.name), optional_text(track.sort_index),
                   has_device ? trace.text(trace.devices[trace::index_of(track.device)].id) : "-"});
  }
}

inline void add_events(std::string& out, const trace::Trace& trace, bool with_arguments) {
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    add_line(out, {"event", brief(trace, i), trace.text(trace.events.category[i]),
                   std::to_string(trace.events.correlation[i])});
    if (!with_arguments) continue;
    for (const std::string& argument : arguments_of(trace, i)) add_line(out, {"arg", argument});
  }
}

inline void add_collectives(std::string& out, const trace::Trace& trace) {
  for (const trace::Collective& c : trace.collectives) {
    add_line(out,
             {"collective", trace.text(trace.events.name[trace::index_of(c.event)]),
              trace.text(c.op), trace.text(c.group), trace.text(c.dtype), optional_text(c.sequence),
              optional_text(c.elements_in), optional_text(c.elements_out)});
  }
}

}  // namespace dump

enum class DumpArguments { kNo, kYes };

[[nodiscard]] inline std::string describe(const trace::Trace& trace,
                                          DumpArguments arguments = DumpArguments::kYes) {
  std::string out;
  dump::add_ranks(out, trace);
  dump::add_lanes(out, trace);
  dump::add_events(out, trace, arguments == DumpArguments::kYes);
  for (const std::string& flow : flows_of(trace)) dump::add_line(out, {"flow", flow});
  for (const std::string& step : steps_of(trace)) dump::add_line(out, {"step", step});
  dump::add_collectives(out, trace);
  for (const Diagnostic& entry : trace.diagnostics.entries()) {
    dump::add_line(out, {"diagnostic", entry.kind->name, std::to_string(entry.count),
                         std::to_string(static_cast<int>(entry.first.unit)),
                         std::to_string(entry.first.at), entry.example});
  }
  return out;
}

}  // namespace lockstep::formats::chrome_json
