// What the members of a record say, and what sort of record they make it.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include <simdjson.h>

#include "base/time.h"
#include "formats/rocm/rocm_records.h"

namespace lockstep::formats::rocprofv3_json {

// Stands for a number that is missing.
inline constexpr std::int64_t kNoNumber = std::numeric_limits<std::int64_t>::min();

[[nodiscard]] inline WideTime picoseconds(std::int64_t ns) {
  return WideTime{ns} * kPicosecondsPerNanosecond;
}

[[nodiscard]] inline std::int64_t number_of(simdjson::dom::element object, std::string_view key,
                                            std::int64_t otherwise = kNoNumber) {
  simdjson::dom::element value;
  std::int64_t number = 0;
  if (object[key].get(value) != simdjson::SUCCESS) return otherwise;
  if (value.get_int64().get(number) == simdjson::SUCCESS) return number;
  std::uint64_t wide = 0;  // handles use all 64 bits
  if (value.get_uint64().get(wide) == simdjson::SUCCESS) return static_cast<std::int64_t>(wide);
  return otherwise;
}

// "agent_id": {"handle": 37946}
[[nodiscard]] inline std::int64_t handle_of(simdjson::dom::element object, std::string_view key,
                                            std::int64_t otherwise = kNoNumber) {
  simdjson::dom::element holder;
  if (object[key].get(holder) != simdjson::SUCCESS) return otherwise;
  return number_of(holder, "handle", otherwise);
}

[[nodiscard]] inline std::string_view text_of(simdjson::dom::element object, std::string_view key) {
  std::string_view text;
  return object[key].get_string().get(text) == simdjson::SUCCESS ? text : std::string_view{};
}

[[nodiscard]] inline rocm::Extent extent_of(simdjson::dom::element object, std::string_view key) {
  simdjson::dom::element extent;
  if (object[key].get(extent) != simdjson::SUCCESS) return {};
  return {number_of(extent, "x", 0), number_of(extent, "y", 0), number_of(extent, "z", 0)};
}

// Where counters were collected, the dispatch lies one level deeper.
[[nodiscard]] inline simdjson::dom::element dispatch_of(simdjson::dom::element record) {
  simdjson::dom::element inner;
  return record["dispatch_data"].get(inner) == simdjson::SUCCESS ? inner : record;
}

[[nodiscard]] inline bool is_dispatch(simdjson::dom::element record) {
  simdjson::dom::element ignored;
  return record["dispatch_info"].get(ignored) == simdjson::SUCCESS ||
         record["dispatch_data"].get(ignored) == simdjson::SUCCESS;
}

[[nodiscard]] inline bool has_times(simdjson::dom::element record) {
  simdjson::dom::element ignored;
  return record["start_timestamp"].get(ignored) == simdjson::SUCCESS;
}

[[nodiscard]] inline bool is_copy(simdjson::dom::element record) {
  simdjson::dom::element ignored;
  return record["dst_agent_id"].get(ignored) == simdjson::SUCCESS &&
         record["src_agent_id"].get(ignored) == simdjson::SUCCESS;
}

}  // namespace lockstep::formats::rocprofv3_json
