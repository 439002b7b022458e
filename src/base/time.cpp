// Exact decimal parsing and printing of times.
#include "base/time.h"

#include <algorithm>
#include <array>

#include "base/letters.h"

namespace lockstep {
namespace {

// Far below 2^127, and every time that a trace can hold is far below that.
constexpr int kMaxIntegerDigits = 30;
// One more digit is kept than a result may have, so that the last one is rounded by its neighbour.
constexpr int kMaxKeptDigits = kMaxIntegerDigits + 1;
constexpr int kMaxExponent = 100'000'000;  // beyond the length of any text that could undo it

// Digits of the number as one integer, and how many of them stood behind the decimal point.
struct Scanned {
  WideTime digits = 0;
  int digit_count = 0;           // significant digits kept in `digits`
  int scale = 0;                 // value = digits * 10^scale
  bool dropped_nonzero = false;  // digits that did not fit and were not zero
  bool negative = false;
  bool valid = false;
};

void take_digit(Scanned& s, char c, bool fraction) {
  if (s.digit_count < kMaxKeptDigits) {
    s.digits = s.digits * 10 + (c - '0');
    if (s.digits != 0) ++s.digit_count;
    if (fraction) --s.scale;
    return;
  }
  s.dropped_nonzero |= c != '0';
  if (!fraction) ++s.scale;
}

bool scan_exponent(std::string_view text, std::size_t& i, int& exponent) {
  bool negative = false;
  if (i < text.size() && (text[i] == '+' || text[i] == '-')) negative = text[i++] == '-';
  if (i >= text.size() || !is_digit(text[i])) return false;
  int value = 0;
  for (; i < text.size() && is_digit(text[i]); ++i) {
    value = std::min(kMaxExponent, value * 10 + (text[i] - '0'));
  }
  exponent = negative ? -value : value;
  return true;
}

Scanned scan_number(std::string_view text) {
  Scanned s;
  std::size_t i = 0;
  if (i < text.size() && text[i] == '-') s.negative = true, ++i;
  const std::size_t first = i;
  for (; i < text.size() && is_digit(text[i]); ++i) take_digit(s, text[i], false);
  if (i == first) return s;
  if (i < text.size() && text[i] == '.') {
    const std::size_t fraction = ++i;
    for (; i < text.size() && is_digit(text[i]); ++i) take_digit(s, text[i], true);
    if (i == fraction) return s;
  }
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    int exponent = 0;
    if (!scan_exponent(text, ++i, exponent)) return s;
    s.scale += exponent;
  }
  s.valid = i == text.size();
  return s;
}

WideTime power_of_ten(int exponent) {
  WideTime value = 1;
  for (int i = 0; i < exponent; ++i) value *= 10;
  return value;
}

// digits / 10^places, rounded half to even; `sticky` tells of lost non-zero digits below.
WideTime divide_half_even(WideTime digits, int places, bool sticky) {
  if (places > kMaxKeptDigits) return 0;
  const WideTime divisor = power_of_ten(places);
  WideTime quotient = digits / divisor;
  const WideTime twice_rest = (digits % divisor) * 2;
  const bool above = twice_rest > divisor || (twice_rest == divisor && sticky);
  const bool tie = twice_rest == divisor && !sticky;
  if (above || (tie && quotient % 2 != 0)) ++quotient;
  return quotient;
}

// The number that the first eight bytes are, all of them digits: pairs of them become numbers of
// two, four and eight digits, each step for all at once.
bool eight_digits(std::string_view text, std::uint64_t& number) {
  if (text.size() < 8) return false;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < 8; ++i) {  // one load
    bytes |= std::uint64_t{static_cast<unsigned char>(text[i])} << (8 * i);
  }
  const std::uint64_t above_nine = bytes + 0x4646'4646'4646'4646;
  const std::uint64_t values = bytes - 0x3030'3030'3030'3030;
  if (((above_nine | values | bytes) & 0x8080'8080'8080'8080) != 0) return false;
  const std::uint64_t twos = (values * 10 + (values >> 8)) & 0x00FF'00FF'00FF'00FF;
  const std::uint64_t fours = (twos * 100 + (twos >> 16)) & 0x0000'FFFF'0000'FFFF;
  number = (fours * 10'000 + (fours >> 32)) & 0xFFFF'FFFF;
  return true;
}

// The common case by hand: at most 19 digits, no sign, no exponent, nothing below one unit.
std::optional<WideTime> parse_short(std::string_view text, int decimal_shift) {
  static constexpr std::array<std::int64_t, 10> kPowers = {
      1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000, 1'000'000'000};
  if (text.size() > 20 || decimal_shift < 0 || decimal_shift > 9) return std::nullopt;
  std::uint64_t digits = 0;
  std::size_t point = text.size();
  std::size_t i = 0;
  for (std::uint64_t eight = 0; eight_digits(text.substr(i), eight); i += 8) {
    digits = digits * 100'000'000 + eight;
  }
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (is_digit(c)) {
      digits = digits * 10 + static_cast<std::uint64_t>(c - '0');
    } else if (c == '.' && point == text.size() && i > 0 && i + 1 < text.size()) {
      point = i;
    } else {
      return std::nullopt;
    }
  }
  const int decimals = point == text.size() ? 0 : static_cast<int>(text.size() - point - 1);
  if (text.empty() || (decimals == 0 && text.size() > 19) || decimals > decimal_shift) {
    return std::nullopt;
  }
  return static_cast<WideTime>(digits) *
         kPowers[static_cast<std::size_t>(decimal_shift - decimals)];
}

}  // namespace

std::optional<WideTime> parse_decimal(std::string_view text, int decimal_shift) {
  if (auto fast = parse_short(text, decimal_shift)) return fast;
  const Scanned s = scan_number(text);
  if (!s.valid) return std::nullopt;
  const int scale = s.scale + decimal_shift;
  WideTime magnitude = 0;
  if (s.digits == 0) {
    magnitude = 0;
  } else if (scale < 0) {
    magnitude = divide_half_even(s.digits, -scale, s.dropped_nonzero);
  } else if (s.digit_count + scale <= kMaxIntegerDigits) {
    magnitude = s.digits * power_of_ten(scale);
  } else {
    return std::nullopt;
  }
  return s.negative ? -magnitude : magnitude;
}

std::string format_decimal(WideTime ps, int decimal_shift, int min_decimals) {
  const bool negative = ps < 0;
  WideTime rest = negative ? -ps : ps;
  std::string out;
  int decimals = 0;
  do {
    out += static_cast<char>('0' + static_cast<int>(rest % 10));
    rest /= 10;
    if (++decimals == decimal_shift) out += '.';
  } while (rest != 0 || decimals <= decimal_shift);
  if (negative) out += '-';
  std::ranges::reverse(out);
  if (decimal_shift == 0) return out;
  const std::size_t keep = out.find('.') + 1 + static_cast<std::size_t>(min_decimals);
  const std::size_t last = out.find_last_not_of('0') + 1;
  out.resize(std::max(keep, last), '0');
  if (out.back() == '.') out.pop_back();
  return out;
}

std::string_view name_of(Clock clock) {
  switch (clock) {
    case Clock::kEpoch:
      return "epoch";
    case Clock::kBoot:
      return "boot";
    case Clock::kSession:
      return "session";
    case Clock::kUnknown:
      return "unknown";
  }
  return "unknown";
}

}  // namespace lockstep
