// XSpaces made by hand, and traces as text, for tests.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <protozero/pbf_writer.hpp>

#include "formats/xspace/xspace_reader.h"
#include "io/byte_source.h"
#include "trace/trace.h"

namespace lockstep::formats::xspace {

// Field numbers are written out here, apart from those of the code under test.
using Parts = std::initializer_list<std::string>;

[[nodiscard]] inline std::string field(std::uint32_t number, const std::string& message) {
  std::string out;
  protozero::pbf_writer(out).add_message(number, message);
  return out;
}
[[nodiscard]] inline std::string number_field(std::uint32_t number, std::int64_t value) {
  std::string out;
  protozero::pbf_writer(out).add_int64(number, value);
  return out;
}
[[nodiscard]] inline std::string joined(Parts parts) {
  std::string out;
  for (const std::string& part : parts) out += part;
  return out;
}

[[nodiscard]] inline std::string unsigned_stat(std::int64_t id, std::uint64_t value) {
  std::string out = number_field(1, id);
  protozero::pbf_writer(out).add_uint64(3, value);
  return out;
}
[[nodiscard]] inline std::string signed_stat(std::int64_t id, std::int64_t value) {
  return number_field(1, id) + number_field(4, value);
}
[[nodiscard]] inline std::string real_stat(std::int64_t id, double value) {
  std::string out = number_field(1, id);
  protozero::pbf_writer(out).add_double(2, value);
  return out;
}
[[nodiscard]] inline std::string text_stat(std::int64_t id, std::string_view text) {
  return number_field(1, id) + field(5, std::string(text));
}
[[nodiscard]] inline std::string reference_stat(std::int64_t id, std::int64_t to) {
  return number_field(1, id) + number_field(7, to);
}

[[nodiscard]] inline std::string event(std::int64_t metadata, std::int64_t offset_ps,
                                       std::int64_t duration_ps, Parts stats = {}) {
  std::string out =
      number_field(1, metadata) + number_field(2, offset_ps) + number_field(3, duration_ps);
  for (const std::string& stat : stats) out += field(4, stat);
  return field(4, out);
}
[[nodiscard]] inline std::string aggregate(std::int64_t metadata, std::int64_t occurrences,
                                           std::int64_t duration_ps) {
  return field(
      4, number_field(1, metadata) + number_field(5, occurrences) + number_field(3, duration_ps));
}
[[nodiscard]] inline std::string line(std::int64_t id, std::string_view name,
                                      std::int64_t timestamp_ns, Parts events) {
  return field(3, number_field(1, id) + field(2, std::string(name)) +
                      number_field(3, timestamp_ns) + joined(events));
}
[[nodiscard]] inline std::string event_name(std::int64_t id, std::string_view name,
                                            std::string_view display_name = {}, Parts stats = {}) {
  std::string value = number_field(1, id) + field(2, std::string(name));
  if (!display_name.empty()) value += field(4, std::string(display_name));
  for (const std::string& stat : stats) value += field(5, stat);
  return field(4, number_field(1, id) + field(2, value));
}
[[nodiscard]] inline std::string stat_name(std::int64_t id, std::string_view name) {
  return field(5,
               number_field(1, id) + field(2, number_field(1, id) + field(2, std::string(name))));
}
[[nodiscard]] inline std::string plane_stat(const std::string& stat) { return field(6, stat); }
[[nodiscard]] inline std::string plane(std::string_view name, Parts parts) {
  return field(1, field(2, std::string(name)) + joined(parts));
}

inline constexpr std::uint64_t kStartNs = 1'763'193'600'123'456'789;
[[nodiscard]] inline std::string environment(std::uint64_t start_ns = kStartNs) {
  return plane("Task Environment",
               {stat_name(1, "profile_start_time"), plane_stat(unsigned_stat(1, start_ns))});
}

struct Reading {
  trace::Trace trace;
  Status status;

  [[nodiscard]] std::uint64_t count_of(std::string_view diagnostic) const {
    for (const Diagnostic& entry : trace.diagnostics.entries()) {
      if (entry.kind->name == diagnostic) return entry.count;
    }
    return 0;
  }
};

[[nodiscard]] inline Reading read_space(const std::string& bytes, bool keep_arguments = true,
                                        std::size_t chunk_bytes = 256 * 1024) {
  Reading out;
  io::MemorySource source{bytes};
  shared::ReadOptions options;
  options.keep_arguments =
      keep_arguments ? trace::KeepArguments::kAll : trace::KeepArguments::kNone;
  options.chunk_bytes = chunk_bytes;
  out.status = xspace_format().read(source, "test.xplane.pb", options, out.trace);
  return out;
}

[[nodiscard]] inline std::string argument_text(const trace::Trace& trace,
                                               const trace::Argument& argument) {
  std::string out(trace.text(argument.key));
  switch (argument.type) {
    case trace::Argument::Type::kInteger:
      return out + "=" + std::to_string(argument.as_integer());
    case trace::Argument::Type::kReal:
      return out + "=r" + std::to_string(argument.as_real());
    case trace::Argument::Type::kBoolean:
      return out + (argument.as_boolean() ? "=true" : "=false");
    case trace::Argument::Type::kString:
      return out.append("='").append(trace.text(argument.as_string())).append("'");
    case trace::Argument::Type::kJson:
      return out.append("=").append(trace.text(argument.as_string()));
  }
  return out;
}

// "kernel 0/14 gemm 1000+250": kind, process and lane, name, start and duration in ps.
[[nodiscard]] inline std::string brief(const trace::Trace& trace, std::size_t row) {
  const trace::EventTable& events = trace.events;
  const trace::Track& track = trace.track_of(row);
  const trace::Process& process = trace.processes[trace::index_of(track.process)];
  std::string out(name_of(events.kind[row]));
  out.append(track.side == trace::Track::Side::kDevice ? " device " : " host ");
  out.append(trace.text(process.id.text)).append("/").append(trace.text(track.id.text));
  out.append(" ").append(trace.text(events.name[row]));
  out.append(" ").append(std::to_string(events.start[row].ps));
  if (events.shape[row] == trace::Shape::kSpan) {
    out.append("+").append(std::to_string(events.duration[row].ps));
  }
  if (events.shape[row] == trace::Shape::kCounter) out.append("=");
  return out;
}
[[nodiscard]] inline std::vector<std::string> brief(const trace::Trace& trace) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < trace.events.size(); ++i) out.push_back(brief(trace, i));
  return out;
}
[[nodiscard]] inline std::vector<std::string> arguments_of(const trace::Trace& trace,
                                                           std::size_t row) {
  std::vector<std::string> out;
  for (const trace::Argument& argument :
       trace.arguments.of(trace::EventId{static_cast<std::uint32_t>(row)})) {
    out.push_back(argument_text(trace, argument));
  }
  return out;
}

// Everything that a model holds, in an order that does not depend on that of the rows.
[[nodiscard]] inline std::vector<std::string> all_of(const trace::Trace& trace) {
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const trace::Track& track = trace.track_of(i);
    const trace::Process& process = trace.processes[trace::index_of(track.process)];
    std::string row = brief(trace, i);
    row.append(" rank ").append(std::to_string(trace::index_of(process.rank)));
    row.append(" ").append(trace.text(trace.events.category[i]));
    row.append(" ").append(std::to_string(trace.events.correlation[i]));
    row.append(" ").append(trace.text(track.name)).append(" ").append(trace.text(process.name));
    row.append(" ").append(trace.text(process.labels));
    if (track.device != trace::kNoDevice) {
      row.append(" device ").append(trace.text(trace.devices[trace::index_of(track.device)].id));
    }
    for (const std::string& argument : arguments_of(trace, i)) row.append(" ").append(argument);
    rows.push_back(std::move(row));
  }
  std::vector<std::string> out = rows;
  for (const trace::Flow& flow : trace.flows) {
    out.push_back("flow " + std::to_string(static_cast<int>(flow.kind)) + " " +
                  std::string(trace.text(flow.name)) + " " + rows[trace::index_of(flow.from)] +
                  " -> " + rows[trace::index_of(flow.to)]);
  }
  for (const trace::Step& step : trace.steps) {
    out.push_back("step " + std::string(trace.text(step.name)) + " rank " +
                  std::to_string(trace::index_of(step.rank)) + " " + std::to_string(step.start.ps) +
                  ".." + std::to_string(step.end.ps));
  }
  const auto optional = [](const auto& value) { return value ? std::to_string(*value) : "none"; };
  for (const trace::Collective& c : trace.collectives) {
    out.push_back("collective " + std::string(trace.text(c.op)) + " " +
                  std::string(trace.text(c.group)) + " " + std::string(trace.text(c.dtype)) + " " +
                  optional(c.sequence) + " " + optional(c.elements_in) + " " +
                  optional(c.elements_out) + " " + optional(c.bytes) + " " +
                  rows[trace::index_of(c.event)]);
  }
  for (const trace::Device& device : trace.devices) {
    out.push_back("device " + std::string(trace.text(device.id)) + " " +
                  std::string(trace.text(device.name)) + " rank " +
                  std::to_string(trace::index_of(device.rank)));
  }
  for (const trace::Rank& rank : trace.ranks) {
    std::string text = "rank " + optional(rank.number) + " " + std::to_string(rank.origin.ns) +
                       " " + std::string(name_of(rank.origin.clock));
    for (const trace::Metadata& entry : rank.metadata) text += " " + entry.key + "=" + entry.json;
    out.push_back(std::move(text));
  }
  std::ranges::sort(out);
  return out;
}

// A small trace of a profiler: one GPU with a stream and a derived line, two host threads, a step.
[[nodiscard]] inline std::string sample_space() {
  return plane("/host:CPU", {line(7, "python3", 1'000,
                                  {event(1, 0, 9'000'000, {signed_stat(2, 3)}),
                                   event(2, 1'000'000, 500'000, {unsigned_stat(1, 11)}),
                                   event(3, 2'000'000, 100'000), event(4, 3'000'000, 1'000)}),
                             event_name(1, "train"), event_name(2, "cuLaunchKernel"),
                             event_name(3, "$core.py:12 bind"), event_name(4, "BUFFER_FLUSH"),
                             stat_name(1, "correlation_id"), stat_name(2, "step_num"),
                             plane_stat(signed_stat(3, 508)), stat_name(3, "process_id")}) +
         plane("/device:GPU:0",
               {line(14, "Stream #14(Compute,MemcpyH2D)", 2'000,
                     {event(1, 4'000'123, 2'000'001, {unsigned_stat(1, 11), reference_stat(2, 3)}),
                      event(2, 7'000'000, 1'000'000, {text_stat(4, "size:4096 dest:0 async:1")})}),
                line(-559'038'737, "XLA Ops", 2'000, {event(3, 4'000'123, 2'000'001)}),
                event_name(1, "gemm"), event_name(2, "MemcpyH2D"), event_name(3, "fusion.1"),
                stat_name(1, "correlation_id"), stat_name(2, "kernel_details"),
                stat_name(3, "regs:32 static_shared:0 dynamic_shared:512 grid:4,2,1 block:64,1,1"),
                stat_name(4, "memcpy_details"), stat_name(5, "gpu_device_name"),
                plane_stat(text_stat(5, "Test GPU"))}) +
         environment() + field(4, "host-a");
}

}  // namespace lockstep::formats::xspace
