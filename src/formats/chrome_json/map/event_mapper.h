// From the fields of events to rows of a Trace: kinds, tracks, exact times, pairs, flows.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/chrome_json/dialects/dialect_evidence.h"
#include "formats/chrome_json/map/seen_ids.h"
#include "formats/chrome_json/map/span_pairs.h"
#include "formats/chrome_json/map/track_lookup.h"
#include "formats/chrome_json/parse/event_batch.h"
#include "formats/chrome_json/ranks/process_notes.h"
#include "formats/shared/event_categories.h"
#include "trace/evidence.h"
#include "trace/flow_binder.h"
#include "trace/trace.h"

namespace lockstep::formats::chrome_json {

class EventMapper {
 public:
  EventMapper(trace::Trace& trace, trace::RankId rank, trace::KeepArguments keep_arguments,
              Diagnostics& diagnostics);

  // Maps the events of a batch and gives it back; the first batches are kept until the origin is
  // known, and nothing comes back.
  [[nodiscard]] std::unique_ptr<EventBatch> take(std::unique_ptr<EventBatch> batch);
  // Joins pairs, names tracks; no batch comes after it.
  void finish();

  [[nodiscard]] WideTime origin() const { return origin_.value_or(0); }     // as the file counts
  [[nodiscard]] std::uint64_t events_seen() const { return events_seen_; }  // metadata too
  [[nodiscard]] TrackLookup& tracks() { return tracks_; }
  [[nodiscard]] const DialectEvidence& evidence() const { return evidence_; }
  [[nodiscard]] const ProcessNotes& process_notes() const { return process_notes_; }
  // The ends of arrows, with the tracks that they lie on; to be taken after finish().
  [[nodiscard]] Column<trace::FlowEnd> take_flow_ends();

 private:
  void choose_origin();
  void map_batch(const EventBatch& batch);
  void map_event(const RawEvent& event);
  void map_metadata(const RawEvent& event);
  void map_timed_event(const RawEvent& event, char phase);
  void map_span(const RawEvent& event, Time start);
  [[nodiscard]] bool take_rocprof_times(WideTime cut_start, Time& start, WideTime& duration);
  void map_point(const RawEvent& event, Time start, trace::Shape shape);
  void map_pair_end(const RawEvent& event, char phase, Time time);
  void map_flow_end(const RawEvent& event, char phase, Time time);
  void say_lasting_flows();
  [[nodiscard]] std::optional<Time> relative_time(const RawEvent& event);
  [[nodiscard]] const RawArgument* find_argument(std::string_view key) const;

  [[nodiscard]] StringId intern_name(const Token& token);
  [[nodiscard]] StringId intern_category(const Token& token);
  [[nodiscard]] shared::CategoryMeaning meaning(StringId category);
  [[nodiscard]] bool is_collective(StringId name);
  [[nodiscard]] trace::Event describe(const RawEvent& event, Time start, trace::Shape shape);
  void note_links(const RawEvent& event, trace::Event& row);
  void note_device(trace::TrackId track);
  void note_collective(trace::EventId row);
  // The name of the step that this event marks, or empty.
  [[nodiscard]] StringId step_name(const trace::Event& row);
  // Those of the event that are kept.
  [[nodiscard]] std::span<const trace::Argument> kept_arguments(const RawEvent& event);

  trace::Trace& trace_;
  trace::RankId rank_;
  trace::KeepArguments keep_arguments_;
  Diagnostics& diagnostics_;
  TrackLookup tracks_;
  SpanPairs pairs_;
  Column<trace::FlowEnd> flow_ends_;  // until finish(), `track` is a lane of tracks_
  std::uint64_t lasting_flows_ = 0;
  std::uint64_t first_lasting_flow_ = 0;  // its offset

  std::optional<WideTime> origin_;
  std::vector<std::unique_ptr<EventBatch>> held_;  // until the origin is known
  std::size_t held_events_ = 0;
  std::vector<WideTime> held_times_;        // the first that may be the origin
  std::span<const RawArgument> arguments_;  // of the event that is being mapped
  std::vector<trace::Argument> kept_;       // of those, what stays
  std::uint64_t events_seen_ = 0;

  std::vector<std::optional<shared::CategoryMeaning>> meanings_;  // by StringId of the category
  std::array<StringId, 16> recent_categories_{};  // saves the hashing of the same few
  std::vector<std::int8_t> collective_names_;     // by StringId: -1 unknown, 0 no, 1 yes
  SeenIds external_ids_;
  DialectEvidence evidence_;
  ProcessNotes process_notes_;
  trace::TrackId last_device_track_{};
  std::string last_device_;  // as the argument says it
};

}  // namespace lockstep::formats::chrome_json
