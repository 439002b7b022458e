// How much of a trace there was before something was added, to take it back when that failed.
#pragma once

#include <cstddef>

#include "trace/trace.h"

namespace lockstep::trace {

// Strings stay: they are interned and harm nobody. Diagnostics stay as well.
class TraceMark {
 public:
  explicit TraceMark(const Trace& trace);
  void roll_back(Trace& trace) const;

 private:
  std::size_t ranks_;
  std::size_t processes_;
  std::size_t devices_;
  std::size_t tracks_;
  std::size_t events_;
  std::size_t flows_;
  std::size_t steps_;
  std::size_t collectives_;
};

}  // namespace lockstep::trace
