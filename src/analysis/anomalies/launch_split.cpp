// Follows a kernel back to its call, the operator around it, and the queue between two threads.
#include "analysis/anomalies/launch_split.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace lockstep {
namespace {

// Of torch_npu: the main thread enqueues, a second one dequeues and calls.
constexpr std::string_view kQueueArrow = "async_task_queue";

struct QueueArrows {
  std::unordered_map<std::uint32_t, EventId> dequeue_of;  // by enqueue

  explicit QueueArrows(const Trace& trace) {
    for (const Flow& flow : trace.flows) {
      if (flow.kind != Flow::Kind::kOther || trace.text(flow.name) != kQueueArrow) continue;
      if (flow.from != kNoEvent && flow.to != kNoEvent)
        dequeue_of.try_emplace(static_cast<std::uint32_t>(flow.from), flow.to);
    }
  }
};

struct OpsAround {
  EventId innermost = kNoEvent;
  EventId outermost = kNoEvent;
};

// The operators around an event, itself among them when it is one.
OpsAround ops_around(const Trace& trace, const HostIndex& host, EventId event) {
  OpsAround ops;
  const HostThread* thread = host.thread_of(trace, event);
  if (thread == nullptr) return ops;
  for (std::int32_t i = thread->index_of_event(trace, event); i >= 0;
       i = thread->parents[static_cast<std::size_t>(i)]) {
    const EventId around = thread->events[static_cast<std::size_t>(i)];
    if (trace.events.kind[index_of(around)] != Kind::kHostOp) continue;
    if (ops.innermost == kNoEvent) ops.innermost = around;
    ops.outermost = around;
  }
  return ops;
}

class LaunchSplitter {
 public:
  LaunchSplitter(const Trace& trace, const DeviceTimeline& timeline, const HostIndex& host,
                 const Launches& launches)
      : trace_(trace), timeline_(timeline), host_(host), launches_(launches), queue_(trace) {}

  void split(Bubble& bubble) const {
    if (bubble.kernel_after == kNoKernel) return;
    const DeviceWork& kernel = timeline_.kernels[bubble.kernel_after];
    const EventId op = launches_.operator_of(kernel.event);
    bubble.launch_call = kernel.launched_by != kNoEvent ? kernel.launched_by : op;
    if (bubble.launch_call == kNoEvent) return;
    bubble.has_launch = true;
    const Time returned = end_of(bubble.launch_call);
    bubble.host_part = std::clamp(returned - bubble.start, Time{}, bubble.length());
    bubble.queued_part = bubble.length() - bubble.host_part;
    const OpsAround ops = ops_around(trace_, host_, op != kNoEvent ? op : bubble.launch_call);
    bubble.launch_op = ops.innermost;
    bubble.outermost_op = ops.outermost;
    fill_stages(op, bubble);
  }

 private:
  [[nodiscard]] Time start_of(EventId event) const { return trace_.events.start[index_of(event)]; }
  [[nodiscard]] Time end_of(EventId event) const { return trace_.events.end(index_of(event)); }

  // The times at which the kernel passed from one stage to the next, cut to the bubble.
  void fill_stages(EventId op, Bubble& bubble) const {
    const Time call = start_of(bubble.launch_call);
    const Time begun = bubble.outermost_op != kNoEvent ? start_of(bubble.outermost_op) : call;
    Time enqueued = call;
    Time dequeued = call;
    const auto arrow = queue_.dequeue_of.find(static_cast<std::uint32_t>(op));
    if (op != kNoEvent && arrow != queue_.dequeue_of.end()) {
      enqueued = end_of(op);
      dequeued = start_of(arrow->second);
    }
    Time from = bubble.start;
    const auto spend = [&](LaunchStage stage, Time until) {
      const Time to = std::clamp(until, from, bubble.end);
      bubble.stages[static_cast<std::size_t>(stage)] += to - from;
      from = to;
    };
    spend(LaunchStage::kHost, begun);
    spend(LaunchStage::kOperator, enqueued);
    spend(LaunchStage::kTaskQueue, dequeued);
    // From the dequeue to the call is the second thread's work for it.
    spend(LaunchStage::kOperator, call);
    spend(LaunchStage::kCall, end_of(bubble.launch_call));
    spend(LaunchStage::kDevice, bubble.end);
    const auto* longest = std::ranges::max_element(bubble.stages);
    bubble.late_stage = static_cast<LaunchStage>(longest - bubble.stages.begin());
  }

  const Trace& trace_;
  const DeviceTimeline& timeline_;
  const HostIndex& host_;
  const Launches& launches_;
  const QueueArrows queue_;
};

}  // namespace

void split_by_launch(const Trace& trace, const DeviceTimeline& timeline, const HostIndex& host,
                     const Launches& launches, std::span<Bubble> bubbles) {
  const LaunchSplitter splitter(trace, timeline, host, launches);
  for (Bubble& bubble : bubbles) splitter.split(bubble);
}

}  // namespace lockstep
