// Which process launched the work of which device, by the correlation ids of both.
//
// Every rank counts its calls from 1, so that ids of ranks overlap; but only one process has
// (almost) all ids of a device. Where two have them, as where ranks do the very same, nothing is
// said.
#pragma once

#include <vector>

#include "formats/chrome_json/dialects/dialect.h"
#include "formats/chrome_json/ranks/rank_plan.h"

namespace lockstep::formats::chrome_json {

// Processes are counted from start.process.
[[nodiscard]] std::vector<LaunchBond> launch_bonds(const trace::Trace& trace,
                                                   const RankStart& start);

}  // namespace lockstep::formats::chrome_json
