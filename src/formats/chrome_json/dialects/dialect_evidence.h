// What may tell the dialect of a file, noted while its events are mapped.
#pragma once

#include "formats/chrome_json/dialects/ascend_lanes.h"
#include "formats/chrome_json/dialects/rocprof_v1.h"

namespace lockstep::formats::chrome_json {

struct DialectEvidence {
  AscendTasks ascend;
  RocprofRecords rocprof;
  bool has_kineto_category = false;
};

}  // namespace lockstep::formats::chrome_json
