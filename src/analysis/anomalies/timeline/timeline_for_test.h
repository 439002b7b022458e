// A device with two streams, its timeline and gaps, for tests of what is made of them.
#pragma once

#include <string_view>
#include <vector>

#include "analysis/anomalies/timeline/device_timeline.h"
#include "analysis/anomalies/timeline/op_table.h"
#include "analysis/anomalies/timeline/times_for_test.h"
#include "trace/trace_for_test.h"

namespace lockstep::analysis::anomalies {

class TestDevice {
 public:
  TestDevice() : device(trace.add_device("0")) {
    main = trace.add_stream(device, "7");
    other = trace.add_stream(device, "8");
  }

  // In microseconds.
  trace::EventId add(std::string_view name, std::int64_t start, std::int64_t duration,
                     trace::Kind kind = trace::Kind::kKernel) {
    return add_to(main, name, start, duration, kind);
  }
  trace::EventId add_to(trace::TrackId stream, std::string_view name, std::int64_t start,
                        std::int64_t duration, trace::Kind kind = trace::Kind::kKernel) {
    return trace.add(stream, kind, name, start * 1000, duration * 1000);
  }

  [[nodiscard]] DeviceTimeline timeline() const { return device_timelines(trace.trace).at(0); }
  [[nodiscard]] OpTable table(const Thresholds& thresholds = {}) const {
    const DeviceTimeline device_timeline = timeline();
    return make_op_table(trace.trace, device_timeline, kernel_gaps(device_timeline), thresholds);
  }

  trace::TestTrace trace;
  trace::DeviceId device;
  trace::TrackId main{};
  trace::TrackId other{};
};

}  // namespace lockstep::analysis::anomalies
