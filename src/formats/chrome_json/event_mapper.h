// From the fields of events to rows of a Trace: kinds, tracks, exact times, pairs, flows.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "formats/chrome_json/categories.h"
#include "formats/chrome_json/event_parser.h"
#include "formats/chrome_json/span_pairs.h"
#include "formats/chrome_json/track_lookup.h"
#include "trace/flow_binder.h"
#include "trace/trace.h"

namespace lockstep::chrome_json {

// Remembers ids and tells when one comes a second time. A bitmap for the usual small ones.
class IdSet {
 public:
  // False when it was there already.
  bool insert(std::int64_t id);

 private:
  static constexpr std::size_t kBitmapIds = std::size_t{1} << 26;
  std::vector<bool> bitmap_;
  std::unordered_set<std::int64_t> others_;
};

class EventMapper : public EventHandler {
 public:
  EventMapper(Trace& trace, RankId rank, bool keep_arguments, Diagnostics& diagnostics);

  ArgumentNeed arguments_needed(const RawEvent& event) override;
  void on_event(const RawEvent& event) override;

  // Joins pairs, names tracks; no event comes after it.
  void finish();

  [[nodiscard]] WideTime origin() const { return origin_.value_or(0); }  // as the file counts
  [[nodiscard]] bool has_kineto_category() const { return has_kineto_category_; }
  [[nodiscard]] std::uint64_t events_seen() const { return events_seen_; }  // metadata too
  [[nodiscard]] TrackLookup& tracks() { return tracks_; }
  // The ends of arrows, with the tracks that they lie on; to be taken after finish().
  [[nodiscard]] Column<FlowEnd> take_flow_ends();

 private:
  // An event that waits for the origin to be known.
  struct Held {
    std::string text;
    std::uint64_t offset = 0;
    WideTime time = 0;
  };

  void on_metadata(const RawEvent& event);
  void on_timed_event(const RawEvent& event, char phase, WideTime time);
  void on_span(const RawEvent& event, Time start);
  void on_point(const RawEvent& event, Time start, Shape shape);
  void on_pair_end(const RawEvent& event, char phase, Time time);
  void on_flow_end(const RawEvent& event, char phase, Time time);
  void hold(const RawEvent& event, WideTime time);
  void choose_origin();
  [[nodiscard]] std::optional<Time> relative(const RawEvent& event, WideTime time);

  [[nodiscard]] StringId intern_name(const Token& token);
  [[nodiscard]] StringId intern_category(const Token& token);
  [[nodiscard]] CategoryMeaning meaning(StringId category);
  [[nodiscard]] bool is_collective(StringId name);
  [[nodiscard]] Event describe(const RawEvent& event, Time start, Shape shape);
  void note_links(const RawEvent& event, Event& row);
  void note_collective(const RawEvent& event, EventId row);
  void note_step_number(const RawEvent& event, const Event& row);
  [[nodiscard]] std::vector<Argument> typed_arguments(const RawEvent& event);

  Trace& trace_;
  RankId rank_;
  bool keep_arguments_;
  Diagnostics& diagnostics_;
  TrackLookup tracks_;
  SpanPairs pairs_;
  Column<FlowEnd> flow_ends_;  // until finish(), `track` is a lane of tracks_
  EventParser replay_;

  std::optional<WideTime> origin_;
  std::vector<Held> held_;
  bool replaying_ = false;
  std::uint64_t events_seen_ = 0;
  bool has_kineto_category_ = false;

  std::vector<std::optional<CategoryMeaning>> meanings_;  // by StringId of the category
  std::array<StringId, 16> recent_categories_{};          // saves the hashing of the same few
  std::vector<std::int8_t> collective_names_;             // by StringId: -1 unknown, 0 no, 1 yes
  IdSet external_ids_;
};

}  // namespace lockstep::chrome_json
