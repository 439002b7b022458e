// A small JSON object on one line, with numbers that keep the digits they are printed with.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/time.h"

namespace lockstep::report::sinks {

class JsonRow {
 public:
  JsonRow& member(std::string_view key, const nlohmann::ordered_json& value);
  JsonRow& raw(std::string_view key, std::string_view json);

  [[nodiscard]] std::string finish() const { return text_ + "}"; }

 private:
  std::string text_ = "{";
};

// "[a, b]" of elements that are JSON already.
[[nodiscard]] std::string json_list(std::span<const std::string> elements);

// Whole nanoseconds, rounded down, as milliseconds ("155.985800") and microseconds ("17902.502").
[[nodiscard]] std::string exact_ms(WideTime ps);
[[nodiscard]] std::string exact_us(WideTime ps);
[[nodiscard]] inline std::string exact_ms(Time time) { return exact_ms(WideTime{time.ps}); }
[[nodiscard]] inline std::string exact_us(Time time) { return exact_us(WideTime{time.ps}); }

// Six decimals; 0 for what is no number.
[[nodiscard]] std::string exact_ratio(double ratio);

}  // namespace lockstep::report::sinks
