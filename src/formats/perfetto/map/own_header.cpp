// The header as JSON, written and read.
#include "formats/perfetto/map/own_header.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <new>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_quote.h"
#include "formats/perfetto/write/string_interner.h"

namespace lockstep::formats::perfetto {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;
// All times around an origin must be whole nanoseconds of 64 bits too.
constexpr std::int64_t kMaxOriginNs =
    std::numeric_limits<std::int64_t>::max() - kMaxDistanceFromOriginPs / kPicosecondsPerNanosecond;
constexpr std::array kClocks = {Clock::kEpoch, Clock::kBoot, Clock::kSession, Clock::kUnknown};
constexpr std::array kEvidence = {trace::RankEvidence::kNone, trace::RankEvidence::kMetadata,
                                  trace::RankEvidence::kName};

std::string clean(std::string_view text) {
  std::string scratch;
  return std::string(as_utf8(text, scratch));
}

// What is written is put together as text: destroying a nlohmann::json needs memory, and ends the
// program where there is none.
std::string clean_json(std::string_view text) { return quoted_json(clean(text)); }

std::string optional_json(const std::optional<std::int64_t>& value) {
  return value ? std::to_string(*value) : "null";
}

// Onto the end: a trace may be nothing but processes, and their text is there once.
template <typename Items, typename Describe>
void append_list(std::string& out, const Items& items, Describe describe) {
  char before = '[';
  for (const auto& item : items) {
    out += before;
    out += describe(item);
    before = ',';
  }
  if (before == '[') out += before;
  out += ']';
}

// A double is no integer, and a cast of a large one is undefined.
template <typename Number>
Number integer_in(const Json& json) {
  if (!json.is_number_integer()) throw std::runtime_error("no integer");
  const auto fitting = [](auto value) {
    if (!std::in_range<Number>(value)) throw std::runtime_error("integer out of range");
    return static_cast<Number>(value);
  };
  return json.is_number_unsigned() ? fitting(json.get<std::uint64_t>())
                                   : fitting(json.get<std::int64_t>());
}

std::optional<std::int64_t> optional_number(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return integer_in<std::int64_t>(json);
}

std::string rank_json(const trace::Rank& rank, std::uint64_t zero) {
  const auto describe = [](const trace::Metadata& entry) {
    return fmt::format("[{},{}]", clean_json(entry.key), clean_json(entry.json));
  };
  std::string out =
      fmt::format(R"({{"number":{},"number_from":"{}","format":{},"clock":"{}","origin_ns":"{}",)"
                  R"("timestamp_of_origin":"{}","metadata":)",
                  optional_json(rank.number), name_of(rank.number_from), clean_json(rank.format),
                  name_of(rank.origin.clock), rank.origin.ns, zero);
  append_list(out, rank.metadata, describe);
  return out + "}";
}

std::string process_json(const trace::Trace& trace, const trace::Process& process) {
  return fmt::format(
      R"({{"rank":{},"id":{},"id_is_number":{},"name":{},"labels":{},"sort_index":{}}})",
      index_of(process.rank), clean_json(trace.text(process.id.text)), process.id.is_number,
      clean_json(trace.text(process.name)), clean_json(trace.text(process.labels)),
      optional_json(process.sort_index));
}

std::string track_json(const trace::Trace& trace, const trace::Track& track) {
  const bool has_device =
      track.side == trace::Track::Side::kDevice && index_of(track.device) < trace.devices.size();
  return fmt::format(R"({{"process":{},"id":{},"id_is_number":{},"name":{},"sort_index":{}{}}})",
                     index_of(track.process), clean_json(trace.text(track.id.text)),
                     track.id.is_number, clean_json(trace.text(track.name)),
                     optional_json(track.sort_index),
                     has_device ? fmt::format(R"(,"device":{})", index_of(track.device)) : "");
}

std::string step_json(const trace::Trace& trace, const trace::Step& step) {
  return fmt::format(R"({{"rank":{},"name":{},"start_ps":"{}","end_ps":"{}"}})",
                     index_of(step.rank), clean_json(trace.text(step.name)), step.start.ps,
                     step.end.ps);
}

// 64-bit numbers travel as text, because readers of JSON round them.
template <typename Number>
Number number_in(const Json& json) {
  const auto& text = json.get_ref<const std::string&>();
  Number value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size()) {
    throw std::runtime_error("no number");
  }
  return value;
}

template <typename Values>
typename Values::value_type value_named(const Values& values, const Json& json) {
  const auto& text = json.get_ref<const std::string&>();
  const auto found = std::ranges::find_if(values, [&](auto v) { return name_of(v) == text; });
  if (found == values.end()) throw std::runtime_error("unknown word");
  return *found;
}

std::uint32_t index_in(const Json& json, std::size_t size) {
  const auto index = integer_in<std::uint64_t>(json);
  if (index >= size) throw std::runtime_error("index out of range");
  return static_cast<std::uint32_t>(index);
}

// Everything of a header, before it becomes part of the trace.
class HeaderReader {
 public:
  HeaderReader(trace::Trace& trace, const std::string& source) : trace_(trace), source_(source) {
    header_.first_rank = trace.ranks.size();
    header_.first_track = trace.tracks.size();
  }

  OwnHeader read(const Json& json) {
    if (integer_in<std::int64_t>(json.at("lockstep")) != kVersion)
      throw std::runtime_error("other version");
    header_.events = integer_in<std::uint64_t>(json.at("events"));
    for (const Json& rank : json.at("ranks")) read_rank(rank);
    if (ranks_.empty()) throw std::runtime_error("no rank");
    for (const Json& process : json.at("processes")) read_process(process);
    for (const Json& device : json.at("devices")) read_device(device);
    for (const Json& track : json.at("tracks")) read_track(track);
    for (const Json& step : json.at("steps")) read_step(step);
    for (const Json& name : json.at("flow_names")) header_.flow_names.push_back(intern(name));
    const auto append = [](auto& to, auto& from) {
      to.insert(to.end(), std::make_move_iterator(from.begin()),
                std::make_move_iterator(from.end()));
    };
    append(trace_.ranks, ranks_);
    append(trace_.processes, processes_);
    append(trace_.devices, devices_);
    append(trace_.tracks, tracks_);
    append(trace_.steps, steps_);
    return std::move(header_);
  }

 private:
  StringId intern(const Json& json) {
    return trace_.strings.intern(json.get_ref<const std::string&>());
  }

  void read_rank(const Json& json) {
    trace::Rank rank;
    rank.number = optional_number(json.at("number"));
    rank.number_from = value_named(kEvidence, json.at("number_from"));
    rank.source = source_;
    rank.format = "perfetto";
    rank.origin = {number_in<std::int64_t>(json.at("origin_ns")),
                   value_named(kClocks, json.at("clock"))};
    if (rank.origin.ns > kMaxOriginNs || rank.origin.ns < -kMaxOriginNs) {
      throw std::runtime_error("origin out of range");
    }
    for (const Json& entry : json.at("metadata")) {
      rank.metadata.push_back({entry.at(0).get<std::string>(), entry.at(1).get<std::string>()});
    }
    header_.ranks.push_back({number_in<std::uint64_t>(json.at("timestamp_of_origin"))});
    if (ranks_.empty()) header_.format = json.at("format").get<std::string>();
    ranks_.push_back(std::move(rank));
  }

  trace::RankId rank_at(const Json& json) {
    const std::uint32_t index = index_in(json.at("rank"), ranks_.size());
    return trace::RankId{static_cast<std::uint32_t>(header_.first_rank + index)};
  }

  void read_process(const Json& json) {
    trace::Process process;
    process.rank = rank_at(json);
    process.id = {intern(json.at("id")), json.at("id_is_number").get<bool>()};
    process.name = intern(json.at("name"));
    process.labels = intern(json.at("labels"));
    process.sort_index = optional_number(json.at("sort_index"));
    processes_.push_back(process);
  }

  void read_device(const Json& json) {
    devices_.push_back({rank_at(json), intern(json.at("id")), intern(json.at("name"))});
  }

  void read_track(const Json& json) {
    trace::Track track;
    const std::uint32_t process = index_in(json.at("process"), processes_.size());
    track.process = trace::ProcessId{static_cast<std::uint32_t>(trace_.processes.size() + process)};
    const trace::RankId rank = processes_[process].rank;
    if (const auto device = json.find("device"); device != json.end()) {
      const std::uint32_t index = index_in(*device, devices_.size());
      if (devices_[index].rank != rank) throw std::runtime_error("device of another rank");
      track.side = trace::Track::Side::kDevice;
      track.device = trace::DeviceId{static_cast<std::uint32_t>(trace_.devices.size() + index)};
    }
    track.id = {intern(json.at("id")), json.at("id_is_number").get<bool>()};
    track.name = intern(json.at("name"));
    track.sort_index = optional_number(json.at("sort_index"));
    tracks_.push_back(track);
    header_.rank_of_track.push_back(
        static_cast<std::uint32_t>(index_of(rank) - header_.first_rank));
  }

  void read_step(const Json& json) {
    trace::Step step;
    step.rank = rank_at(json);
    step.name = intern(json.at("name"));
    step.start = Time{number_in<std::int64_t>(json.at("start_ps"))};
    step.end = Time{number_in<std::int64_t>(json.at("end_ps"))};
    const bool is_near = step.start.ps >= -kMaxDistanceFromOriginPs && step.start <= step.end &&
                         step.end.ps <= kMaxDistanceFromOriginPs &&
                         narrow(WideTime{step.end.ps} - step.start.ps, 0);
    if (is_near) steps_.push_back(step);
  }

  trace::Trace& trace_;
  const std::string& source_;
  OwnHeader header_;
  std::vector<trace::Rank> ranks_;
  std::vector<trace::Process> processes_;
  std::vector<trace::Device> devices_;
  std::vector<trace::Track> tracks_;
  std::vector<trace::Step> steps_;
};

}  // namespace

std::vector<StringId> names_of_flows(const trace::Trace& trace) {
  std::vector<StringId> names = {kEmptyString};
  std::unordered_set<StringId> known = {kEmptyString};
  for (const trace::Flow& flow : trace.flows) {
    if (known.insert(flow.name).second) names.push_back(flow.name);
  }
  return names;
}

std::string header_text(const trace::Trace& trace, const TimeScale& times,
                        const std::vector<StringId>& flow_names) {
  std::uint32_t ranks = 0;
  const auto of_rank = [&](const trace::Rank& rank) {
    return rank_json(rank, times.timestamp(trace::RankId{ranks++}, 0));
  };
  const auto of_process = [&](const trace::Process& process) {
    return process_json(trace, process);
  };
  const auto of_device = [&](const trace::Device& device) {
    return fmt::format(R"({{"rank":{},"id":{},"name":{}}})", index_of(device.rank),
                       clean_json(trace.text(device.id)), clean_json(trace.text(device.name)));
  };
  const auto of_track = [&](const trace::Track& track) { return track_json(trace, track); };
  const auto of_step = [&](const trace::Step& step) { return step_json(trace, step); };
  const auto of_name = [&](StringId name) { return clean_json(trace.text(name)); };
  std::string out =
      fmt::format(R"({{"lockstep":{},"events":{},"ranks":)", kVersion, trace.events.size());
  // Doubling would take three times the memory where a trace is nothing but processes.
  constexpr std::size_t kBytesOfAnEntry = 96;
  out.reserve(kBytesOfAnEntry * (trace.processes.size() + trace.tracks.size() +
                                 trace.devices.size() + trace.steps.size()));
  append_list(out, trace.ranks, of_rank);
  append_list(out += R"(,"processes":)", trace.processes, of_process);
  append_list(out += R"(,"devices":)", trace.devices, of_device);
  append_list(out += R"(,"tracks":)", trace.tracks, of_track);
  append_list(out += R"(,"steps":)", trace.steps, of_step);
  append_list(out += R"(,"flow_names":)", flow_names, of_name);
  return out + "}";
}

std::optional<OwnHeader> restore_header(std::string_view text, const std::string& source,
                                        trace::Trace& trace) {
  try {
    return HeaderReader(trace, source).read(Json::parse(text));
  } catch (const std::bad_alloc&) {
    throw;  // no fault of the header
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::string counter_text(std::string_view event, std::string_view key) {
  return fmt::format(R"({{"counter":{},"key":{}}})", clean_json(event), clean_json(key));
}

std::optional<CounterName> parse_counter_text(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    return CounterName{json.at("counter").get<std::string>(), json.at("key").get<std::string>()};
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace lockstep::formats::perfetto
