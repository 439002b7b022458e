// Operators and structures in the JSON of `anomalies`.
#pragma once

#include "report/anomalies/anomalies_view.h"
#include "report/sinks/json_text.h"

namespace lockstep {

// Elements of an array that is open.
void write_wait_anchors(const DeviceAnomalies& device, const std::vector<std::uint32_t>& anchors,
                        JsonText& text);
void write_aicpu(const DeviceAnomalies& device, const Trace& trace, JsonText& text);
void write_structures(const DeviceAnomalies& device, JsonText& text);

// Members of an object that is open.
void write_op_rankings(const DeviceAnomalies& device, JsonText& text);
void write_small_ops(const SmallOps& small, JsonText& text);

}  // namespace lockstep
