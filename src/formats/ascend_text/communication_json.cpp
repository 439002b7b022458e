// Reading of communication.json, number by number from its text.
#include "formats/ascend_text/communication_json.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <unordered_map>

#define SIMDJSON_EXCEPTIONS 0
#include <simdjson.h>

#include "base/text.h"
#include "formats/ascend/ascend_names.h"
#include "formats/ascend_text/defects.h"
#include "formats/shared/byte_order_mark.h"
#include "formats/shared/outside_strings.h"
#include "formats/shared/record_defects.h"
#include "formats/shared/simdjson_shortage.h"

namespace lockstep::formats::ascend_text {
namespace {

namespace ondemand = simdjson::ondemand;

constexpr int kMillisecondsToPicoseconds = 9;
constexpr int kMegabytesToBytes = 6;
constexpr std::string_view kSums = "Total Op Info";

std::optional<WideTime> decimal(ondemand::value value, int shift) {
  std::string_view text = value.raw_json_token();
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  if (text.size() > 1 && text.front() == '"' && text.back() == '"') {
    text = text.substr(1, text.size() - 2);
  }
  return parse_decimal(text, shift);
}

class CommunicationParser {
 public:
  explicit CommunicationParser(const std::string& json) : padded_(json) {
    if (padded_.data() == nullptr) throw std::bad_alloc();
  }

  CommunicationFile run() {
    ondemand::document document;
    ondemand::object steps;
    if (shared::iterate(parser_, document, padded_) != simdjson::SUCCESS ||
        document.get_object().get(steps) != simdjson::SUCCESS || !each(steps, &Self::take_step)) {
      file_.is_damaged = true;
    }
    return std::move(file_);
  }

 private:
  using Self = CommunicationParser;
  using Member = bool (Self::*)(std::string_view key, ondemand::value value);

  // Hands over every member; false when the text is damaged.
  [[nodiscard]] bool each(ondemand::object object, Member member) {
    for (auto entry : object) {
      ondemand::field field;
      std::string_view key;
      if (std::move(entry).get(field) != simdjson::SUCCESS ||
          field.unescaped_key().get(key) != simdjson::SUCCESS) {
        return false;
      }
      const std::string kept(key);  // the next string overwrites it
      if (!(this->*member)(kept, field.value())) return false;
    }
    return true;
  }

  [[nodiscard]] static bool is_object(ondemand::value& value) {
    ondemand::json_type type{};
    return value.type().get(type) == simdjson::SUCCESS && type == ondemand::json_type::object;
  }

  [[nodiscard]] bool each_of(ondemand::value value, Member member) {
    ondemand::json_type type{};
    if (value.type().get(type) != simdjson::SUCCESS) return false;
    ondemand::object object;
    if (type != ondemand::json_type::object) return true;
    return value.get_object().get(object) == simdjson::SUCCESS && each(object, member);
  }

  bool take_step(std::string_view, ondemand::value value) {
    return is_object(value) && each_of(value, &Self::take_sort);
  }
  bool take_sort(std::string_view, ondemand::value value) {  // p2p, collective
    return is_object(value) && each_of(value, &Self::take_op);
  }
  bool take_op(std::string_view key, ondemand::value value) {
    op_ = {};
    rdma_ = sdma_ = links_ = std::nullopt;
    const std::size_t at = key.find('@');
    op_.name = key.substr(0, at);
    if (at != std::string_view::npos) op_.group = key.substr(at + 1);
    const bool is_whole = each_of(value, &Self::take_info);
    if (op_.name == kSums || !is_whole) return is_whole;
    // SDMA sums up the links inside a node.
    if (rdma_ || sdma_ || links_) {
      op_.bytes = static_cast<std::int64_t>(rdma_.value_or(0) + sdma_.value_or(links_.value_or(0)));
    }
    file_.ops.push_back(op_);
    return true;
  }
  bool take_info(std::string_view key, ondemand::value value) {
    if (key == "Communication Time Info") return each_of(value, &Self::take_time);
    if (key == "Communication Bandwidth Info") return each_of(value, &Self::take_transport);
    return true;
  }
  bool take_time(std::string_view key, ondemand::value value) {
    if (key == "Start Timestamp(us)") op_.start = decimal(value, kMicrosecondsToPicoseconds);
    if (key == "Elapse Time(ms)") op_.elapse = decimal(value, kMillisecondsToPicoseconds);
    if (key == "Transit Time(ms)") op_.transit = decimal(value, kMillisecondsToPicoseconds);
    if (key == "Wait Time(ms)") op_.wait = decimal(value, kMillisecondsToPicoseconds);
    if (key == "Idle Time(ms)") op_.idle = decimal(value, kMillisecondsToPicoseconds);
    return true;
  }
  bool take_transport(std::string_view key, ondemand::value value) {
    transport_ = key;
    return each_of(value, &Self::take_size);
  }
  bool take_size(std::string_view key, ondemand::value value) {
    if (key != "Transit Size(MB)") return true;
    const auto bytes = decimal(value, kMegabytesToBytes);
    if (!bytes || *bytes < 0 || *bytes > INT64_MAX / 4) return true;
    if (transport_ == "RDMA") {
      rdma_ = bytes;
    } else if (transport_ == "SDMA") {
      sdma_ = bytes;
    } else {
      links_ = std::min<WideTime>(links_.value_or(0) + *bytes, INT64_MAX / 4);
    }
    return true;
  }

  simdjson::padded_string padded_;
  ondemand::parser parser_;
  CommunicationFile file_;
  CommunicationOp op_;
  std::string transport_;
  std::optional<WideTime> rdma_;
  std::optional<WideTime> sdma_;
  std::optional<WideTime> links_;
};

// The text up to the last operation that is whole, with its brackets closed.
std::string closed_behind_last_op(const std::string& json) {
  constexpr int kDepthOfOps = 3;  // step, sort, operation
  std::string text = valid_utf8(json);
  std::size_t end = 0;
  int depth = 0;
  shared::for_each_outside_strings(text, [&](char c, std::size_t at) {
    if (shared::is_opening_bracket(c)) ++depth;
    if (shared::is_closing_bracket(c) && --depth == kDepthOfOps) end = at + 1;
  });
  text.resize(end);
  return text + "}}}";
}

std::optional<Time> as_time(const std::optional<WideTime>& value) {
  return value ? narrow(*value, 0) : std::nullopt;
}

void fill(trace::Collective& collective, const CommunicationOp& op, StringPool& strings) {
  if (!op.group.empty()) collective.group = strings.intern(op.group);
  collective.transit = as_time(op.transit);
  collective.wait = as_time(op.wait);
  collective.idle = as_time(op.idle);
  if (!collective.bytes) collective.bytes = op.bytes;
  if (!collective.sequence) collective.sequence = ascend::collective_sequence(op.name);
}

// Of the rank that is being read; entries are in the order of events.
std::span<trace::Collective> own_collectives(trace::Trace& trace, std::size_t first_row) {
  const auto first =
      std::ranges::lower_bound(trace.collectives, first_row, {},
                               [](const trace::Collective& c) { return trace::index_of(c.event); });
  return {first, trace.collectives.end()};
}

}  // namespace

Result<std::string> read_text(io::ByteSource& bytes, const std::string& path,
                              std::size_t max_bytes) {
  std::string text;
  constexpr std::size_t kStep = std::size_t{1} << 20;
  while (true) {
    const std::size_t before = text.size();
    if (before > max_bytes) {
      return input_error(path, "is longer than " + std::to_string(max_bytes >> 20) + " MiB");
    }
    text.resize(before + kStep);
    LOCKSTEP_ASSIGN_OR_RETURN(const std::size_t got,
                              bytes.read(std::span(text).subspan(before, kStep)));
    text.resize(before + got);
    if (got == 0) break;
  }
  text.erase(0, shared::byte_order_mark_size(text));
  return text;
}

CommunicationFile parse_communication(const std::string& json) {
  CommunicationFile file = CommunicationParser(json).run();
  // The parser passes over what it does not ask for.
  file.is_damaged |= !minified(json);
  if (!file.is_damaged || !file.ops.empty()) return file;
  // The parser takes only documents that are closed.
  file = CommunicationParser(closed_behind_last_op(json)).run();
  file.is_damaged = true;
  return file;
}

std::uint64_t describe_collectives(trace::Trace& trace, std::size_t first_row,
                                   const std::vector<CommunicationOp>& ops,
                                   Diagnostics& diagnostics) {
  std::unordered_map<std::string_view, std::vector<trace::Collective*>> by_name;
  for (trace::Collective& collective : own_collectives(trace, first_row)) {
    by_name[trace.text(trace.events.name[trace::index_of(collective.event)])].push_back(
        &collective);
  }
  for (auto& [name, found] : by_name) {
    std::ranges::stable_sort(found, {}, [&](const trace::Collective* collective) {
      return trace.events.start[trace::index_of(collective->event)];
    });
  }
  std::unordered_map<std::string_view, std::size_t> used;
  std::uint64_t matched = 0;
  for (const CommunicationOp& op : ops) {
    const auto found = by_name.find(op.name);
    std::size_t& next = used[op.name];
    if (found == by_name.end() || next >= found->second.size()) {
      diagnostics.add(kUnmatchedCommunication, Place::none(), op.name);
      continue;
    }
    fill(*found->second[next++], op, trace.strings);
    ++matched;
  }
  return matched;
}

void name_lanes_by_group(trace::Trace& trace, std::size_t first_row) {
  std::map<std::tuple<trace::ProcessId, trace::DeviceId, StringId>, trace::TrackId> lanes;
  for (std::size_t t = 0; t < trace.tracks.size(); ++t) {
    const trace::Track& track = trace.tracks[t];
    if (trace::index_of(trace.rank_of(track)) + 1 != trace.ranks.size()) continue;
    lanes.try_emplace({track.process, track.device, track.id.text},
                      trace::TrackId{static_cast<std::uint32_t>(t)});
  }
  for (const trace::Collective& collective : own_collectives(trace, first_row)) {
    const std::size_t row = trace::index_of(collective.event);
    if (collective.group == kEmptyString) continue;
    trace::Track& track = trace.tracks[trace::index_of(trace.events.track[row])];
    if (!trace.text(track.id.text).starts_with("Group ")) continue;
    const auto [lane, is_new] =
        lanes.try_emplace({track.process, track.device, collective.group}, trace.events.track[row]);
    if (!is_new) continue;  // another lane has this group already
    if (track.name == kEmptyString) track.name = track.id.text;
    track.id = {collective.group, false};
  }
}

std::uint64_t add_as_events(shared::RankBuilder& rank, const std::string& process,
                            const std::vector<CommunicationOp>& ops) {
  std::vector<WideTime> times;
  for (const CommunicationOp& op : ops) {
    if (op.start && times.size() < shared::kTimesForOrigin) times.push_back(*op.start);
  }
  rank.set_origin(shared::choose_origin(times), Clock::kEpoch);
  std::uint64_t added = 0;
  for (const CommunicationOp& op : ops) {
    if (!op.start || !op.elapse) {
      rank.diagnostics().add(shared::kMissingTime, Place::none(), op.name);
      continue;
    }
    trace::Event row;
    row.name = rank.intern(op.name);
    row.kind = trace::Kind::kCommunication;
    const std::string lane = op.group.empty() ? "Communication" : op.group;
    row.track = rank.stream(rank.process(process), rank.device("0"), lane);
    const trace::EventId event = rank.add_span(row, *op.start, *op.start + *op.elapse);
    if (event == trace::kNoEvent) continue;
    fill(rank.collective_of(event), op, rank.trace().strings);
    ++added;
  }
  return added;
}

std::optional<std::uint64_t> count_links(const std::string& json) {
  simdjson::dom::parser parser;
  simdjson::dom::object steps;
  const auto failure = shared::unless_short(parser.parse(json).get_object().get(steps));
  if (failure != simdjson::SUCCESS) return std::nullopt;
  std::uint64_t links = 0;
  for (const auto step : steps) {
    simdjson::dom::object sorts;
    if (step.value.get_object().get(sorts) != simdjson::SUCCESS) return std::nullopt;
    for (const auto sort : sorts) {
      simdjson::dom::object ops;
      if (sort.value.get_object().get(ops) != simdjson::SUCCESS) return std::nullopt;
      for (const auto op : ops) {
        simdjson::dom::object pairs;
        if (op.value.get_object().get(pairs) == simdjson::SUCCESS) links += pairs.size();
      }
    }
  }
  return links;
}

std::optional<std::string> minified(const std::string& json) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  const auto failure = shared::unless_short(parser.parse(json).get(root));
  if (failure != simdjson::SUCCESS) return std::nullopt;
  return simdjson::minify(root);
}

}  // namespace lockstep::formats::ascend_text
