// Exact times, lanes and arrows of rocprof v1.
#include "formats/chrome_json/dialects/rocprof_v1.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>

#include "formats/chrome_json/dialects/empty_lanes.h"
#include "formats/chrome_json/map/event_mapper.h"
#include "formats/chrome_json/parse/argument_values.h"
#include "trace/collective_names.h"

namespace lockstep::formats::chrome_json {
namespace {

constexpr WideTime kMicrosecondPs = kPicosecondsPerMicrosecond;
// The start of an arrow is the middle of its call, cut to a microsecond; the middle of that
// microsecond is the best guess at it.
constexpr Time kHalfMicrosecond{kPicosecondsPerMicrosecond / 2};

std::optional<WideTime> nanoseconds(std::span<const RawArgument> arguments, std::string_view key) {
  const RawArgument* argument = find_argument(arguments, key);
  if (argument == nullptr) return std::nullopt;
  return parse_decimal(text_value(argument->value), kNanosecondsToPicoseconds);
}

struct LaneWord {
  std::string_view prefix;  // of the name of the process
  trace::Kind kind;
};

// The first prefix that fits counts.
constexpr std::array<LaneWord, 6> kLanes = {{
    {"GPU Barriers", trace::Kind::kEventWait},
    {"GPU", trace::Kind::kKernel},
    {"COPY", trace::Kind::kMemcpy},
    {"CPU HIP API", trace::Kind::kRuntimeCall},
    {"CPU HSA API", trace::Kind::kRuntimeCall},
    {"Markers and Ranges", trace::Kind::kAnnotation},
}};

trace::Kind rocprof_kind(std::string_view process, std::string_view name, bool has_device) {
  trace::Kind kind = has_device ? trace::Kind::kKernel : trace::Kind::kHostOp;
  for (const LaneWord& lane : kLanes) {
    if (!process.starts_with(lane.prefix)) continue;
    kind = lane.kind;
    break;
  }
  if (kind == trace::Kind::kMemcpy && (name.starts_with("Fill") || name.starts_with("Memset"))) {
    return trace::Kind::kMemset;
  }
  if (kind == trace::Kind::kKernel && name == "<barrier packet>") return trace::Kind::kEventWait;
  if (kind == trace::Kind::kKernel && trace::is_collective_kernel(name))
    return trace::Kind::kCommunication;
  return kind;
}

bool is_on_device(trace::Kind kind) {
  return trace::is_device_work(kind) || kind == trace::Kind::kEventWait;
}

// Events of one lane of the file by their start, for the ends of arrows.
using Lane = std::vector<std::uint32_t>;

class RocprofLanes {
 public:
  RocprofLanes(trace::Trace& trace, trace::RankId rank) : trace_(trace), rank_(rank) {}

  void place(const RocprofRecord& record) {
    const auto row = trace::index_of(record.event);
    trace::EventTable& events = trace_.events;
    const trace::TrackId lane = events.track[row];
    const trace::Track& track = trace_.tracks[trace::index_of(lane)];
    const std::string_view process =
        trace_.text(trace_.processes[trace::index_of(track.process)].name);
    const std::string_view name = trace_.text(events.name[row]);
    const trace::Kind kind = rocprof_kind(process, name, record.device != kEmptyString);
    events.kind[row] = kind;
    if (!is_on_device(kind)) {
      calls_[lane].push_back(static_cast<std::uint32_t>(row));
      return;
    }
    work_.emplace(std::tuple(lane, record.cut_start), record.event);
    events.track[row] = stream(lane, device_of(process, record.device));
    if (kind == trace::Kind::kCommunication) {
      trace::Collective& made = trace_.collectives.emplace_back();
      made.event = record.event;
      made.op = trace_.strings.intern(trace::collective_op(name));
    }
  }

  // `shift` is how far events lie behind the times of the file. Returns how many ends lead nowhere.
  std::uint64_t bind(const Column<trace::FlowEnd>& ends, Time shift) {
    for (auto& [lane, rows] : calls_) {
      std::ranges::sort(rows, {}, [&](std::uint32_t row) { return trace_.events.start[row]; });
    }
    std::map<std::tuple<StringId, std::int64_t>, trace::EventId> starts;
    std::uint64_t unmatched = 0;
    for (const trace::FlowEnd& end : ends) {
      if (end.role != trace::FlowEnd::Role::kStart) continue;
      starts[{end.category, end.id}] = call_at(end.track, end.time + kHalfMicrosecond + shift);
    }
    for (const trace::FlowEnd& end : ends) {
      if (end.role == trace::FlowEnd::Role::kStart) continue;
      const auto from = starts.find({end.category, end.id});
      const auto to = work_.find(std::tuple(end.track, end.time));
      const bool is_bound =
          from != starts.end() && from->second != trace::kNoEvent && to != work_.end();
      if (is_bound) {
        trace_.flows.push_back({from->second, to->second, trace::Flow::Kind::kLaunch, {}});
      } else {
        ++unmatched;
      }
    }
    return unmatched;
  }

 private:
  // "GPU2" is device 2; copies have a lane of their own and name their device.
  [[nodiscard]] std::string device_of(std::string_view process, StringId device) const {
    if (device != kEmptyString) return std::string(trace_.text(device));
    const std::size_t digit = process.find_first_of("0123456789");
    if (process.starts_with("GPU") && digit != std::string_view::npos) {
      return std::string(process.substr(digit));
    }
    return std::string(process);
  }

  // The track of a device and a stream; the first lane that has both becomes it.
  trace::TrackId stream(trace::TrackId lane, const std::string& device) {
    const trace::Track& from = trace_.tracks[trace::index_of(lane)];
    const auto [known, is_new] =
        streams_.try_emplace(std::tuple(device, from.id.text), trace::TrackId{});
    if (!is_new) return known->second;
    const auto [owner, is_new_device] = devices_.try_emplace(device, trace::DeviceId{});
    if (is_new_device) {
      owner->second = trace::DeviceId{static_cast<std::uint32_t>(trace_.devices.size())};
      trace_.devices.push_back({rank_, trace_.strings.intern(device), {}});
    }
    trace::Track made = from;
    made.side = trace::Track::Side::kDevice;
    made.device = owner->second;
    if (from.side == trace::Track::Side::kHost) {
      known->second = lane;
      trace_.tracks[trace::index_of(lane)] = made;
    } else {
      known->second = trace::TrackId{static_cast<std::uint32_t>(trace_.tracks.size())};
      trace_.tracks.push_back(made);
    }
    return known->second;
  }

  // The call around this time, else the first that begins in the same microsecond.
  [[nodiscard]] trace::EventId call_at(trace::TrackId lane, Time time) const {
    const auto calls = calls_.find(lane);
    if (calls == calls_.end()) return trace::kNoEvent;
    const trace::EventTable& events = trace_.events;
    const auto start_of = [&](std::uint32_t row) { return events.start[row]; };
    const auto behind = std::ranges::upper_bound(calls->second, time, {}, start_of);
    if (behind != calls->second.begin()) {
      const std::uint32_t row = *(behind - 1);
      const bool is_around = events.end(row) > time;
      const bool is_near = events.start[row] + kHalfMicrosecond >= time;
      if (is_around || is_near) return trace::EventId{row};
    }
    if (behind == calls->second.end()) return trace::kNoEvent;
    const bool is_near = events.start[*behind] <= time + kHalfMicrosecond;
    return is_near ? trace::EventId{*behind} : trace::kNoEvent;
  }

  trace::Trace& trace_;
  trace::RankId rank_;
  std::unordered_map<trace::TrackId, Lane> calls_;  // by lane of the file
  std::map<std::tuple<trace::TrackId, Time>, trace::EventId>
      work_;  // by lane of the file and cut time
  std::map<std::tuple<std::string, StringId>, trace::TrackId> streams_;  // by device and stream
  std::map<std::string, trace::DeviceId> devices_;
};

// The start of the profiler is no whole microsecond, and the base that was guessed for it is. What
// was cut off the times is 0 at least, and close to it for one of many.
Time shift_of(const trace::Trace& trace, const RocprofRecords& records) {
  if (!records.counts_from_start()) return {};
  Time least{kPicosecondsPerMicrosecond};
  for (const RocprofRecord& record : records.records()) {
    least = std::min(least, trace.events.start[trace::index_of(record.event)] - record.cut_start);
  }
  return least;
}

class RocprofDialect : public Dialect {
 public:
  [[nodiscard]] bool recognises(const MappedFile& file) const override {
    return !file.mapper.evidence().rocprof.empty();
  }
  [[nodiscard]] std::string_view format() const override { return "rocprof_v1"; }
  [[nodiscard]] std::optional<Clock> clock(const MappedFile& file) const override {
    const bool is_session = file.mapper.evidence().rocprof.counts_from_start();
    return is_session ? Clock::kSession : Clock::kBoot;
  }

  // Gives events their kinds, devices and streams and binds the ends of arrows, which lie on cut
  // times. Ends name tracks of the file; events move to others.
  void place_lanes(MappedFile& file) const override {
    const RocprofRecords& records = file.mapper.evidence().rocprof;
    const Column<trace::FlowEnd> ends = file.mapper.take_flow_ends();
    RocprofLanes lanes(file.trace, file.rank);
    for (const RocprofRecord& record : records.records()) lanes.place(record);
    const std::uint64_t unmatched = lanes.bind(ends, shift_of(file.trace, records));
    if (unmatched == 0) return;
    file.diagnostics.add(trace::kUnmatchedFlow, Place::none(), {}, unmatched);
  }

  void tidy(MappedFile& file) const override { drop_empty_lanes(file); }
};

}  // namespace

std::optional<RocprofTimes> RocprofRecords::exact_times(std::span<const RawArgument> arguments,
                                                        WideTime cut_start) {
  const auto begin = nanoseconds(arguments, "BeginNs");
  const auto end = nanoseconds(arguments, "EndNs");
  if (!begin || !end) return std::nullopt;
  if (!base_) base_ = (*begin - cut_start) / kMicrosecondPs * kMicrosecondPs;
  return RocprofTimes{*begin - *base_, *end - *base_};
}

void RocprofRecords::note(trace::EventId event, Time cut_start,
                          std::span<const RawArgument> arguments, StringPool& strings) {
  RocprofRecord record;
  record.event = event;
  record.cut_start = cut_start;
  if (const RawArgument* device = find_argument(arguments, "dev-id")) {
    record.device = strings.intern(text_value(device->value));
  }
  records_.push_back(record);
}

const Dialect& rocprof_v1_dialect() {
  static const RocprofDialect dialect;
  return dialect;
}

}  // namespace lockstep::formats::chrome_json
