// Checks of a whole trace that no reader can make while reading: order and overlaps of streams,
// launches against device work. What they find is a diagnostic of the rank's input.
#pragma once

#include <vector>

#include "analysis/summary/event_pass.h"
#include "base/diagnostics.h"
#include "trace/trace.h"

namespace lockstep::analysis::summary {

extern const DiagnosticKind kOutOfOrder;
extern const DiagnosticKind kStreamOverlap;
extern const DiagnosticKind kStreamOverlapLarge;
extern const DiagnosticKind kDeviceWorkWithoutLaunch;
extern const DiagnosticKind kLaunchWithoutDeviceWork;
extern const DiagnosticKind kMissingDevicePrefix;
extern const DiagnosticKind kGraphLaunch;
extern const DiagnosticKind kNoDeviceEvents;
extern const DiagnosticKind kNoKernelsDespiteLaunches;

// A kernel that outlasts the whole next one of its stream by more than this is not explained by
// programmatic dependent launch, where the next one starts a few microseconds early.
inline constexpr std::int64_t kLargeOverlapPs = 10 * kPicosecondsPerMicrosecond;
// Fewer launches without device work at the start of a capture are no sign of a lost prefix.
inline constexpr std::size_t kMinMissingPrefix = 3;

// Runs every check and adds what it finds. Sorts the intervals of `tally.tracks`.
void check_health(const trace::Trace& trace, TraceTally& tally, Diagnostics& diagnostics);

// The checks one by one. `work` is one stream's, in the order of the file; it is left sorted.
void check_stream(std::string_view stream, std::vector<algo::Interval>& work, Diagnostics& found);
void check_work_without_launch(const trace::Trace& trace, const LaunchTally& rank,
                               Diagnostics& found);
void check_launches_without_work(const trace::Trace& trace, const LaunchTally& rank,
                                 Diagnostics& found);
void check_graph_launches(const LaunchTally& rank, Diagnostics& found);
void check_any_device_work(const LaunchTally& rank, Diagnostics& found);

}  // namespace lockstep::analysis::summary
