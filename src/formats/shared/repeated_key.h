// Two records that became one: a comma or brackets between them are gone.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include <simdjson.h>

namespace lockstep::formats::shared {

// Whether one of the first keys of an object is there again. JSON allows it, and the last one
// counts; no profiler writes it. Records have fewer keys than are looked at.
[[nodiscard]] inline bool repeats_a_key(simdjson::dom::element record) {
  simdjson::dom::object members;
  if (record.get(members) != simdjson::SUCCESS) return false;
  std::array<std::string_view, 16> first;
  std::size_t known = 0;
  for (const simdjson::dom::key_value_pair member : members) {
    const std::span before = std::span(first).first(known);
    if (std::ranges::find(before, member.key) != before.end()) return true;
    if (known < first.size()) first[known++] = member.key;
  }
  return false;
}

}  // namespace lockstep::formats::shared
