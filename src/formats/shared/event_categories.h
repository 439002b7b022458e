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
  bool known = false;       // false: the track's name may say more (JAX)
  bool is_kineto = false;   // only Kineto writes it
  bool is_by_name = false;  // the name of an event says more than its category: kind_of_event
};

[[nodiscard]] CategoryMeaning meaning_of_category(std::string_view category);

// What an event of such a category is. MTIA has one category for all that its lanes show.
[[nodiscard]] trace::Kind kind_of_event(const CategoryMeaning& meaning, std::string_view name);

// Flow categories whose ids are the correlation numbers of the events that they join.
[[nodiscard]] bool is_correlation_flow(std::string_view category);

}  // namespace lockstep::formats::shared
