// What the phase of an event makes of it, and whether the rest of the event agrees.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/time.h"
#include "formats/chrome_json/parse/event_batch.h"
#include "formats/chrome_json/scan/careful_scan.h"

namespace lockstep::formats::chrome_json {

enum class PhaseUse : std::uint8_t {
  kTimed,
  kMetadata,
  kSkipped,  // marks nothing on a timeline
  kLost,     // nobody defines it, or it cannot be the one that was written
};

// '\0' when it is missing or longer than one character.
[[nodiscard]] inline char phase_of(const RawEvent& event) {
  const Token phase = event[Field::kPhase];
  return phase.size == 1 ? phase.data[0] : '\0';
}

// Of all phases but X.
[[nodiscard]] PhaseUse use_of_other_phase(const RawEvent& event,
                                          std::span<const RawArgument> arguments);

// Most events are spans, and nothing speaks against them.
[[nodiscard]] inline PhaseUse use_of_phase(const RawEvent& event,
                                           std::span<const RawArgument> arguments) {
  return phase_of(event) == 'X' ? PhaseUse::kTimed : use_of_other_phase(event, arguments);
}

// As only spans have one, were it not for exporters that write it with flows and metadata too.
[[nodiscard]] inline bool has_duration(const RawEvent& event) {
  return event[Field::kDuration].present();
}

// JSON has no number that begins so: it is what is left of two numbers, with whatever stood between
// them, or lies under a sector of zeros.
[[nodiscard]] inline bool has_leading_zero(const Token& token) {
  if (token.quoted) return false;
  std::string_view digits = token.text();
  if (digits.starts_with('-')) digits.remove_prefix(1);
  return digits.size() > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9';
}

// A time or duration in microseconds; false when it is missing or no number (NaN, inf).
[[nodiscard]] inline bool parse_time(const Token& token, WideTime& time) {
  std::string_view text = token.text();
  if (has_leading_zero(token)) return false;
  while (!text.empty() && is_json_space(text.back())) text.remove_suffix(1);
  const auto parsed = parse_decimal(text, kMicrosecondsToPicoseconds);
  if (parsed) time = *parsed;
  return parsed.has_value();
}

}  // namespace lockstep::formats::chrome_json
