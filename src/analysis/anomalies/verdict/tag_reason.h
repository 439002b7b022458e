// Why a step has a tag, in figures.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/anomalies/verdict/tags.h"
#include "base/time.h"

namespace lockstep::analysis::anomalies {

// What a rule found. Which figures of a TagGround it has stands behind it.
enum class Ground : std::uint8_t {
  kUnderfeed,        // ratio >= bound
  kJudgedUnderfeed,  // the same without dispatch gaps and artefacts
  kPrelaunchGap,     // value >= limit
  kTailGap,          // value >= limit
  kInternalBubble,   // value >= limit
  kBubblesRecur,     // in bound of the count steps of the group
  kRecurring,        // besides other grounds
  kHostCoverage,     // ratio >= bound
  kSyncCalls,        // ratio >= bound
  kUntracedShare,    // ratio >= bound
  kUntracedBubble,   // value >= limit
  kCommShare,        // ratio >= bound
  kCommStalls,       // inside what looks busy
  kLittleTransit,    // value of whole, ratio < bound; the rest >= limit
  kNotifyWaits,      // value of whole, ratio > bound; value >= limit
  kWaitsInComm,      // of an operator, at least bound of its wait
  kWaitAnchor,       // by the three thresholds of wait anchors
  kExposedAicpu,     // value >= limit
  kTouchesBubble,    // what was said before
  kExposedCopies,    // value >= limit
  kAboveMedian,      // value >= limit
  kGapAtEdge,        // value >= limit
  kFewKernels,       // count < bound of the median, whose number is `of`
  kTwoShapes,
  kOpaqueGraphs,    // ratio >= bound
  kManyFrames,      // count >= bound, for each kernel
  kProfilerShare,   // ratio >= bound
  kUnrecordedWork,  // value >= limit
};

struct TagGround {
  Ground ground{};
  Time value = {};
  Time limit = {};
  Time whole = {};
  double ratio = 0;
  double bound = 0;
  double count = 0;
  double of = 0;
};

struct TagReason {
  Tag tag{};
  std::vector<TagGround> grounds = {};
};

}  // namespace lockstep::analysis::anomalies
