// One clause a ground.
#include "report/anomalies/words/reason_words.h"

#include <string_view>

#include <fmt/format.h>

#include "base/text.h"

namespace lockstep::report::anomalies {
namespace {

using analysis::anomalies::Ground;
using analysis::anomalies::TagGround;
using analysis::anomalies::TagReason;
using analysis::anomalies::Thresholds;

// What is compared with a limit.
std::string_view time_of(Ground ground) {
  switch (ground) {
    case Ground::kPrelaunchGap:
      return "prelaunch gap";
    case Ground::kTailGap:
      return "tail gap";
    case Ground::kInternalBubble:
      return "largest internal bubble";
    case Ground::kUntracedBubble:
      return "untraced bubble";
    case Ground::kExposedAicpu:
      return "exposed AI CPU time";
    case Ground::kExposedCopies:
      return "exposed copies";
    case Ground::kAboveMedian:
      return "above the median of its group by";
    case Ground::kGapAtEdge:
      return "gap at the edge of the capture";
    case Ground::kUnrecordedWork:
      return "idle time that is unrecorded work";
    default:
      return "";
  }
}

std::string_view ratio_of(Ground ground) {
  switch (ground) {
    case Ground::kUnderfeed:
      return "underfeed ratio";
    // The reason must not seem to quote the raw ratio, which stands beside it in every report.
    case Ground::kJudgedUnderfeed:
      return "underfeed ratio without dispatch gaps and artefacts";
    case Ground::kHostCoverage:
      return "host coverage of bubbles";
    case Ground::kSyncCalls:
      return "synchronising calls in bubbles";
    case Ground::kUntracedShare:
      return "untraced share of bubbles";
    case Ground::kCommShare:
      return "communication share of bubbles";
    case Ground::kOpaqueGraphs:
      return "idle share under graph launches that show hardly any kernels";
    case Ground::kProfilerShare:
      return "profiler's share of bubbles";
    default:
      return "";
  }
}

std::string clause_of(const TagGround& one, const Thresholds& t) {
  switch (one.ground) {
    case Ground::kBubblesRecur:
      return fmt::format("bubbles at the same place in at least {} of the {} {} of its group",
                         one.bound, one.count, one.count == 1 ? "step" : "steps");
    case Ground::kRecurring:
      return "recurring";
    case Ground::kCommStalls:
      return "collectives stall inside what looks busy";
    case Ground::kLittleTransit:
      return fmt::format("collectives of {} move data for {}: share {:.3f} < {}, stall {} >= {}{}",
                         human_time(one.whole), human_time(one.value), one.ratio, one.bound,
                         human_time(one.whole - one.value), human_time(one.limit),
                         one.value.ps == 0 ? ", if transit was measured at all" : "");
    case Ground::kNotifyWaits:
      return fmt::format("collectives of {} wait for peers for {}: share {:.3f} > {}, wait >= {}",
                         human_time(one.whole), human_time(one.value), one.ratio, one.bound,
                         human_time(one.limit));
    case Ground::kWaitsInComm:
      return fmt::format("an operator waits inside communication for at least {} of its wait",
                         one.bound);
    case Ground::kWaitAnchor:
      return fmt::format("an operator has wait ratio > {}, mean duration < {} us and rank <= {}",
                         t.wait_anchor_ratio, t.wait_anchor_us, t.wait_anchor_rank);
    case Ground::kTouchesBubble:
      return "it touches a bubble";
    case Ground::kFewKernels:
      return fmt::format("edge step has {} {} < {} of the median {}", one.count,
                         one.count == 1 ? "kernel" : "kernels", one.bound, one.of);
    case Ground::kTwoShapes:
      return "steps run the same kernels on different shapes";
    case Ground::kManyFrames:
      return fmt::format("{:.1f} Python frames recorded for each kernel >= {}", one.count,
                         one.bound);
    default:
      break;
  }
  if (const std::string_view time = time_of(one.ground); !time.empty())
    return fmt::format("{} {} >= {}", time, human_time(one.value), human_time(one.limit));
  return fmt::format("{} {:.3f} >= {}", ratio_of(one.ground), one.ratio, one.bound);
}

}  // namespace

std::string reason_words(const TagReason& reason, const Thresholds& thresholds) {
  std::string words;
  for (const TagGround& one : reason.grounds) {
    if (!words.empty()) words += one.ground == Ground::kRecurring ? ", " : "; ";
    words += clause_of(one, thresholds);
  }
  return words;
}

}  // namespace lockstep::report::anomalies
