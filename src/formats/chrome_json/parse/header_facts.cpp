// Reading of root members: base time, rank, device names.
#include "formats/chrome_json/parse/header_facts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#define SIMDJSON_EXCEPTIONS 0
#include <simdjson.h>

#include "formats/chrome_json/parse/argument_values.h"
#include "formats/chrome_json/scan/json_text.h"
#include "formats/shared/simdjson_shortage.h"

namespace lockstep::formats::chrome_json {
namespace {

namespace dom = simdjson::dom;

// Headers of real traces take kilobytes.
constexpr std::size_t kMaxKeptBytes = std::size_t{64} << 20;
constexpr std::size_t kBytesPerMember = 256;  // what keeping one costs besides its text

// Root members that no other writer of Chrome JSON has.
constexpr std::array<std::string_view, 5> kKinetoKeys = {"schemaVersion", "deviceProperties",
                                                         "computeProperties", "distributedInfo",
                                                         "baseTimeNanoseconds"};

// Whether it says as little as if it were not there.
bool is_absent(dom::element element) {
  std::string_view text;
  dom::array list;
  dom::object object;
  if (element.get_string().get(text) == simdjson::SUCCESS) return says_no_value(text);
  if (element.get_array().get(list) == simdjson::SUCCESS) return list.size() == 0;
  if (element.get_object().get(object) == simdjson::SUCCESS) return object.size() == 0;
  return element.is_null();
}

// Up to here each whole number has a double of its own.
constexpr double kMaxExact = 9'007'199'254'740'992;

std::optional<std::int64_t> integer_of(dom::element element) {
  std::int64_t number = 0;
  if (element.get_int64().get(number) == simdjson::SUCCESS) return number;
  double real = 0;
  if (element.is_double() && element.get_double().get(real) == simdjson::SUCCESS) {
    const bool is_whole = std::abs(real) <= kMaxExact && std::trunc(real) == real;
    return is_whole ? std::optional(static_cast<std::int64_t>(real)) : std::nullopt;
  }
  std::string_view text;
  if (element.get_string().get(text) != simdjson::SUCCESS) return std::nullopt;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = code == std::errc() && end == text.data() + text.size();
  return is_whole ? std::optional(number) : std::nullopt;
}

// A number as it is written shortest, or a text: XSpace names devices so, and convert keeps it.
std::optional<std::string> id_of(dom::element element) {
  if (const auto number = integer_of(element)) return std::to_string(*number);
  std::string_view text;
  if (element.get_string().get(text) == simdjson::SUCCESS) return std::string(text);
  return std::nullopt;
}

// Behind the closing quote of the string that opens at `at`.
std::size_t end_of_string(std::string_view json, std::size_t at) {
  for (++at; at < json.size() && json[at] != '"'; ++at) {
    if (json[at] == '\\') ++at;
  }
  return at + 1;
}

// `json` with null for the words that writers put in place of numbers that are none (NaN, inf).
std::string without_odd_numbers(std::string_view json) {
  constexpr std::string_view kWordBytes =
      "+-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  constexpr auto kOdd = std::to_array<std::string_view>(
      {"NaN", "nan", "-nan", "inf", "-inf", "Infinity", "-Infinity"});
  std::string clean;
  for (std::size_t at = 0; at < json.size();) {
    std::size_t end = at + 1;
    if (json[at] == '"') {
      end = std::min(end_of_string(json, at), json.size());
    } else if (kWordBytes.contains(json[at])) {
      end = std::min(json.find_first_not_of(kWordBytes, at), json.size());
    }
    const std::string_view part = json.substr(at, end - at);
    clean += std::ranges::find(kOdd, part) == kOdd.end() ? part : "null";
    at = end;
  }
  return clean;
}

// What simdjson's parser makes of it; nothing when it is no JSON. Where only odd numbers spoil it,
// `json` becomes the text without them.
std::optional<dom::element> parsed(dom::parser& parser, std::string& json) {
  dom::element element;
  const auto parse = [&](const std::string& text) {
    return shared::unless_short(parser.parse(text.data(), text.size()).get(element));
  };
  if (parse(json) == simdjson::SUCCESS) return element;
  std::string clean = without_odd_numbers(json);
  if (parse(clean) != simdjson::SUCCESS) return std::nullopt;
  json = std::move(clean);
  return element;
}

// From its text: a double has not the digits of nanoseconds since the epoch.
bool read_base_time(dom::element element, std::string_view json, HeaderFacts& facts) {
  const auto number = whole_number(json);
  if (number) facts.base_time_ns = *number;
  return number.has_value() || is_absent(element);
}

// Without a rank it says nothing of interest.
bool read_rank(dom::element info, std::string_view /*json*/, HeaderFacts& facts) {
  dom::element rank;
  if (!info.is_object()) return is_absent(info);
  if (info["rank"].get(rank) != simdjson::SUCCESS) return true;
  const auto number = integer_of(rank);
  if (number) facts.rank = *number;
  return number.has_value() || is_absent(rank);
}

bool read_clock(dom::element element, std::string_view /*json*/, HeaderFacts& facts) {
  dom::element zero;
  std::string_view kind;
  if (!element.is_object() || element["kind"].get_string().get(kind) != simdjson::SUCCESS ||
      element["zero_ns"].get(zero) != simdjson::SUCCESS) {
    return is_absent(element);
  }
  const auto zero_ns = integer_of(zero);
  constexpr std::array kClocks = {Clock::kEpoch, Clock::kBoot, Clock::kSession, Clock::kUnknown};
  const auto* const clock =
      std::ranges::find(kClocks, kind, [](Clock one) { return name_of(one); });
  if (clock == kClocks.end() || !zero_ns) return false;
  facts.clock = HeaderFacts::ClockFact{*clock, *zero_ns};
  return true;
}

// False when it has an id or a name that cannot be read.
bool read_device(dom::element device, HeaderFacts& facts) {
  dom::element id;
  dom::element name;
  if (!device.is_object()) return is_absent(device);
  if (device["id"].get(id) != simdjson::SUCCESS || is_absent(id)) return true;
  const auto known = id_of(id);
  std::string_view text;
  const bool has_name = device["name"].get(name) == simdjson::SUCCESS && !is_absent(name);
  if (!known || (has_name && name.get_string().get(text) != simdjson::SUCCESS)) return false;
  facts.devices.push_back({*known, std::string(text)});
  return true;
}

bool read_devices(dom::element element, std::string_view /*json*/, HeaderFacts& facts) {
  dom::array list;
  if (element.get_array().get(list) != simdjson::SUCCESS) return is_absent(element);
  facts.devices.clear();
  bool is_read = true;
  for (const dom::element device : list) is_read &= read_device(device, facts);
  return is_read;
}

struct Fact {
  std::string_view key;
  // Of a value and its text; false when it is not what it must be.
  bool (*read)(dom::element, std::string_view, HeaderFacts&);
};

constexpr std::array<Fact, 5> kFacts = {{{"baseTimeNanoseconds", read_base_time},
                                         {kClockKey, read_clock},
                                         {"distributedInfo", read_rank},
                                         {"deviceProperties", read_devices},
                                         {"computeProperties", read_devices}}};

const Fact* fact_of(std::string_view key) {
  const auto* const fact = std::ranges::find(kFacts, key, &Fact::key);
  return fact == kFacts.end() ? nullptr : fact;
}

bool is_kineto_key(std::string_view key) {
  return std::ranges::find(kKinetoKeys, key) != kKinetoKeys.end();
}

}  // namespace

HeaderFacts::Taken HeaderFacts::take(std::string_view key, std::string_view json) {
  has_kineto_key |= is_kineto_key(key);
  std::string clean = repaired(json);
  const bool is_read = read_fact(key, clean);
  return {is_read, keep(unescaped(key), std::move(clean))};
}

HeaderFacts::Taken HeaderFacts::pass_over(std::string_view key) {
  has_kineto_key |= is_kineto_key(key);
  return {fact_of(key) == nullptr, false};
}

bool HeaderFacts::read_fact(std::string_view key, std::string& json) {
  const Fact* const fact = fact_of(key);
  if (fact == nullptr || json == "null") return true;
  dom::parser parser;
  const auto value = parsed(parser, json);
  return value && fact->read(*value, json, *this);
}

bool HeaderFacts::keep(std::string key, std::string json) {
  const auto [known, is_new] = index_.try_emplace(key, metadata.size());
  if (!is_new) {
    metadata[known->second].json = std::move(json);
    return true;
  }
  kept_bytes_ += kBytesPerMember + key.size() + json.size();
  if (kept_bytes_ > kMaxKeptBytes) {
    index_.erase(known);
    return false;
  }
  metadata.push_back({std::move(key), std::move(json)});
  return true;
}

}  // namespace lockstep::formats::chrome_json
