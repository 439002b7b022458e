// What a TrackEvent says of an event beyond its time and track: name, category, arguments, flows.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "formats/perfetto/wire/perfetto_fields.h"
#include "formats/perfetto/write/string_interner.h"
#include "formats/shared/message_builder.h"
#include "trace/trace.h"

namespace lockstep::formats::perfetto {

using TrackEventBuilder = shared::MessageBuilder<TrackEventField>;

[[nodiscard]] constexpr bool is_numeric(const trace::Argument& argument) {
  return argument.type == trace::Argument::Type::kInteger ||
         argument.type == trace::Argument::Type::kReal ||
         argument.type == trace::Argument::Type::kBoolean;
}

// The argument with a value that viewers know: a number that is kept as text because a double would
// change it becomes that double.
[[nodiscard]] trace::Argument as_shown(const trace::Trace& trace, const trace::Argument& argument);

class EventEncoder {
 public:
  EventEncoder(const trace::Trace& trace, StringInterner& interner,
               const std::vector<StringId>& flow_names);

  // Everything, for the begin of a slice or an instant.
  void write_details(TrackEventBuilder& event, std::size_t row);
  void write_category(TrackEventBuilder& event, std::size_t row);
  void write_argument(TrackEventBuilder& event, const trace::Argument& argument);
  // The kind and the picoseconds of a counter, on the first of its samples.
  void write_counter_facts(TrackEventBuilder& event, std::size_t row);

 private:
  void index_flows(const std::vector<StringId>& flow_names);
  void write_kind(TrackEventBuilder& event, std::size_t row);
  void write_arguments(TrackEventBuilder& event, std::size_t row);
  void write_counter_shape(TrackEventBuilder& event);
  void write_collective(TrackEventBuilder& event, const trace::Collective& collective);
  void write_exact_times(TrackEventBuilder& event, std::size_t row);
  void write_integer(TrackEventBuilder& event, OwnWord name, std::int64_t value);
  void write_flows(TrackEventBuilder& event, std::size_t row);
  // Whether the writer comes to `a` before `b`.
  [[nodiscard]] bool is_written_before(trace::EventId a, trace::EventId b) const;

  const trace::Trace& trace_;
  StringInterner& interner_;
  std::string scratch_;
  // The flows of event i are flow_ids_[first_flow_[i]] up to flow_ids_[first_flow_[i + 1]].
  std::vector<std::uint32_t> first_flow_;  // empty when the trace has no flows
  std::vector<std::uint32_t> flow_ids_;
  std::unordered_map<StringId, std::uint32_t> flow_names_;        // to their place in the header
  std::unordered_map<std::uint32_t, std::uint32_t> collectives_;  // by row
};

}  // namespace lockstep::formats::perfetto
