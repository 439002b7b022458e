// Conversion of stats.
#include "formats/xspace/read/stat_arguments.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "base/json_quote.h"

namespace lockstep::formats::xspace {
namespace {

double real_of(const StatValue& value) { return std::bit_cast<double>(value.number); }

// The value behind "KEY:" in a list of words.
std::string_view detail(std::string_view details, std::string_view key) {
  while (!details.empty()) {
    const std::string_view word = details.substr(0, details.find(' '));
    if (word.size() > key.size() && word.starts_with(key) && word[key.size()] == ':') {
      return word.substr(key.size() + 1);
    }
    details.remove_prefix(std::min(details.size(), word.size() + 1));
  }
  return {};
}

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "4,1,1" with nothing but numbers.
bool is_extent(std::string_view text) {
  return !text.empty() && text.front() != ',' && text.back() != ',' &&
         text.find(",,") == std::string_view::npos &&
         text.find_first_not_of("0123456789,") == std::string_view::npos;
}

}  // namespace

std::string json_of(const StatValue& value, std::string_view text) {
  switch (value.type) {
    case StatValue::Type::kDouble: {
      const double real = real_of(value);
      return std::isfinite(real) ? fmt::format("{}", real) : "null";
    }
    case StatValue::Type::kUnsigned:
      return std::to_string(value.number);
    case StatValue::Type::kSigned:
      return std::to_string(static_cast<std::int64_t>(value.number));
    case StatValue::Type::kText:
    case StatValue::Type::kRef:
      return quoted_json(text);
    case StatValue::Type::kBytes:
      return fmt::format("\"{} bytes\"", text.size());
    case StatValue::Type::kNone:
      break;
  }
  return "null";
}

void StatArguments::add(const StatMetadata& stat, const StatValue& value) {
  switch (value.type) {
    case StatValue::Type::kDouble:
      arguments_.push_back(trace::Argument::real(stat.key, real_of(value)));
      return;
    case StatValue::Type::kUnsigned:
      if (stat.is_boolean) {
        arguments_.push_back(trace::Argument::boolean(stat.key, value.number != 0));
      } else if (value.number >> 63 != 0) {
        arguments_.push_back(
            trace::Argument::json(stat.key, builder_.intern(std::to_string(value.number))));
      } else {
        arguments_.push_back(
            trace::Argument::integer(stat.key, static_cast<std::int64_t>(value.number)));
      }
      return;
    case StatValue::Type::kSigned:
      arguments_.push_back(
          trace::Argument::integer(stat.key, static_cast<std::int64_t>(value.number)));
      return;
    case StatValue::Type::kText:
    case StatValue::Type::kRef: {
      const StringId text = metadata_.text_id(value);
      arguments_.push_back(stat.is_json ? trace::Argument::json(stat.key, text)
                                        : trace::Argument::string(stat.key, text));
      return;
    }
    case StatValue::Type::kBytes:
      add_text(stat.name, builder_.intern(fmt::format("{} bytes", value.text.size())));
      return;
    case StatValue::Type::kNone:
      arguments_.push_back(trace::Argument::json(stat.key, builder_.intern("null")));
      return;
  }
}

void StatArguments::add_kernel_details(std::string_view details) {
  for (const std::string_view key : {"grid", "block"}) {
    const std::string_view extent = detail(details, key);
    if (!is_extent(extent)) continue;
    const StringId list = builder_.intern(fmt::format("[{}]", extent));
    arguments_.push_back(trace::Argument::json(builder_.intern(key), list));
  }
  if (const auto registers = number_in(detail(details, "regs"))) {
    arguments_.push_back(
        trace::Argument::integer(builder_.intern("registers per thread"), *registers));
  }
  auto shared = number_in(detail(details, "shm"));
  const auto fixed = number_in(detail(details, "static_shared"));
  const auto dynamic = number_in(detail(details, "dynamic_shared"));
  if (!shared && fixed && dynamic && *fixed >= 0 && *dynamic >= 0 &&
      *fixed <= INT64_MAX - *dynamic) {
    shared = *fixed + *dynamic;
  }
  if (shared) {
    arguments_.push_back(trace::Argument::integer(builder_.intern("shared memory"), *shared));
  }
}

void StatArguments::add_copy_details(std::string_view details) {
  if (const auto size = number_in(detail(details, "size"))) {
    arguments_.push_back(trace::Argument::integer(builder_.intern("bytes"), *size));
  }
}

void StatArguments::add_text(std::string_view key, StringId value) {
  arguments_.push_back(trace::Argument::string(builder_.intern(key), value));
}

}  // namespace lockstep::formats::xspace
