// Why a step has a tag.
#pragma once

#include <string>

#include "analysis/anomalies/verdict/tags.h"

namespace lockstep::analysis::anomalies {

struct TagReason {
  Tag tag{};
  std::string text;  // "underfeed ratio 0.745 >= 0.3"
};

}  // namespace lockstep::analysis::anomalies
