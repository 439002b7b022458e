// From which zero the timestamps of a Chrome JSON file are counted.
#pragma once

#include <cstdint>
#include <optional>

#include "trace/trace.h"

namespace lockstep::chrome_json {

struct ChromeTimeBase {
  std::optional<std::int64_t> base_ns;  // written as baseTimeNanoseconds when there is one
  std::int64_t offset_ns = 0;           // of the trace's origin from the file's zero
};

// Chooses the zero for a trace of one rank such that a reader finds the same origin in the same
// clock, and that no event gets the timestamp 0 where readers take that for a broken record.
// `may_have_base`: baseTimeNanoseconds makes a file Kineto's, so that other dialects go without.
[[nodiscard]] ChromeTimeBase choose_chrome_time_base(const Trace& trace, bool may_have_base);

}  // namespace lockstep::chrome_json
