// simdjson's code of a failed allocation, as the exception that it is elsewhere (base/shortage.h).
#pragma once

#include <new>

#include <simdjson.h>

namespace lockstep {

// The same code, unless memory was short: a document that cannot be parsed for want of it is not a
// damaged one.
[[nodiscard]] inline simdjson::error_code unless_short(simdjson::error_code code) {
  if (code == simdjson::MEMALLOC) throw std::bad_alloc();
  return code;
}

}  // namespace lockstep
