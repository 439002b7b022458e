// Reading of the small JSON texts that come with in-kernel profiles: values that are missing or of
// another type read as the given default.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

#include "base/result.h"
#include "trace/kernel_profile.h"

namespace lockstep::formats::kernel_profile::kernel_json {

namespace dom = simdjson::dom;

// The root of the document; it lives as long as the parser.
[[nodiscard]] Result<dom::element> parse_any(dom::parser& parser, std::span<const std::byte> bytes);
// The same of a document that must be an object.
[[nodiscard]] Result<dom::element> parse(dom::parser& parser, std::span<const std::byte> bytes);

[[nodiscard]] inline bool has(dom::element object, std::string_view key) {
  dom::element ignored;
  return object[key].get(ignored) == simdjson::SUCCESS;
}
// Cut at 64 KiB: the longest names of kernels have some.
[[nodiscard]] std::string text(dom::element object, std::string_view key);
[[nodiscard]] std::uint64_t number(dom::element object, std::string_view key,
                                   std::uint64_t fallback = 0);
// Also where it is written as text ("0.111"): tools that keep every digit write times so.
[[nodiscard]] std::optional<double> decimal(dom::element object, std::string_view key);
// A rate or step: 0, not known, where it is not between a millionth and a million.
[[nodiscard]] double rate(dom::element object, std::string_view key);
// [x, y, z] or one number; zeros where it is neither.
[[nodiscard]] trace::Extent3 extent(dom::element object, std::string_view key);
// Names by number: ["a", "b"], {"0": "a", "1": "b"} or {"a": 0, "b": 1}; no more than `most`.
[[nodiscard]] std::vector<std::string> names(dom::element object, std::string_view key,
                                             std::size_t most = trace::kMaxKernelEvents);
[[nodiscard]] std::vector<std::uint32_t> numbers(dom::element object, std::string_view key);

}  // namespace lockstep::formats::kernel_profile::kernel_json
