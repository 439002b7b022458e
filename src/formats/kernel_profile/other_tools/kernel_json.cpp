// Values of JSON objects.
#include "formats/kernel_profile/other_tools/kernel_json.h"

#include <charconv>
#include <new>

#include "base/utf8.h"
#include "formats/shared/simdjson_shortage.h"

namespace lockstep::formats::kernel_profile::kernel_json {
namespace {

std::string_view shortened(std::string_view text) {
  constexpr std::size_t kMaxBytes = 1U << 16;
  return cut_between_characters(text, kMaxBytes);
}

// One far away would make a list out of all proportion.
void set_name(std::vector<std::string>& names, std::uint64_t number, std::string_view name) {
  if (number >= trace::kMaxKernelEvents) return;
  if (names.size() <= number) names.resize(number + 1);
  names[number] = shortened(name);
}

}  // namespace

Result<dom::element> parse_any(dom::parser& parser, std::span<const std::byte> bytes) {
  const simdjson::padded_string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.data() == nullptr) throw std::bad_alloc();
  dom::element root;
  if (const auto failure = shared::unless_short(parser.parse(text).get(root));
      failure != simdjson::SUCCESS) {
    return input_error({}, std::string("is not valid JSON: ") + simdjson::error_message(failure));
  }
  return root;
}

Result<dom::element> parse(dom::parser& parser, std::span<const std::byte> bytes) {
  LOCKSTEP_ASSIGN_OR_RETURN(const dom::element root, parse_any(parser, bytes));
  if (!root.is_object()) return input_error({}, "is JSON, but no object");
  return root;
}

std::string text(dom::element object, std::string_view key) {
  std::string_view value;
  if (object[key].get(value) != simdjson::SUCCESS) return {};
  return std::string(shortened(value));
}

std::uint64_t number(dom::element object, std::string_view key, std::uint64_t fallback) {
  std::uint64_t value = 0;
  return object[key].get(value) == simdjson::SUCCESS ? value : fallback;
}

std::optional<double> decimal(dom::element object, std::string_view key) {
  double value = 0;
  if (object[key].get(value) == simdjson::SUCCESS) return value;
  std::string_view digits;
  if (object[key].get(digits) != simdjson::SUCCESS) return std::nullopt;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

double rate(dom::element object, std::string_view key) {
  constexpr double kMost = 1e6;
  double value = 0;
  if (object[key].get(value) != simdjson::SUCCESS) return 0;
  return value >= 1 / kMost && value <= kMost ? value : 0;
}

trace::Extent3 extent(dom::element object, std::string_view key) {
  if (object[key].is_uint64()) return {static_cast<std::uint32_t>(number(object, key)), 1, 1};
  const std::vector<std::uint32_t> sizes = numbers(object, key);
  if (sizes.empty() || sizes.size() > 3) return {};
  return {sizes[0], sizes.size() > 1 ? sizes[1] : 1, sizes.size() > 2 ? sizes[2] : 1};
}

std::vector<std::string> names(dom::element object, std::string_view key, std::size_t most) {
  std::vector<std::string> out;
  if (dom::array list; object[key].get(list) == simdjson::SUCCESS) {
    for (const dom::element entry : list) {
      if (out.size() == most) break;
      std::string_view name;
      if (entry.get(name) != simdjson::SUCCESS) name = {};
      out.emplace_back(shortened(name));
    }
  }
  if (dom::object map; object[key].get(map) == simdjson::SUCCESS) {
    for (const dom::key_value_pair entry : map) {
      std::string_view name;
      std::uint64_t number = 0;
      if (entry.value.get(number) == simdjson::SUCCESS) {
        set_name(out, number, entry.key);
      } else if (entry.value.get(name) == simdjson::SUCCESS &&
                 std::from_chars(entry.key.data(), entry.key.data() + entry.key.size(), number)
                         .ec == std::errc{}) {
        set_name(out, number, name);
      }
    }
  }
  return out;
}

std::vector<std::uint32_t> numbers(dom::element object, std::string_view key) {
  std::vector<std::uint32_t> out;
  dom::array list;
  if (object[key].get(list) != simdjson::SUCCESS) return out;
  for (const dom::element entry : list) {
    std::uint64_t value = 0;
    if (entry.get(value) != simdjson::SUCCESS || value > UINT32_MAX) return {};
    out.push_back(static_cast<std::uint32_t>(value));
  }
  return out;
}

}  // namespace lockstep::formats::kernel_profile::kernel_json
