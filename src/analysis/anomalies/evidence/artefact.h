// Idle time that is none.
#pragma once

#include <cstdint>
#include <string>

#include "analysis/anomalies/verdict/tags.h"
#include "base/time.h"

namespace lockstep::analysis::anomalies {

// "This idle share is an artefact, because ..."
struct Artefact {
  Tag tag = Tag::kUnrecordedWork;
  std::uint32_t step = 0;
  Time idle;  // that is none
  std::string because;
};

}  // namespace lockstep::analysis::anomalies
