// Advice for each action, by what the program was written with.
#include "report/anomalies/words/recommendation_words.h"

#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "report/anomalies/words/profiler_words.h"
#include "report/anomalies/words/word_parts.h"

namespace lockstep::report::anomalies {
namespace {

using analysis::anomalies::Action;
using analysis::anomalies::Recommendation;
using analysis::anomalies::Unknown;

// A recommendation names no more targets than this.
constexpr std::size_t kMostTargets = 4;

std::string_view sync_action(Stack stack) {
  if (stack == Stack::kAscend)
    return "Take the synchronisation or the copy out of the step: keep values on the device (no "
           ".item(), .cpu(), print), copy from pinned memory with non_blocking=True, make sure "
           "that ASCEND_LAUNCH_BLOCKING is not 1.";
  return "Take the synchronisation or the copy out of the step: keep values on the device (no "
         ".item(), .cpu(), print), copy from pinned memory with non_blocking=True, prefetch the "
         "next input on a stream of its own.";
}

std::string_view launch_path_action(Stack stack) {
  if (stack == Stack::kAscend)
    return "Shorten the host's way to the late launch: avoid compiling operators in the step "
           "(jit_compile=False, fixed shapes), dispatch on two threads (TASK_QUEUE_ENABLE=2), move "
           "Python work out of the loop.";
  return "Shorten the host's way to the late launch: cache what it builds for each call (plans, "
         "kernels for new shapes), move Python work out of the loop, replay the part as a graph.";
}

std::string_view launch_less_action(Stack stack) {
  switch (stack) {
    case Stack::kTorch:
      return "Launch less often: torch.compile, CUDA or HIP graphs (mode=\"reduce-overhead\"), "
             "fused optimisers, a larger batch.";
    case Stack::kAscend:
      return "Launch less often or faster: graph mode (aclgraph, torchair), fused operators, "
             "TASK_QUEUE_ENABLE=2, bound cores for the host's threads, a larger batch.";
    case Stack::kXla:
      return "Launch less often: put more of the step under one jit, enable command buffers "
             "(--xla_gpu_enable_command_buffer), use a larger batch.";
    case Stack::kOther:
      break;
  }
  return "Launch less often: graphs, fused kernels, a larger batch.";
}

// About what holds the device up.
std::string_view gap_action(Action action, Stack stack) {
  switch (action) {
    case Action::kAvoidSyncOrCopy:
      return sync_action(stack);
    case Action::kCompareRanks:
      return "Compare the ranks at the collective around the gap and look at the one that enters "
             "it last; balance the work or overlap communication with computing.";
    case Action::kFindHostBlock:
      return "Find what blocks the host where the profiler sees nothing: sample its threads during "
             "the gap; check input pipeline, sleeps, locks, garbage collection, file and network "
             "waits.";
    case Action::kShortenLaunchPath:
      return launch_path_action(stack);
    case Action::kFreeLaunchThread:
      return "Take Python work off the launching thread: move loading and post-processing to other "
             "processes, collect garbage between steps (gc.freeze, gc.disable), look for "
             "contention for the interpreter's lock.";
    case Action::kLaunchLess:
      return launch_less_action(stack);
    case Action::kLookAtStreams:
      return "Kernels start late although they were launched in time: look at dependencies between "
             "streams, at waits for events and at other users of the device.";
    case Action::kFindLateRank:
      return "The collectives wait instead of moving data: find the rank that comes last and why, "
             "balance the work between ranks, check that none is slowed down.";
    case Action::kFindLateRankIfMeasured:
      return "If transit was measured, the collectives only wait: find the rank that comes last "
             "and why, balance the work between ranks, check that none is slowed down.";
    case Action::kFindLatePeer:
      return "Find the rank that enters the collective last in the step that stands out, and what "
             "held it up there.";
    case Action::kDropDeviceCopies:
      return "Most copies stay on the device: drop them (views instead of clone and contiguous) or "
             "fuse them into the kernels around them.";
    case Action::kMoveOffAicpu:
      return "Move the operator off the AI CPU: another dtype or shape that an AI core runs, a "
             "fused operator, or let it run beside computing.";
    default:
      return "";
  }
}

// About how gaps are read and recorded.
std::string_view reading_action(Action action) {
  switch (action) {
    case Action::kRecordHost:
      return "Record host operators, runtime calls and Python stacks around the gap: what was "
             "recorded points to no cause.";
    case Action::kWidenCapture:
      return "Begin the capture earlier and end it later, or let a warm-up step run inside: gaps "
             "at its edge tell nothing.";
    case Action::kRecordMissingWork:
      return "Do not read the idle share as idleness: record the missing work first (graphs node "
             "by node, all streams, a longer window).";
    case Action::kLookBetweenLayers:
      return "Most gaps lie between structures, not inside: look at what the host does from one "
             "layer to the next (hooks, Python between modules, synchronisation).";
    case Action::kLeaveWaitAnchor:
      return "Nothing to optimise there: it ranks high for the wait before the kernel, not for its "
             "work.";
    case Action::kCheckCommunication:
      return "Waits of operators lie inside communication: check communication and synchronisation "
             "before blaming the operators.";
    case Action::kSampleThreads:
      return "Sample the host's threads beside the next capture (py-spy record --native --idle, "
             "perf record -g, a view of threads and system calls).";
    default:
      return "";
  }
}

std::string action_words(const trace::Trace& trace, const Recommendation& one) {
  switch (one.action) {
    case Action::kLookIntoOperator:
      return fmt::format(
          "Look into {} on the host, before its launch: keep shapes fixed so that plans and "
          "compiled kernels are found again, warm up every shape, or choose another "
          "implementation.",
          one.op);
    case Action::kFuseSmallKernels:
      return fmt::format(
          "Fuse small kernels, or replay them as a graph: {} of {} {} {} of launch gaps and {} "
          "of work.",
          grouped(one.small.count), counted(one.small.all, "kernel"),
          one.small.count == 1 ? "costs" : "cost", time_words(one.small.gaps),
          time_words(one.small.duration));
    case Action::kRecordStacks:
      return fmt::format("Record again with Python stacks ({}): gaps are not explained.",
                         profiler_words(trace).stacks);
    case Action::kRecordShapes:
      return fmt::format("Record again with shapes ({}): steps differ, and shapes may tell why.",
                         profiler_words(trace).shapes);
    default:
      break;
  }
  const std::string_view words = gap_action(one.action, stack_of(trace));
  return std::string(words.empty() ? reading_action(one.action) : words);
}

std::string_view unknown_words(Unknown unknown) {
  switch (unknown) {
    case Unknown::kHostInGap:
      return "What the host did during the gap was not recorded.";
    case Unknown::kCause:
      return "What was recorded points to no cause.";
    case Unknown::kLaunchOfNext:
      return "Who launched the next kernel is not known.";
    case Unknown::kLaunches:
      return "Who launched the kernels is not known.";
    case Unknown::kDeviceWork:
      return "What ran on the device meanwhile was not recorded.";
    case Unknown::kBeyondEdge:
      return "What lies beyond the edge of the capture was not recorded.";
    case Unknown::kLateRank:
      return "Only one rank was given: which one is late is not known.";
    case Unknown::kPollutedWaits:
      return "Waits in this group are no evidence for a cause.";
    case Unknown::kPythonFrames:
      return "No Python frames were recorded.";
    case Unknown::kHostEvents:
      return "Recorded host events do not cover the gaps.";
    case Unknown::kShapes:
      return "No shapes were recorded.";
  }
  return "";
}

std::string target_words(std::vector<std::string> targets) {
  const std::size_t count = targets.size();
  if (count > kMostTargets) {
    targets.resize(kMostTargets - 1);
    targets.push_back(fmt::format("{} more", count - kMostTargets + 1));
  }
  return listed(targets);
}

}  // namespace

RecommendationWords recommendation_words(const trace::Trace& trace, const Recommendation& one) {
  return {target_words(one.targets), action_words(trace, one),
          std::string(one.unknown ? unknown_words(*one.unknown) : "")};
}

}  // namespace lockstep::report::anomalies
