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

namespace lockstep {

class DeviceIndex {
 public:
  // The trace outlives it.
  explicit DeviceIndex(const Trace& trace);

  // A call that launches kernels. A copy of a result is asked for behind a graph and says nothing
  // of what ran before it, so that calls which copy are left out.
  struct Launch {
    Time start;
    EventId call = kNoEvent;
    bool is_graph = false;
  };
  // Calls of its rank that asked the device for work, by (start, call). None in a trace without
  // graphs: nobody asks there.
  [[nodiscard]] std::span<const Launch> launches(const DeviceTimeline& timeline) const;
  // Calls of a rank of which nobody knows which device they asked, in the same order.
  [[nodiscard]] std::span<const Launch> unplaced_launches(RankId rank) const;

  // When planes of the device's communication waited for a peer: a covering.
  [[nodiscard]] std::span<const Interval> notify_waits(const DeviceTimeline& timeline) const;

  // Of torch_npu: the main thread enqueues, a second one dequeues and calls.
  [[nodiscard]] bool has_queues() const { return !enqueue_of_.empty(); }
  [[nodiscard]] EventId enqueue_of(EventId dequeue) const;  // kNoEvent: it is none

  // Null for events that are none.
  [[nodiscard]] const Collective* collective_of(EventId event) const;

 private:
  using Place = std::pair<RankId, DeviceId>;
  struct Asked {
    EventId call = kNoEvent;
    Place place;
    auto operator<=>(const Asked&) const = default;
  };

  [[nodiscard]] static std::vector<Asked> asked_devices(const Trace& trace);
  void find_launches(const Trace& trace);
  void find_notify_waits(const Trace& trace);

  std::map<Place, std::vector<Launch>> launches_;
  std::map<RankId, std::vector<Launch>> unplaced_;
  std::map<Place, std::vector<Interval>> notify_waits_;
  std::unordered_map<std::uint32_t, const Collective*> collectives_;  // by event
  std::unordered_map<std::uint32_t, EventId> enqueue_of_;             // by dequeue
};

}  // namespace lockstep
