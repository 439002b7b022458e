// What the stats of an event say besides its arguments: its links, its step, its collective.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "formats/xspace/read/plane_metadata.h"
#include "trace/trace.h"

namespace lockstep::formats::xspace {

[[nodiscard]] inline bool is_integer(const StatValue& value) {
  return value.type == StatValue::Type::kSigned || value.type == StatValue::Type::kUnsigned;
}

// What is looked at of a text that any number of events may refer to. Real ones are far shorter.
[[nodiscard]] inline std::string_view front_of(std::string_view text) {
  constexpr std::size_t kBytes = 1024;
  return text.substr(0, kBytes);
}

// Points into the stats that it was made from.
struct EventFacts {
  std::int64_t correlation = trace::kNoCorrelation;
  const StatValue* step = nullptr;
  bool is_memcpy = false;
  bool is_memset = false;
  std::optional<std::int64_t> producer_type;
  std::optional<std::uint64_t> producer;
  std::optional<std::int64_t> consumer_type;
  std::optional<std::uint64_t> consumer;
  bool has_flow = false;
  bool has_collective = false;
  const StatValue* hlo_op = nullptr;
};

// `is_ours`: the file was written by lockstep, which also writes a correlation of 0.
[[nodiscard]] EventFacts facts_of_event(std::span<const StatValue> stats, PlaneMetadata& metadata,
                                        bool is_ours);

// Gives a collective what the stats of its event say of it.
void describe_collective(trace::Collective& collective, std::span<const StatValue> stats,
                         PlaneMetadata& metadata);

}  // namespace lockstep::formats::xspace
