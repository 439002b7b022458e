// Decodes a TrackEvent: strings looked up, annotations typed, the old LegacyEvent laid open.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <protozero/data_view.hpp>
#include <protozero/pbf_message.hpp>

#include "formats/perfetto/decode/annotation_decoder.h"
#include "formats/perfetto/decode/sequence_state.h"
#include "formats/perfetto/wire/perfetto_fields.h"
#include "trace/trace.h"

namespace lockstep::formats::perfetto {

struct LegacyFacts {
  enum class IdScope : std::uint8_t { kNone, kUnscoped, kLocal, kGlobal };
  char phase = '\0';  // '\0' when there is no LegacyEvent, or it leaves the phase to the type
  std::int64_t duration_us = 0;
  IdScope id_scope = IdScope::kNone;
  std::uint64_t id = 0;
  StringId id_name{};  // of the scope, where it has one
  std::optional<std::uint64_t> bind_id;
  std::int32_t flow_direction = 0;  // 1 in, 2 out, 3 both
  std::optional<std::int64_t> pid;
  std::optional<std::int64_t> tid;
};

struct CounterSample {
  std::uint64_t track_uuid = 0;
  bool is_real = false;
  std::int64_t integer = 0;
  double real = 0;
};

struct DecodedEvent {
  std::int32_t type = 0;  // EventType, or what nobody knows yet
  std::optional<std::uint64_t> track_uuid;
  StringId name{};
  StringId category{};  // several are joined by commas
  LegacyFacts legacy;
  std::optional<std::int64_t> time_delta_us;
  std::optional<std::int64_t> time_absolute_us;
  std::optional<CounterSample> counter;  // of a counter event; its track is track_uuid
  std::vector<CounterSample> extra_counters;
  std::vector<std::uint64_t> flow_ids;
  std::vector<std::uint64_t> terminating_flow_ids;
  std::optional<std::int64_t> correlation;  // TrackEvent's own, or an annotation's
  AnnotationFacts annotations;
  bool misses_string = false;   // an interned one that the sequence does not know
  bool has_wrong_type = false;  // of a known field
  bool has_long_text = false;   // categories beyond the limits of text_limits.h
};

class TrackEventDecoder {
 public:
  TrackEventDecoder(StringPool& strings, trace::KeepArguments keep_arguments)
      : strings_(strings), annotations_(strings, keep_arguments) {}

  // Throws protozero::exception where the bytes are no protobuf. Valid until the next call.
  const DecodedEvent& decode(protozero::data_view bytes, const SequenceState& sequence);

 private:
  [[nodiscard]] bool decode_list(protozero::pbf_message<TrackEventField>& message);
  void decode_legacy(protozero::data_view bytes, const SequenceState& sequence);
  void add_category(StringId category);
  void pair_extra_counters(const SequenceState& sequence);
  [[nodiscard]] StringId look_up(const InternTable<StringId>& table, std::uint64_t iid);
  [[nodiscard]] StringId intern(protozero::data_view text);

  StringPool& strings_;
  AnnotationDecoder annotations_;
  DecodedEvent event_;
  std::string scratch_;
  std::string joined_categories_;  // empty while there is only one
  std::size_t category_count_ = 0;
  std::vector<std::uint64_t> counter_tracks_;
  std::vector<std::int64_t> counter_values_;
  std::vector<std::uint64_t> double_counter_tracks_;
  std::vector<double> double_counter_values_;
};

}  // namespace lockstep::formats::perfetto
