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

std::optional<std::int64_t> rank_of(std::string_view json) {
  dom::parser parser;
  dom::element info;
  dom::element rank;
  const auto failure = unless_short(parser.parse(json.data(), json.size()).get(info));
  if (failure != simdjson::SUCCESS) return std::nullopt;
  if (info["rank"].get(rank) != simdjson::SUCCESS) return std::nullopt;
  return integer_of(rank);
}

std::vector<HeaderFacts::DeviceName> devices_of(std::string_view json) {
  std::vector<HeaderFacts::DeviceName> devices;
  dom::parser parser;
  dom::array list;
  const auto failure = unless_short(parser.parse(json.data(), json.size()).get_array().get(list));
  if (failure != simdjson::SUCCESS) return {};
  for (const dom::element device : list) {
    dom::element id;
    std::string_view name;
    if (device["id"].get(id) != simdjson::SUCCESS) continue;
    if (device["name"].get_string().get(name) != simdjson::SUCCESS) continue;
    if (const auto number = integer_of(id)) {
      devices.push_back({std::to_string(*number), std::string(name)});
    }
  }
  return devices;
}

}  // namespace

bool HeaderFacts::take(std::string_view key, std::string_view json) {
  has_kineto_key |= std::ranges::find(kKinetoKeys, key) != kKinetoKeys.end();
  const std::string clean = repaired(json);
  if (key == "baseTimeNanoseconds") {
    base_time_ns = whole_number(clean);
  } else if (key == "distributedInfo") {
    rank = rank_of(clean);
  } else if (key == "deviceProperties" || key == "computeProperties") {
    devices = devices_of(clean);
  }
  return keep(unescaped(key), clean);
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
