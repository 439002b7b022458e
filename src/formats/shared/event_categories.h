// What the categories of events mean: the one table from the word of the profiler to Kind and side.
// Chrome JSON and Perfetto files share the words.
#pragma once

#include <string_view>

#include "trace/kind.h"
#include "trace/trace.h"

namespace lockstep::formats::shared {

struct CategoryMeaning {
  trace::Kind kind = trace::Kind::kHostOp;
  trace::Track::Side side = trace::Track::Side::kHost;
  bool known = false;      // false: the track's name may say more (JAX)
  bool is_kineto = false;  // only Kineto writes it
};

[[nodiscard]] CategoryMeaning meaning_of_category(std::string_view category);

// Flow categories whose ids are the correlation numbers of the events that they join.
[[nodiscard]] bool is_correlation_flow(std::string_view category);

}  // namespace lockstep::formats::shared
