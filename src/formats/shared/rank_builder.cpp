// Finding and making of tracks, placing of records.
#include "formats/shared/rank_builder.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <span>

#include "formats/shared/record_defects.h"
#include "formats/shared/time_guess.h"
#include "trace/collective_names.h"
#include "trace/steps.h"

namespace lockstep::formats::shared {
namespace {

// So many parts of an input are listed one by one; of the others only what became of them.
constexpr std::size_t kMostParts = 1000;
constexpr std::string_view kOtherParts = "other parts";

constexpr WideTime kFurthestOriginPs =
    WideTime{std::numeric_limits<std::int64_t>::max()} * kPicosecondsPerNanosecond -
    kMaxDistanceFromOriginPs;

bool too_far(WideTime a, WideTime b) {
  return a - b > kMaxDistanceFromOriginPs || b - a > kMaxDistanceFromOriginPs;
}

// The key of the tracks that belong to a process, or to a device in it.
std::uint64_t owner_of(trace::ProcessId process, trace::DeviceId device) {
  return (std::uint64_t{static_cast<std::uint32_t>(process)} << 32) |
         static_cast<std::uint32_t>(device);
}

bool is_number(std::string_view text) {
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  return !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

bool can_be_origin(WideTime ps) { return ps >= -kFurthestOriginPs && ps <= kFurthestOriginPs; }

WideTime choose_origin(std::span<const WideTime> times) {
  const auto counts = [](WideTime time) { return time > 0 && can_be_origin(time); };
  std::vector<WideTime> sorted;
  std::ranges::copy_if(times, std::back_inserter(sorted), counts);
  if (sorted.empty()) return 0;
  // One of them, not the mean of the middle two, which may be far from all.
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::ranges::nth_element(sorted, middle);
  const auto first = std::ranges::find_if(
      times, [&](WideTime time) { return counts(time) && !too_far(time, *middle); });
  return floor_to_ns(*first);
}

RankBuilder::RankBuilder(trace::Trace& trace, const std::string& source, std::string_view format,
                         trace::KeepArguments keep_arguments)
    : trace_(trace),
      rank_{static_cast<std::uint32_t>(trace.ranks.size())},
      keep_arguments_(keep_arguments),
      first_row_(trace.events.size()) {
  trace::Rank& rank = trace.ranks.emplace_back();
  rank.source = source;
  rank.format = format;
}

RankBuilder::RankBuilder(trace::Trace& trace, trace::KeepArguments keep_arguments)
    : trace_(trace),
      rank_{static_cast<std::uint32_t>(trace.ranks.size() - 1)},
      keep_arguments_(keep_arguments),
      first_row_(trace.events.size()),
      origin_(WideTime{trace.ranks.back().origin.ns} * kPicosecondsPerNanosecond) {
  for (std::uint32_t p = 0; p < trace.processes.size(); ++p) {
    if (trace.processes[p].rank != rank_) continue;
    processes_.try_emplace(static_cast<std::uint32_t>(trace.processes[p].id.text),
                           trace::ProcessId{p});
  }
  for (std::uint32_t d = 0; d < trace.devices.size(); ++d) {
    if (trace.devices[d].rank != rank_) continue;
    devices_.try_emplace(static_cast<std::uint32_t>(trace.devices[d].id), trace::DeviceId{d});
  }
  for (std::uint32_t t = 0; t < trace.tracks.size(); ++t) {
    const trace::Track& track = trace.tracks[t];
    if (trace.rank_of(track) != rank_) continue;
    tracks_[owner_of(track.process, track.device)].try_emplace(
        static_cast<std::uint32_t>(track.id.text), trace::TrackId{t});
  }
}

void RankBuilder::set_origin(WideTime origin, Clock clock) {
  assert(trace_.events.size() == first_row_);
  if (!can_be_origin(origin)) {
    diagnostics_.add(kOriginOutOfRange);
    origin = 0;
    clock = Clock::kUnknown;
  }
  origin_ = floor_to_ns(origin);
  rank().origin = {static_cast<std::int64_t>(origin_ / kPicosecondsPerNanosecond), clock};
}

trace::ProcessId RankBuilder::process(std::string_view id) {
  const StringId text = intern(id);
  const auto next = trace::ProcessId{static_cast<std::uint32_t>(trace_.processes.size())};
  const auto [known, is_new] = processes_.try_emplace(static_cast<std::uint32_t>(text), next);
  if (is_new) {
    trace::Process& made = trace_.processes.emplace_back();
    made.rank = rank_;
    made.id = {text, is_number(id)};
  }
  return known->second;
}

trace::DeviceId RankBuilder::device(std::string_view id) {
  const StringId text = intern(id);
  const auto next = trace::DeviceId{static_cast<std::uint32_t>(trace_.devices.size())};
  const auto [known, is_new] = devices_.try_emplace(static_cast<std::uint32_t>(text), next);
  if (is_new) trace_.devices.push_back({rank_, text, {}});
  return known->second;
}

trace::TrackId RankBuilder::track(std::uint64_t owner, trace::ProcessId process,
                                  trace::DeviceId device, trace::Track::Side side,
                                  std::string_view id) {
  const StringId text = intern(id);
  const auto next = trace::TrackId{static_cast<std::uint32_t>(trace_.tracks.size())};
  const auto [known, is_new] = tracks_[owner].try_emplace(static_cast<std::uint32_t>(text), next);
  if (is_new) {
    trace::Track& made = trace_.tracks.emplace_back();
    made.process = process;
    made.side = side;
    made.device = device;
    made.id = {text, is_number(id)};
  }
  return known->second;
}

trace::TrackId RankBuilder::host_thread(trace::ProcessId process, std::string_view id) {
  return track(owner_of(process, trace::kNoDevice), process, trace::kNoDevice,
               trace::Track::Side::kHost, id);
}

trace::TrackId RankBuilder::stream(trace::ProcessId process, trace::DeviceId device,
                                   std::string_view id) {
  return track(owner_of(process, device), process, device, trace::Track::Side::kDevice, id);
}

std::optional<Time> RankBuilder::relative(WideTime absolute) const {
  return narrow(absolute, origin_);
}

std::optional<Time> RankBuilder::placed(WideTime absolute, Place place) {
  if (is_lost_zero(absolute, origin_)) {
    diagnostics_.add(kZeroTime, place);
    return std::nullopt;
  }
  const std::optional<Time> time = narrow(absolute, origin_);
  if (!time) diagnostics_.add(kTimeOutOfRange, place);
  return time;
}

trace::EventId RankBuilder::add_span(trace::Event row, WideTime start, WideTime end, Place place) {
  const std::optional<Time> begin = placed(start, place);
  if (!begin) return trace::kNoEvent;
  if (end < start) {
    diagnostics_.add(kNegativeDuration, place);
    return trace::kNoEvent;
  }
  const std::optional<Time> finish = narrow(end, origin_);
  // Both ends may be near the origin, on either side of it, and the duration still beyond 64 bits.
  if (!finish || !narrow(end, start)) {
    diagnostics_.add(kTimeOutOfRange, place);
    return trace::kNoEvent;
  }
  row.start = *begin;
  row.duration = *finish - *begin;
  row.shape = trace::Shape::kSpan;
  const bool is_device = at(row.track).side == trace::Track::Side::kDevice;
  if (row.kind == trace::Kind::kKernel && is_device && is_collective(row.name)) {
    row.kind = trace::Kind::kCommunication;
  }
  const trace::EventId id = trace_.events.add(row);
  if (row.kind == trace::Kind::kCommunication && is_device) {
    trace::Collective& made = trace_.collectives.emplace_back();
    made.event = id;
    made.op = intern(trace::collective_op(trace_.text(row.name)));
  }
  return id;
}

trace::EventId RankBuilder::add_point(trace::Event row, WideTime time, trace::Shape shape,
                                      Place place) {
  const std::optional<Time> at_time = placed(time, place);
  if (!at_time) return trace::kNoEvent;
  row.start = *at_time;
  row.duration = {};
  row.shape = shape;
  if (shape == trace::Shape::kCounter) row.kind = trace::Kind::kCounter;
  return trace_.events.add(row);
}

void RankBuilder::set_arguments(trace::EventId event, std::span<const trace::Argument> arguments) {
  if (keeps_evidence() && event != trace::kNoEvent) trace_.arguments.set(event, arguments);
}

trace::Collective& RankBuilder::collective_of(trace::EventId event) {
  // Mostly the last one; entries are in the order of events.
  const auto found =
      std::ranges::lower_bound(trace_.collectives, trace::index_of(event), {},
                               [](const trace::Collective& c) { return trace::index_of(c.event); });
  assert(found != trace_.collectives.end() && found->event == event);
  return *found;
}

void RankBuilder::add_flow(trace::EventId from, trace::EventId to, trace::Flow::Kind kind,
                           StringId name) {
  if (from == trace::kNoEvent || to == trace::kNoEvent) return;
  trace_.flows.push_back({from, to, kind, name});
}

void RankBuilder::add_step(StringId name, Time start, Time end) {
  trace_.steps.push_back({name, rank_, start, end});
}

void RankBuilder::add_part(trace::SourcePart::Use use, std::string name, std::uint64_t records,
                           std::string note) {
  std::vector<trace::SourcePart>& parts = rank().parts;
  if (parts.size() < kMostParts) {
    parts.push_back({use, std::move(name), records, std::move(note)});
    return;
  }
  const auto others = std::span(parts).subspan(kMostParts);
  auto other = std::ranges::find(others, use, &trace::SourcePart::use);
  if (other == others.end()) {
    parts.push_back({use, std::string(kOtherParts), records, {}});
  } else {
    other->records += records;
  }
}

bool RankBuilder::is_collective(StringId name) {
  const auto i = static_cast<std::size_t>(name);
  if (i >= collective_names_.size()) collective_names_.resize(i + i / 2 + 16, -1);
  if (collective_names_[i] < 0)
    collective_names_[i] = trace::is_collective_kernel(trace_.text(name));
  return collective_names_[i] == 1;
}

void RankBuilder::finish() {
  trace::FlowBinder(std::move(flow_ends_)).bind(trace_, first_row_, diagnostics_);
  trace::collect_marked_steps(trace_, first_row_, rank_);
  trace_.diagnostics.absorb(diagnostics_, rank().source);
}

void RankBuilder::discard() {
  assert(trace_.events.size() == first_row_);
  // Tracks that were made for records which then could not be placed.
  while (!trace_.tracks.empty() && trace_.rank_of(trace_.tracks.back()) == rank_) {
    trace_.tracks.pop_back();
  }
  while (!trace_.devices.empty() && trace_.devices.back().rank == rank_) trace_.devices.pop_back();
  while (!trace_.processes.empty() && trace_.processes.back().rank == rank_) {
    trace_.processes.pop_back();
  }
  trace_.ranks.pop_back();
}

}  // namespace lockstep::formats::shared
