// What `lockstep anomalies --json` prints: schema lockstep.anomalies/2, documented in
// docs/reference/anomalies.md.
#pragma once

#include <string>

#include "base/result.h"
#include "io/byte_sink.h"
#include "report/anomalies/anomalies_view.h"

namespace lockstep::report::anomalies {

[[nodiscard]] std::string anomalies_json(const AnomaliesReport& report, BubbleLimit bubbles);
// The same document into a sink, which stays open.
[[nodiscard]] Status write_anomalies_json(const AnomaliesReport& report, BubbleLimit bubbles,
                                          io::ByteSink& sink);

}  // namespace lockstep::report::anomalies
