// What the events of a trace say of each of its devices, found in one pass over them: a trace may
// have thousands of devices, and a pass for each would never end.
#pragma once

#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "algo/intervals/intervals.h"
#include "analysis/anomalies/timeline/device_timeline.h"
#include "trace/trace.h"

namespace lockstep::analysis::anomalies {

class DeviceIndex {
 public:
  // The trace outlives it.
  explicit DeviceIndex(const trace::Trace& trace);

  // A call that launches kernels. A copy of a result is asked for behind a graph and says nothing
  // of what ran before it, so that calls which copy are left out.
  struct Launch {
    Time start;
    trace::EventId call = trace::kNoEvent;
    bool is_graph = false;
  };
  // Calls of its rank that asked the device for work, by (start, call). None in a trace without
  // graphs: nobody asks there.
  [[nodiscard]] std::span<const Launch> launches(const DeviceTimeline& timeline) const;
  // Calls of a rank of which nobody knows which device they asked, in the same order.
  [[nodiscard]] std::span<const Launch> unplaced_launches(trace::RankId rank) const;

  // When planes of the device's communication waited for a peer: a covering.
  [[nodiscard]] std::span<const algo::Interval> notify_waits(const DeviceTimeline& timeline) const;

  // Of torch_npu: the main thread enqueues, a second one dequeues and calls.
  [[nodiscard]] bool has_queues() const { return !enqueue_of_.empty(); }
  [[nodiscard]] trace::EventId enqueue_of(trace::EventId dequeue) const;  // kNoEvent: it is none

  // Null for events that are none.
  [[nodiscard]] const trace::Collective* collective_of(trace::EventId event) const;

 private:
  using Place = std::pair<trace::RankId, trace::DeviceId>;
  struct Asked {
    trace::EventId call = trace::kNoEvent;
    Place place;
    auto operator<=>(const Asked&) const = default;
  };

  [[nodiscard]] static std::vector<Asked> asked_devices(const trace::Trace& trace);
  void find_launches(const trace::Trace& trace);
  void find_notify_waits(const trace::Trace& trace);

  std::map<Place, std::vector<Launch>> launches_;
  std::map<trace::RankId, std::vector<Launch>> unplaced_;
  std::map<Place, std::vector<algo::Interval>> notify_waits_;
  std::unordered_map<std::uint32_t, const trace::Collective*> collectives_;  // by event
  std::unordered_map<std::uint32_t, trace::EventId> enqueue_of_;             // by dequeue
};

}  // namespace lockstep::analysis::anomalies
