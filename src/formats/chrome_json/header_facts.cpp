// Reading of root members: base time, rank, device names.
#include "formats/chrome_json/header_facts.h"

#include <algorithm>
#include <array>

#define SIMDJSON_EXCEPTIONS 0
#include <simdjson.h>

#include "formats/chrome_json/argument_values.h"
#include "formats/chrome_json/json_text.h"
#include "formats/simdjson_shortage.h"

namespace lockstep::chrome_json {
namespace {

namespace dom = simdjson::dom;

// Headers of real traces take kilobytes.
constexpr std::size_t kMaxKeptBytes = std::size_t{64} << 20;
constexpr std::size_t kBytesPerMember = 256;  // what keeping one costs besides its text

// Root members that no other writer of Chrome JSON has.
constexpr std::array<std::string_view, 5> kKinetoKeys = {"schemaVersion", "deviceProperties",
                                                         "computeProperties", "distributedInfo",
                                                         "baseTimeNanoseconds"};

std::optional<std::int64_t> integer_of(dom::element element) {
  std::int64_t number = 0;
  if (element.get_int64().get(number) == simdjson::SUCCESS) return number;
  std::string_view text;
  if (element.get_string().get(text) == simdjson::SUCCESS) return whole_number(text);
  return std::nullopt;
}

// A number as it is written shortest, or a text: XSpace names devices so, and convert keeps it.
std::optional<std::string> id_of(dom::element element) {
  if (const auto number = integer_of(element)) return std::to_string(*number);
  std::string_view text;
  if (element.get_string().get(text) == simdjson::SUCCESS) return std::string(text);
  return std::nullopt;
}

// What simdjson's parser makes of it; nothing when it is no JSON.
std::optional<dom::element> parsed(dom::parser& parser, std::string_view json) {
  dom::element element;
  const auto failure = unless_short(parser.parse(json.data(), json.size()).get(element));
  if (failure != simdjson::SUCCESS) return std::nullopt;
  return element;
}

bool read_base_time(dom::element element, HeaderFacts& facts) {
  const auto number = integer_of(element);
  if (number) facts.base_time_ns = *number;
  return number.has_value();
}

// Without a rank it says nothing of interest.
bool read_rank(dom::element info, HeaderFacts& facts) {
  dom::element rank;
  if (!info.is_object()) return false;
  if (info["rank"].get(rank) != simdjson::SUCCESS || rank.is_null()) return true;
  const auto number = integer_of(rank);
  if (number) facts.rank = *number;
  return number.has_value();
}

bool read_devices(dom::element element, HeaderFacts& facts) {
  dom::array list;
  if (element.get_array().get(list) != simdjson::SUCCESS) return false;
  facts.devices.clear();
  bool is_read = true;
  for (const dom::element device : list) {
    dom::element id;
    dom::element name;
    is_read &= device.is_object();
    if (!device.is_object() || device["id"].get(id) != simdjson::SUCCESS) continue;
    if (device["name"].get(name) != simdjson::SUCCESS) continue;
    const auto known = id_of(id);
    std::string_view text;
    const bool is_named = name.get_string().get(text) == simdjson::SUCCESS;
    is_read &= known && is_named;
    if (known && is_named) facts.devices.push_back({*known, std::string(text)});
  }
  return is_read;
}

struct Fact {
  std::string_view key;
  bool (*read)(dom::element, HeaderFacts&);  // false when it is not what it must be
};

constexpr std::array<Fact, 4> kFacts = {{{"baseTimeNanoseconds", read_base_time},
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
  const std::string clean = repaired(json);
  const bool is_read = read_fact(key, clean);
  return {is_read, keep(unescaped(key), clean)};
}

HeaderFacts::Taken HeaderFacts::pass_over(std::string_view key) {
  has_kineto_key |= is_kineto_key(key);
  return {fact_of(key) == nullptr, false};
}

bool HeaderFacts::read_fact(std::string_view key, std::string_view json) {
  const Fact* const fact = fact_of(key);
  if (fact == nullptr || json == "null") return true;
  dom::parser parser;
  const auto value = parsed(parser, json);
  return value && fact->read(*value, *this);
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

}  // namespace lockstep::chrome_json
