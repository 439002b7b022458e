// Builds one rank of a trace: finds or makes its processes, devices and tracks, places records on
// the rank's own zero, counts those whose times make no sense, and joins launches at the end.
//
// The readers of binary and tabular formats share it, so that all of them drop and keep alike.
// Perfetto's knows its zero only after the last event and places its rows itself, by the same rules
// (formats/shared/time_guess.h, narrow()).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/evidence.h"
#include "trace/flow_binder.h"
#include "trace/trace.h"

namespace lockstep::formats::shared {

// Whether a rank may have its zero there: it is kept in 64-bit nanoseconds, and so are the times
// of events around it.
[[nodiscard]] bool can_be_origin(WideTime ps);

// The zero of a rank: the first of `times` (absolute ps, in the order of the file) above 0 that
// lies within 100 days of the middle one, floored to ns; 0 when there is none. Times that cannot be
// an origin do not count. A few dozen serve: one broken time at the front must not put all others
// out of range.
[[nodiscard]] WideTime choose_origin(std::span<const WideTime> times);
inline constexpr std::size_t kTimesForOrigin = 64;

class RankBuilder {
 public:
  // Appends a rank. `source` is the input, `format` the word that info prints.
  RankBuilder(trace::Trace& trace, const std::string& source, std::string_view format,
              trace::KeepArguments keep_arguments);

  // Goes on with the last rank of the trace, which another reader has made and finished: its tracks
  // are found and its zero is kept. finish() joins what is added from here on.
  RankBuilder(trace::Trace& trace, trace::KeepArguments keep_arguments);

  [[nodiscard]] trace::Trace& trace() { return trace_; }
  [[nodiscard]] trace::Rank& rank() { return trace_.ranks[trace::index_of(rank_)]; }
  [[nodiscard]] trace::RankId rank_id() const { return rank_; }
  [[nodiscard]] Diagnostics& diagnostics() { return diagnostics_; }
  [[nodiscard]] trace::KeepArguments keep_arguments() const { return keep_arguments_; }
  // Whether all arguments are kept, and whether those that tell something are.
  [[nodiscard]] bool keeps_arguments() const {
    return keep_arguments_ == trace::KeepArguments::kAll;
  }
  [[nodiscard]] bool keeps_evidence() const {
    return keep_arguments_ != trace::KeepArguments::kNone;
  }
  [[nodiscard]] std::size_t first_row() const { return first_row_; }
  [[nodiscard]] StringId intern(std::string_view text) { return trace_.strings.intern(text); }

  // Must be called before the first event. An origin that cannot be one is counted and becomes 0
  // of an unknown clock.
  void set_origin(WideTime origin, Clock clock);
  [[nodiscard]] WideTime origin() const { return origin_; }

  // Found or made. The id is what people know it by: "0", "4711", "GPU-a1b2".
  [[nodiscard]] trace::ProcessId process(std::string_view id);
  [[nodiscard]] trace::DeviceId device(std::string_view id);
  [[nodiscard]] trace::TrackId host_thread(trace::ProcessId process, std::string_view id);
  // A stream belongs to the process that launches on it; two processes have two tracks.
  [[nodiscard]] trace::TrackId stream(trace::ProcessId process, trace::DeviceId device,
                                      std::string_view id);
  [[nodiscard]] trace::Process& at(trace::ProcessId id) {
    return trace_.processes[trace::index_of(id)];
  }
  [[nodiscard]] trace::Device& at(trace::DeviceId id) {
    return trace_.devices[trace::index_of(id)];
  }
  [[nodiscard]] trace::Track& at(trace::TrackId id) { return trace_.tracks[trace::index_of(id)]; }

  // Adds a row at absolute times; row.start and row.duration are set here. Kernels with the name of
  // a collective become communication and get an entry in trace.collectives. A record that ends
  // before it starts, lost its time (0 far from the origin) or lies too far away is counted and not
  // added: kNoEvent.
  trace::EventId add_span(trace::Event row, WideTime start, WideTime end, Place place = {});
  trace::EventId add_point(trace::Event row, WideTime time, trace::Shape shape, Place place = {});
  // Keeps nothing when no arguments are kept. A reader that is asked for evidence gives no more.
  void set_arguments(trace::EventId event, std::span<const trace::Argument> arguments);
  // The entry of a communication event that add_span() made, to be filled in.
  [[nodiscard]] trace::Collective& collective_of(trace::EventId event);
  void add_flow(trace::EventId from, trace::EventId to, trace::Flow::Kind kind, StringId name = {});
  // An arrow whose ends are known only by lane and time; bound by finish().
  void add_flow_end(const trace::FlowEnd& end) { flow_ends_.push_back(end); }
  void add_step(StringId name, Time start, Time end);
  [[nodiscard]] std::optional<Time> relative(WideTime absolute) const;  // silent

  void add_part(trace::SourcePart::Use use, std::string name, std::uint64_t records = 0,
                std::string note = {});

  // Joins launches by correlation inside a process, binds flow ends, collects marked steps and
  // hands the diagnostics over. Call once, last.
  void finish();
  // Takes the rank back, when there was nothing in it. Only before any event was added.
  void discard();

 private:
  [[nodiscard]] std::optional<Time> placed(WideTime absolute, Place place);
  [[nodiscard]] trace::TrackId track(std::uint64_t owner, trace::ProcessId process,
                                     trace::DeviceId device, trace::Track::Side side,
                                     std::string_view id);
  [[nodiscard]] bool is_collective(StringId name);

  trace::Trace& trace_;
  trace::RankId rank_{};
  trace::KeepArguments keep_arguments_ = trace::KeepArguments::kNone;
  std::size_t first_row_ = 0;
  WideTime origin_ = 0;
  Diagnostics diagnostics_;
  std::unordered_map<std::uint32_t, trace::ProcessId> processes_;  // by StringId
  std::unordered_map<std::uint32_t, trace::DeviceId> devices_;
  // By owner, which is a process, or a process and a device; then by id.
  std::unordered_map<std::uint64_t, std::unordered_map<std::uint32_t, trace::TrackId>> tracks_;
  std::vector<signed char> collective_names_;  // by StringId: -1 not asked yet
  Column<trace::FlowEnd> flow_ends_;
};

}  // namespace lockstep::formats::shared
