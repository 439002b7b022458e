// The one pass over the columns: everything that a summary needs, gathered while each event is
// looked at once.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "algo/intervals/intervals.h"
#include "base/column.h"
#include "base/string_pool.h"
#include "base/time.h"
#include "trace/event_table.h"
#include "trace/kind.h"
#include "trace/trace.h"

namespace lockstep::analysis::summary {

// From the first start to the last end.
class Extent {
 public:
  void include(Time start, Time end) {
    if (is_empty_ || start < first_) first_ = start;
    if (is_empty_ || end > last_) last_ = end;
    is_empty_ = false;
  }
  void include(const Extent& other) {
    if (!other.is_empty_) include(other.first_, other.last_);
  }
  [[nodiscard]] WideTime length() const {
    return last_ > first_ ? WideTime{last_.ps} - first_.ps : WideTime{0};
  }

 private:
  bool is_empty_ = true;
  Time first_;
  Time last_;
};

struct TrackTally {
  std::uint64_t events = 0;
  std::uint64_t kernels = 0;
  std::uint64_t derived = 0;            // events of lanes that a profiler worked out: kDuplicate
  bool has_span = false;                // a duration that is not the profiler's own
  std::vector<algo::Interval> work;     // device work in the order of the file, in ps
  std::vector<trace::Kind> work_kinds;  // of `work`, until that is sorted
};

struct KernelTally {
  StringId name{};
  std::uint64_t count = 0;
  WideTime total = 0;
  Time min;
  Time max;
};

// What the checks of one rank need to compare launches with device work.
struct LaunchTally {
  Column<trace::EventId> launches;         // host calls that ask for device work
  Column<std::int64_t> graph_launches;     // correlations of those that launch a graph
  Column<std::int64_t> work_correlations;  // of device work
  std::uint64_t work = 0;                  // device work
  std::uint64_t work_without_flow = 0;
  trace::EventId first_without_flow = trace::kNoEvent;
  bool has_launch_flow = false;
  bool has_graph_capture = false;  // launches that went into a graph have no device work
};

struct TraceTally {
  std::array<std::uint64_t, trace::kKindCount> by_kind{};
  std::vector<Extent> spans;         // by RankId: ranks may count from different zeros
  std::vector<Extent> device_spans;  // by RankId
  std::vector<TrackTally> tracks;    // by TrackId
  std::vector<LaunchTally> ranks;    // by RankId
  std::vector<KernelTally> kernels;
  std::unordered_map<StringId, std::uint64_t> annotations;  // host durations of that kind, by name
};

[[nodiscard]] TraceTally tally_events(const trace::Trace& trace);

}  // namespace lockstep::analysis::summary
