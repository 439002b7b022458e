// Operators and structures in the JSON of `anomalies`.
#pragma once

#include "report/anomalies/anomalies_view.h"
#include "report/sinks/json_text.h"

namespace lockstep::report::anomalies {

// Elements of an array that is open.
void write_wait_anchors(const analysis::anomalies::DeviceAnomalies& device,
                        const std::vector<std::uint32_t>& anchors, sinks::JsonText& text);
void write_aicpu(const analysis::anomalies::DeviceAnomalies& device, const trace::Trace& trace,
                 sinks::JsonText& text);
void write_structures(const analysis::anomalies::DeviceAnomalies& device, sinks::JsonText& text);

// Members of an object that is open.
void write_op_rankings(const analysis::anomalies::DeviceAnomalies& device, sinks::JsonText& text);
void write_small_ops(const analysis::anomalies::SmallOps& small, const std::string& judgement,
                     sinks::JsonText& text);

}  // namespace lockstep::report::anomalies
