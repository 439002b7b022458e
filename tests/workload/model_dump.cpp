// Prints the trace that lockstep reads from its arguments as one JSON document, for tests that
// compare it with a known truth.
#include <cstdio>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "formats/input/load.h"

namespace {

using Json = nlohmann::ordered_json;
using namespace lockstep;  // NOLINT: a program of one file

std::string_view name_of_shape(trace::Shape shape) {
  return shape == trace::Shape::kSpan      ? "span"
         : shape == trace::Shape::kInstant ? "instant"
                                           : "counter";
}

Json argument_json(const trace::Trace& trace, const trace::Argument& argument) {
  switch (argument.type) {
    case trace::Argument::Type::kInteger:
      return argument.as_integer();
    case trace::Argument::Type::kReal:
      return argument.as_real();
    case trace::Argument::Type::kBoolean:
      return argument.as_boolean();
    case trace::Argument::Type::kString:
      return trace.text(argument.as_string());
    case trace::Argument::Type::kJson:
      return Json::parse(trace.text(argument.as_string()), nullptr, false);
  }
  return nullptr;
}

// Absolute picoseconds since 1970 pass 64 bits: as a number of many digits.
Json absolute(const trace::Rank& rank, Time time) {
  const WideTime ps = WideTime{rank.origin.ns} * kPicosecondsPerNanosecond + time.ps;
  return "@" + format_decimal(ps, 0, 0) + "@";
}

Json event_json(const trace::Trace& trace, std::size_t i) {
  const trace::Track& track = trace.track_of(i);
  const trace::Rank& rank = trace.ranks[trace::index_of(trace.rank_of(track))];
  Json arguments = Json::object();
  for (const trace::Argument& argument :
       trace.arguments.of(trace::EventId{static_cast<std::uint32_t>(i)})) {
    arguments[std::string(trace.text(argument.key))] = argument_json(trace, argument);
  }
  const bool on_device = trace.on_device(i);
  return {{"rank", trace::index_of(trace.rank_of(track))},
          {"process", trace.text(trace.processes[trace::index_of(track.process)].id.text)},
          {"device",
           on_device ? Json(trace.text(trace.devices[trace::index_of(track.device)].id)) : nullptr},
          {"lane", trace.text(track.id.text)},
          {"name", trace.text(trace.events.name[i])},
          {"kind", name_of(trace.events.kind[i])},
          {"shape", name_of_shape(trace.events.shape[i])},
          {"start_ps", absolute(rank, trace.events.start[i])},
          {"duration_ps", trace.events.duration[i].ps},
          {"correlation", trace.events.correlation[i]},
          {"arguments", std::move(arguments)}};
}

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json time_or_null(const std::optional<Time>& time) { return time ? Json(time->ps) : Json(nullptr); }

Json rank_json(const trace::Rank& rank) {
  Json parts = Json::array();
  for (const trace::SourcePart& part : rank.parts) {
    parts.push_back({{"use", name_of(part.use)},
                     {"name", part.name},
                     {"records", part.records},
                     {"note", part.note}});
  }
  return {{"number", or_null(rank.number)},
          {"number_from", name_of(rank.number_from)},
          {"format", rank.format},
          {"clock", name_of(rank.origin.clock)},
          {"parts", std::move(parts)}};
}

Json collective_json(const trace::Trace& trace, const trace::Collective& collective) {
  return {{"event", trace::index_of(collective.event)},
          {"op", trace.text(collective.op)},
          {"group", trace.text(collective.group)},
          {"dtype", trace.text(collective.dtype)},
          {"sequence", or_null(collective.sequence)},
          {"elements_in", or_null(collective.elements_in)},
          {"bytes", or_null(collective.bytes)},
          {"transit_ps", time_or_null(collective.transit)},
          {"wait_ps", time_or_null(collective.wait)},
          {"idle_ps", time_or_null(collective.idle)}};
}

Json trace_json(const trace::Trace& trace) {
  Json document = {{"ranks", Json::array()},       {"devices", Json::array()},
                   {"events", Json::array()},      {"flows", Json::array()},
                   {"steps", Json::array()},       {"collectives", Json::array()},
                   {"diagnostics", Json::object()}};
  for (const trace::Rank& rank : trace.ranks) document["ranks"].push_back(rank_json(rank));
  for (const trace::Device& device : trace.devices) {
    document["devices"].push_back(
        {{"id", trace.text(device.id)}, {"name", trace.text(device.name)}});
  }
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    document["events"].push_back(event_json(trace, i));
  }
  for (const trace::Flow& flow : trace.flows) {
    document["flows"].push_back(
        {{"from", trace::index_of(flow.from)},
         {"to", trace::index_of(flow.to)},
         {"kind", flow.kind == trace::Flow::Kind::kLaunch ? "launch" : "other"}});
  }
  for (const trace::Step& step : trace.steps) {
    const trace::Rank& rank = trace.ranks[trace::index_of(step.rank)];
    document["steps"].push_back({{"name", trace.text(step.name)},
                                 {"start_ps", absolute(rank, step.start)},
                                 {"end_ps", absolute(rank, step.end)}});
  }
  for (const trace::Collective& collective : trace.collectives) {
    document["collectives"].push_back(collective_json(trace, collective));
  }
  for (const Diagnostic& diagnostic : trace.diagnostics.entries()) {
    document["diagnostics"][std::string(diagnostic.kind->name)] = diagnostic.count;
  }
  return document;
}

// "@123@" -> 123: numbers that no JSON library holds and Python reads.
std::string unmarked(std::string text) {
  std::size_t to = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool opens = text.compare(i, 2, "\"@") == 0;
    const bool closes = text.compare(i, 2, "@\"") == 0;
    if (opens || closes) {
      ++i;
      continue;
    }
    text[to++] = text[i];
  }
  text.resize(to);
  return text;
}

}  // namespace

int main(int count, char** words) {
  lockstep::formats::input::LoadOptions options;
  options.keep_arguments = trace::KeepArguments::kAll;
  const auto loaded = load(std::vector<std::string>(words + 1, words + count), options);
  if (!loaded.ok()) {
    std::fprintf(stderr, "%s\n", loaded.error().text().c_str());
    return 3;
  }
  const Json document = trace_json(loaded.value().trace);
  std::puts(unmarked(document.dump(-1, ' ', false, Json::error_handler_t::replace)).c_str());
  return 0;
}
