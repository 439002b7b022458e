// What `lockstep anomalies --json` prints: schema lockstep.anomalies/1, documented in
// docs/reference/anomalies.md.
#pragma once

#include <string>

#include "report/anomalies_view.h"

namespace lockstep {

[[nodiscard]] std::string anomalies_json(const AnomaliesReport& report, BubbleLimit bubbles);

}  // namespace lockstep
