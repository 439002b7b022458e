// What the host did in some windows of time, as signs for a drawing.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "algo/intervals/intervals.h"
#include "base/time.h"
#include "report/anomalies/gap_drawing.h"
#include "trace/trace.h"

namespace lockstep::report::anomalies {

// s: synchronising or copying call, c: communication, r: other runtime call, o: operator,
// p: Python, x: the profiler itself, -: inside an operator or a Python frame that shows nothing.
inline constexpr std::string_view kHostLegend =
    "host: s sync or copy, c communication, r runtime, o operator, p Python, x profiler, - "
    "inside one";

// For each window the marks of all host threads of `rank` that lie in it, shorter ones later.
// Events longer than `longest` of the window are left out: they lie around everything.
struct HostWindow {
  algo::Interval time;
  Time longest;
};
[[nodiscard]] std::vector<std::vector<DrawnSpan>> host_marks(const trace::Trace& trace,
                                                             trace::RankId rank,
                                                             std::span<const HostWindow> windows);

}  // namespace lockstep::report::anomalies
