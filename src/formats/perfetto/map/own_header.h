// The description of the whole trace that lockstep writes at the front of its files: as JSON in the
// description of a track without events, which viewers do not show. It holds what tracks and events
// cannot: ids as they were, ranks and their metadata, steps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/perfetto/decode/time_scale.h"
#include "trace/trace.h"

namespace lockstep::formats::perfetto {

inline constexpr std::string_view kHeaderName = "lockstep";

// The names of the flows of a trace, each once; the first is empty.
[[nodiscard]] std::vector<StringId> names_of_flows(const trace::Trace& trace);

[[nodiscard]] std::string header_text(const trace::Trace& trace, const TimeScale& times,
                                      const std::vector<StringId>& flow_names);

// A header that was read; the events refer to it by index.
struct OwnHeader {
  struct RankTime {
    std::uint64_t zero = 0;  // the timestamp at the origin
  };
  std::vector<RankTime> ranks;
  std::vector<std::uint32_t> rank_of_track;
  std::vector<StringId> flow_names;
  std::uint64_t events = 0;  // in the whole file
  std::string format;        // of the first rank, before it was written as Perfetto
  std::size_t first_rank = 0;
  std::size_t first_track = 0;
};

// Appends the ranks, processes, devices, tracks and steps of a header to `trace`. Nothing, and an
// unchanged trace, when the text is no header or contradicts itself.
[[nodiscard]] std::optional<OwnHeader> restore_header(std::string_view text,
                                                      const std::string& source,
                                                      trace::Trace& trace);

// What a counter track says of itself: the name of the event and the argument that it samples.
struct CounterName {
  std::string event;
  std::string key;
};
[[nodiscard]] std::string counter_text(std::string_view event, std::string_view key);
[[nodiscard]] std::optional<CounterName> parse_counter_text(std::string_view text);

}  // namespace lockstep::formats::perfetto
