// Follows a kernel back to its call, the operator around it, and the queue between two threads.
#include "analysis/anomalies/evidence/launch_split.h"

#include <algorithm>

#include "trace/steps.h"

namespace lockstep::analysis::anomalies {
namespace {

// What the main thread put into the queue, and when the second one took it out.
struct Queued {
  trace::EventId enqueue = trace::kNoEvent;
  trace::EventId dequeue = trace::kNoEvent;
};

struct OpsAround {
  trace::EventId innermost = trace::kNoEvent;
  trace::EventId outermost = trace::kNoEvent;
};

// Calls `take(event)` for an event and those around it, from inside out, until it returns true.
template <typename Take>
void for_each_around(const trace::Trace& trace, const HostIndex& host, trace::EventId event,
                     Take take) {
  const HostThread* thread = host.thread_of(trace, event);
  if (thread == nullptr) return;
  std::int32_t i = thread->index_of_event(trace, event);
  for (std::size_t looked_at = 0; i >= 0 && looked_at < kMostCallsAround;
       i = thread->parents[static_cast<std::size_t>(i)], ++looked_at) {
    if (take(thread->events[static_cast<std::size_t>(i)])) return;
  }
}

// The operators around an event, itself among them when it is one. The outermost one is that which
// the host came to in the bubble: what had begun before (a model's forward) launched other kernels
// too, and says nothing about this one.
OpsAround ops_around(const trace::Trace& trace, const HostIndex& host, trace::EventId event,
                     Time since) {
  OpsAround ops;
  for_each_around(trace, host, event, [&](trace::EventId around) {
    if (trace.events.kind[trace::index_of(around)] != trace::Kind::kHostOp) return false;
    // Old profilers write the marker of a step as an operator.
    if (trace::is_step_name(trace.text(trace.events.name[trace::index_of(around)]))) return true;
    const bool is_first = ops.innermost == trace::kNoEvent;
    if (!is_first && trace.events.start[trace::index_of(around)] < since) return true;
    if (is_first) ops.innermost = around;
    ops.outermost = around;
    return false;
  });
  return ops;
}

class LaunchSplitter {
 public:
  LaunchSplitter(const trace::Trace& trace, const DeviceTimeline& timeline, const HostIndex& host,
                 const DeviceIndex& index, const trace::Launches& launches)
      : trace_(trace), timeline_(timeline), host_(host), index_(index), launches_(launches) {}

  [[nodiscard]] LaunchSplit split(const Gap& gap) const {
    LaunchSplit split;
    if (gap.kernel_after == kNoKernel) return split;
    const DeviceWork& kernel = timeline_.kernels[gap.kernel_after];
    const trace::EventId op = launches_.operator_of(kernel.event);
    split.launch_call = kernel.launched_by != trace::kNoEvent ? kernel.launched_by : op;
    if (split.launch_call == trace::kNoEvent) return split;
    split.has_launch = true;
    const Time returned = end_of(split.launch_call);
    split.host_part = std::clamp(returned - gap.start, Time{}, gap.length());
    split.queued_part = gap.length() - split.host_part;
    const Queued queued = queue_around(split.launch_call);
    const OpsAround ops = ops_of(queued, op != trace::kNoEvent ? op : split.launch_call, gap.start);
    split.launch_op = ops.innermost;
    split.outermost_op = ops.outermost;
    split.stages = stages_of(queued, gap, split);
    const auto* longest = std::ranges::max_element(split.stages);
    split.late_stage = static_cast<LaunchStage>(longest - split.stages.begin());
    return split;
  }

 private:
  [[nodiscard]] Time start_of(trace::EventId event) const {
    return trace_.events.start[trace::index_of(event)];
  }
  [[nodiscard]] Time end_of(trace::EventId event) const {
    return trace_.events.end(trace::index_of(event));
  }

  [[nodiscard]] Queued queue_around(trace::EventId call) const {
    Queued queued;
    if (!index_.has_queues()) return queued;
    for_each_around(trace_, host_, call, [&](trace::EventId around) {
      const trace::EventId enqueue = index_.enqueue_of(around);
      if (enqueue == trace::kNoEvent) return false;
      queued = {enqueue, around};
      return true;
    });
    return queued;
  }

  // Those of the main thread where the call is a second one's; enqueueing is no operator.
  [[nodiscard]] OpsAround ops_of(const Queued& queued, trace::EventId from, Time since) const {
    if (queued.enqueue != trace::kNoEvent) from = op_outside(queued.enqueue);
    return ops_around(trace_, host_, from, since);
  }

  // The operator that an operator lies in; itself when it lies in none.
  [[nodiscard]] trace::EventId op_outside(trace::EventId inner) const {
    trace::EventId outside = inner;
    for_each_around(trace_, host_, inner, [&](trace::EventId around) {
      if (around == inner || trace_.events.kind[trace::index_of(around)] != trace::Kind::kHostOp)
        return false;
      outside = around;
      return true;
    });
    return outside;
  }

  // The times at which the kernel passed from one stage to the next, cut to the gap.
  [[nodiscard]] std::array<Time, kLaunchStageCount> stages_of(const Queued& queued, const Gap& gap,
                                                              const LaunchSplit& split) const {
    std::array<Time, kLaunchStageCount> stages{};
    const Time call = start_of(split.launch_call);
    const Time begun = split.outermost_op != trace::kNoEvent ? start_of(split.outermost_op) : call;
    const bool is_queued = queued.enqueue != trace::kNoEvent;
    const Time enqueued = is_queued ? end_of(queued.enqueue) : call;
    const Time dequeued = is_queued ? start_of(queued.dequeue) : call;
    Time from = gap.start;
    const auto spend = [&](LaunchStage stage, Time until) {
      const Time to = std::clamp(until, from, gap.end);
      stages[static_cast<std::size_t>(stage)] += to - from;
      from = to;
    };
    spend(LaunchStage::kHost, begun);
    spend(LaunchStage::kOperator, enqueued);
    spend(LaunchStage::kTaskQueue, dequeued);
    // From the dequeue to the call is the second thread's work for it.
    spend(LaunchStage::kOperator, call);
    spend(LaunchStage::kCall, end_of(split.launch_call));
    spend(LaunchStage::kDevice, gap.end);
    return stages;
  }

  const trace::Trace& trace_;
  const DeviceTimeline& timeline_;
  const HostIndex& host_;
  const DeviceIndex& index_;
  const trace::Launches& launches_;
};

}  // namespace

std::vector<LaunchSplit> split_by_launch(const trace::Trace& trace, const DeviceTimeline& timeline,
                                         const HostIndex& host, const DeviceIndex& index,
                                         const trace::Launches& launches,
                                         std::span<const Gap> gaps) {
  const LaunchSplitter splitter(trace, timeline, host, index, launches);
  std::vector<LaunchSplit> splits;
  splits.reserve(gaps.size());
  for (const Gap& gap : gaps) splits.push_back(splitter.split(gap));
  return splits;
}

}  // namespace lockstep::analysis::anomalies
