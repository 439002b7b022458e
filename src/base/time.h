// Exact time: a Time is a signed 64-bit count of picoseconds from the origin of a trace.
//
// Timestamps never pass through double. A reader parses decimal text to WideTime (128 bits, so that
// picoseconds since the epoch fit), subtracts its origin and narrows. Intervals are half-open.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep {

// Sums and differences stop at the ends of 64 bits. Events lie up to 100 days on either side of the
// origin, and 64 bits end at 106: two of them may be further apart than a Time can say.
struct Time {
  std::int64_t ps = 0;

  friend constexpr auto operator<=>(Time, Time) = default;
  friend constexpr Time operator+(Time a, Time b) {
    std::int64_t sum = 0;
    return __builtin_add_overflow(a.ps, b.ps, &sum) ? end_of_range(a.ps < 0) : Time{sum};
  }
  friend constexpr Time operator-(Time a, Time b) {
    std::int64_t distance = 0;
    return __builtin_sub_overflow(a.ps, b.ps, &distance) ? end_of_range(a.ps < 0) : Time{distance};
  }
  constexpr Time& operator+=(Time other) { return *this = *this + other; }

 private:
  static constexpr Time end_of_range(bool is_past) {
    using Limits = std::numeric_limits<std::int64_t>;
    return {is_past ? Limits::min() : Limits::max()};
  }
};

__extension__ using WideTime = __int128;  // picoseconds since whatever the file counts from

inline constexpr std::int64_t kPicosecondsPerNanosecond = 1'000;
inline constexpr std::int64_t kPicosecondsPerMicrosecond = 1'000'000;
// Beyond this distance from the origin a timestamp is a bad record: 64-bit picoseconds end at 106.
inline constexpr std::int64_t kMaxDistanceFromOriginPs =
    std::int64_t{100} * 86'400 * 1'000'000'000'000;

// Whole nanoseconds, rounded towards minus infinity; the one rounding, done at output.
[[nodiscard]] constexpr std::int64_t floor_ns(Time t) {
  const std::int64_t q = t.ps / kPicosecondsPerNanosecond;
  return q - ((t.ps % kPicosecondsPerNanosecond) < 0 ? 1 : 0);
}

[[nodiscard]] constexpr WideTime floor_to_ns(WideTime ps) {
  WideTime rest = ps % kPicosecondsPerNanosecond;
  if (rest < 0) rest += kPicosecondsPerNanosecond;
  return ps - rest;
}

// The Time at `absolute` seen from `origin`, or nothing when they are too far apart.
[[nodiscard]] inline std::optional<Time> narrow(WideTime absolute, WideTime origin) {
  const WideTime distance = absolute - origin;
  if (distance > kMaxDistanceFromOriginPs || distance < -kMaxDistanceFromOriginPs) {
    return std::nullopt;
  }
  return Time{static_cast<std::int64_t>(distance)};
}

// Parses a JSON number ("-12.5", "1.7e15") times 10^decimal_shift, exactly; digits that remain
// below one unit are rounded half to even. Nothing when `text` is not such a number or is
// absurdly large. parse_decimal("12.5", 6) reads microseconds into picoseconds.
[[nodiscard]] std::optional<WideTime> parse_decimal(std::string_view text, int decimal_shift);

inline constexpr int kMicrosecondsToPicoseconds = 6;
inline constexpr int kNanosecondsToPicoseconds = 3;

// Exact decimal text of `ps` in units of 10^-decimal_shift of the printed unit, without trailing
// zeros beyond `min_decimals`: format_decimal(1'234'500'000, 6, 3) is "1234.500".
[[nodiscard]] std::string format_decimal(WideTime ps, int decimal_shift, int min_decimals);

// The domain that an origin counts in; ranks can only be compared inside one domain.
enum class Clock : std::uint8_t { kEpoch, kBoot, kSession, kUnknown };
[[nodiscard]] std::string_view name_of(Clock clock);

// The zero of a trace: nanoseconds in its clock.
struct Origin {
  std::int64_t ns = 0;
  Clock clock = Clock::kUnknown;
};

}  // namespace lockstep
