// rocprof v1's dialect: times and durations are cut to microseconds, and what was cut off stands in
// the arguments; lanes are told by the names of their processes.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "formats/chrome_json/dialects/dialect.h"
#include "formats/chrome_json/parse/event_batch.h"
#include "trace/trace.h"

namespace lockstep::formats::chrome_json {

struct RocprofTimes {
  WideTime begin = 0;
  WideTime end = 0;
};

// What an event of rocprof says besides its fields.
struct RocprofRecord {
  trace::EventId event = trace::kNoEvent;
  StringId device{};  // empty on the host
  Time cut_start;     // as the field says, in whole microseconds
};

// Collects the events that carry exact times.
class RocprofRecords {
 public:
  // The exact times of an event whose field says `cut_start`, where it has them. The field may
  // count from the start of the profiler; the result counts as the field does.
  [[nodiscard]] std::optional<RocprofTimes> exact_times(std::span<const RawArgument> arguments,
                                                        WideTime cut_start);
  void note(trace::EventId event, Time cut_start, std::span<const RawArgument> arguments,
            StringPool& strings);

  [[nodiscard]] bool empty() const { return records_.empty(); }
  [[nodiscard]] std::span<const RocprofRecord> records() const { return records_; }
  [[nodiscard]] bool counts_from_start() const { return base_.value_or(0) != 0; }

 private:
  std::vector<RocprofRecord> records_;
  std::optional<WideTime> base_;  // what the fields count from, in whole microseconds
};

[[nodiscard]] const Dialect& rocprof_v1_dialect();

}  // namespace lockstep::formats::chrome_json
