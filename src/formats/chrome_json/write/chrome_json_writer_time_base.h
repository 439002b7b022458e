// Times of a Chrome JSON file: from which zero they are counted, and where arrows touch events.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "trace/trace.h"

namespace lockstep::formats::chrome_json {

struct ChromeTimeBase {
  std::optional<std::int64_t> base_ns;  // written as baseTimeNanoseconds when there is one
  std::int64_t offset_ns = 0;           // of the trace's origin from the file's zero
};

// Chooses the zero for a trace of one rank such that a reader finds the same times in the same
// clock, and that no event gets the timestamp 0 where readers take that for a broken record.
// `may_have_base`: baseTimeNanoseconds makes a file Kineto's, so that other dialects go without.
[[nodiscard]] ChromeTimeBase choose_chrome_time_base(const trace::Trace& trace, bool may_have_base);

// Readers bind the end of an arrow to the innermost event at its time, on its track. For those of
// the `wanted` events (by row) that others hide at their start: the first time at which they are
// the innermost. Events that never are, such as the first of two with the same times, are left out.
[[nodiscard]] std::unordered_map<std::uint32_t, Time> innermost_times(const trace::Trace& trace,
                                                                      std::vector<bool> wanted);

}  // namespace lockstep::formats::chrome_json
