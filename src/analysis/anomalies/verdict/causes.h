// Labels summed up: how much of the bubble time carries each, and how sure that is.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/anomalies/verdict/finding.h"
#include "analysis/anomalies/verdict/tags.h"
#include "base/time.h"

namespace lockstep::analysis::anomalies {

struct FindingInput;

// What speaks for a label: times of the bubbles that carry it.
struct CauseEvidence {
  WideTime all = 0;           // bubbles of the target, with and without the label
  WideTime launch_known = 0;  // part whose launches are known
  WideTime host_part = 0;     // of it, before the launch of the next kernel had returned
  WideTime host_covered = 0;
  WideTime sync_covered = 0;
  WideTime comm_covered = 0;
  std::vector<NamedTime> ops;  // host operators that they lie in, or that launch the next kernel
};

// A cause as the spec sums it up: a label, how sure, of what.
struct SoftCause {
  SoftLabel label{};
  Confidence confidence = Confidence::kLow;
  std::string_view scope;  // "global", "group", "step"
  std::string target;      // a group or step id
  WideTime bubble_time = 0;
  CauseEvidence evidence;
};

// Labels with their share of the bubble time of the device, of its groups and of the steps that
// `findings` tell, and how sure they are. The leading one is first.
[[nodiscard]] std::vector<SoftCause> soft_causes(const FindingInput& input,
                                                 std::span<const Finding> findings);

}  // namespace lockstep::analysis::anomalies
