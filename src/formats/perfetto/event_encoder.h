// What a TrackEvent says of an event beyond its time and track: name, category, arguments, flows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <protozero/pbf_builder.hpp>

#include "formats/perfetto/perfetto_fields.h"
#include "formats/perfetto/string_interner.h"
#include "trace/trace.h"

namespace lockstep::perfetto {

using TrackEventBuilder = protozero::pbf_builder<TrackEventField>;

[[nodiscard]] constexpr bool is_numeric(const Argument& argument) {
  return argument.type == Argument::Type::kInteger || argument.type == Argument::Type::kReal ||
         argument.type == Argument::Type::kBoolean;
}

// The argument with a value that viewers know: a number that is kept as text because a double would
// change it becomes that double.
[[nodiscard]] Argument as_shown(const Trace& trace, const Argument& argument);

class EventEncoder {
 public:
  EventEncoder(const Trace& trace, StringInterner& interner);

  // Everything, for the begin of a slice or an instant.
  void write_details(TrackEventBuilder& event, std::size_t row);
  void write_category(TrackEventBuilder& event, std::size_t row);
  void write_argument(TrackEventBuilder& event, const Argument& argument);

 private:
  void index_flows();
  void write_arguments(TrackEventBuilder& event, std::size_t row);
  void write_exact_times(TrackEventBuilder& event, std::size_t row);
  void write_integer(TrackEventBuilder& event, OwnWord name, std::int64_t value);
  void write_flows(TrackEventBuilder& event, std::size_t row);

  const Trace& trace_;
  StringInterner& interner_;
  std::string scratch_;
  // The flows of event i are flow_ids_[first_flow_[i]] up to flow_ids_[first_flow_[i + 1]].
  std::vector<std::uint32_t> first_flow_;  // empty when the trace has no flows
  std::vector<std::uint32_t> flow_ids_;
};

}  // namespace lockstep::perfetto
