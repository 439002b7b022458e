// simdjson's code of a failed allocation, as the exception that it is elsewhere (base/shortage.h).
#pragma once

#include <cstdint>
#include <new>

#include <simdjson.h>

#include "base/shortage.h"

namespace lockstep::formats::shared {

// The same code, unless memory was short: a document that cannot be parsed for want of it is not a
// damaged one.
[[nodiscard]] inline simdjson::error_code unless_short(simdjson::error_code code) {
  if (code == simdjson::MEMALLOC) throw std::bad_alloc();
  return code;
}

// Begins the on-demand parsing of a text. simdjson 3.0 does not look whether it got its buffer for
// unescaped strings, which it asked for without an exception, and would write to nowhere.
template <typename... Text>
[[nodiscard]] simdjson::error_code iterate(simdjson::ondemand::parser& parser,
                                           simdjson::ondemand::document& document,
                                           const Text&... text) {
  const std::uint64_t before = failed_allocations();
  const simdjson::error_code code = parser.iterate(text...).get(document);
  if (failed_allocations() != before) throw std::bad_alloc();
  return unless_short(code);
}

}  // namespace lockstep::formats::shared
