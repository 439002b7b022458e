// Idle time that is none.
#pragma once

#include <cstdint>

#include "analysis/anomalies/verdict/tags.h"
#include "base/time.h"

namespace lockstep::analysis::anomalies {

// A bubble that is no idle time.
struct Artefact {
  Tag tag = Tag::kUnrecordedWork;
  std::uint32_t step = 0;
  Time idle;                 // that is none
  std::uint32_t bubble = 0;  // of the device's
};

}  // namespace lockstep::analysis::anomalies
