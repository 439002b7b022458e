// Typing of argument values.
#include "formats/chrome_json/parse/argument_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/letters.h"
#include "formats/chrome_json/scan/careful_scan.h"
#include "formats/chrome_json/scan/json_text.h"

namespace lockstep::formats::chrome_json {
namespace {

// A normal double gives back at least this many significant decimal digits.
constexpr std::size_t kExactDigits = 15;
constexpr std::int64_t kMaxWholeDigits = 19;  // of 64 bits
constexpr std::int64_t kBeyondAnyExponent = 1'000'000'000'000;

std::size_t skip_digits(std::string_view text, std::size_t at) {
  while (at < text.size() && is_digit(text[at])) ++at;
  return at;
}

std::optional<std::int64_t> hexadecimal(std::string_view text) {
  std::int64_t value = 0;
  if (!text.starts_with("0x") && !text.starts_with("0X")) return std::nullopt;
  text.remove_prefix(2);
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (text.starts_with('-') || code != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

StringId intern_text(std::string_view raw, StringPool& strings) {
  if (raw.find('\\') == std::string_view::npos) return strings.intern(raw);
  return strings.intern(unescaped(raw));
}

template <typename Number>
bool parses_whole(std::string_view text, Number& value) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size();
}

// The size of a number: `digits` times ten to the `exponent`, without zeros at either end.
struct Decimal {
  std::string digits;
  std::int64_t exponent = 0;

  friend bool operator==(const Decimal&, const Decimal&) = default;
};

std::int64_t exponent_of(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int32_t value = 0;
  if (parses_whole(text, value)) return value;
  return text.starts_with('-') ? -kBeyondAnyExponent : kBeyondAnyExponent;
}

Decimal decimal_of(std::string_view number) {
  Decimal decimal;
  const std::size_t letter = number.find_first_of("eE");
  bool in_fraction = false;
  for (const char c : number.substr(0, letter)) {
    in_fraction |= c == '.';
    if (!is_digit(c)) continue;
    if (in_fraction) --decimal.exponent;
    if (!decimal.digits.empty() || c != '0') decimal.digits += c;
  }
  if (letter != std::string_view::npos) decimal.exponent += exponent_of(number.substr(letter + 1));
  while (decimal.digits.ends_with('0')) {
    decimal.digits.pop_back();
    ++decimal.exponent;
  }
  if (decimal.digits.empty()) decimal.exponent = 0;
  return decimal;
}

// A JSON number that is whole, in digits or with an exponent.
std::optional<std::int64_t> whole_decimal(std::string_view number) {
  if (!is_json_number(number)) return std::nullopt;
  const Decimal decimal = decimal_of(number);
  if (decimal.exponent < 0 || decimal.exponent > kMaxWholeDigits) return std::nullopt;
  std::string digits = number.starts_with('-') ? "-" : "";
  digits += decimal.digits.empty() ? "0" : decimal.digits;
  digits.append(static_cast<std::size_t>(decimal.exponent), '0');
  std::int64_t value = 0;
  if (!parses_whole(std::string_view(digits), value)) return std::nullopt;
  return value;
}

std::size_t significant_digits(std::string_view number) {
  std::size_t digits = 0;
  for (const char c : number) {
    if (c == 'e' || c == 'E') break;
    if (is_digit(c) && (digits > 0 || c != '0')) ++digits;
  }
  return digits;
}

// Whether the shortest text of `real` is the same number as `text`, from which it was parsed.
bool gives_back(double real, std::string_view text) {
  const std::size_t digits = significant_digits(text);
  if (digits == 0 || (digits <= kExactDigits && std::isnormal(real))) return true;
  std::array<char, 64> shortest{};
  const auto [end, code] = std::to_chars(shortest.data(), shortest.data() + shortest.size(), real,
                                         std::chars_format::scientific);
  return code == std::errc() && decimal_of({shortest.data(), end}) == decimal_of(text);
}

// Numbers above the range of a double; those below it are as good as 0.
bool is_too_large(std::string_view number) {
  double value = 0;
  if (parses_whole(number, value)) return std::isinf(value);
  const Decimal decimal = decimal_of(number);
  return decimal.exponent + static_cast<std::int64_t>(decimal.digits.size()) > 0;
}

// One pass over a text, without recursion.
class StrictJson {
 public:
  explicit StrictJson(std::string_view text) : text_(text) {}

  bool is_one_value() {
    do {
      if (!enter_value() || !leave_value()) return false;
    } while (!open_.empty());
    at_ = skip_space(text_, at_);
    return at_ == text_.size();
  }

 private:
  [[nodiscard]] char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool take(char c) {
    at_ = skip_space(text_, at_);
    if (next() != c) return false;
    ++at_;
    return true;
  }

  // Down through opening brackets to the first scalar or empty bracket.
  bool enter_value() {
    while (true) {
      const bool is_object = take('{');
      if (!is_object && !take('[')) return scalar();
      if (take(is_object ? '}' : ']')) return true;
      open_ += is_object ? '}' : ']';
      if (is_object && !key()) return false;
    }
  }

  // Up through closing brackets to the place of the next value, if there is one.
  bool leave_value() {
    while (!open_.empty()) {
      if (take(',')) return open_.back() == ']' || key();
      if (!take(open_.back())) return false;
      open_.pop_back();
    }
    return true;
  }

  bool key() {
    at_ = skip_space(text_, at_);
    return string() && take(':');
  }

  bool scalar() {
    if (next() == '"') return string();
    const std::size_t end = text_.find_first_of(",]} \t\r\n", at_);
    const std::string_view word = text_.substr(at_, end - at_);
    at_ += word.size();
    if (word == "true" || word == "false" || word == "null") return true;
    return is_json_number(word) && !is_too_large(word);
  }

  bool string() {
    if (next() != '"') return false;
    while (++at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return true;
      }
      if (static_cast<unsigned char>(c) < 0x20) return false;
      if (c == '\\' && !escape()) return false;
    }
    return false;
  }

  // At a backslash; afterwards at the last character of the escape.
  bool escape() {
    ++at_;
    if (next() != 'u') return next() != '\0' && std::string_view("\"\\/bfnrt").contains(next());
    const auto first = code_unit();
    if (!first || (*first >= 0xDC00 && *first <= 0xDFFF)) return false;
    if (*first < 0xD800 || *first > 0xDFFF) return true;
    if (text_.substr(at_ + 1, 2) != "\\u") return false;
    at_ += 2;
    const auto second = code_unit();
    return second && *second >= 0xDC00 && *second <= 0xDFFF;
  }

  // At the letter u; afterwards at the last of its four digits.
  std::optional<unsigned> code_unit() {
    const std::string_view digits = text_.substr(at_ + 1, 4);
    unsigned value = 0;
    const auto [end, code] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (code != std::errc() || end != digits.data() + 4) return std::nullopt;
    at_ += 4;
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string open_;  // the brackets that must close, innermost last
};

trace::Argument number_argument(StringId key, std::string_view text, StringPool& strings) {
  std::int64_t integer = 0;
  if (parses_whole(text, integer)) return trace::Argument::integer(key, integer);
  double real = 0;
  if (parses_whole(text, real) && gives_back(real, text)) return trace::Argument::real(key, real);
  const StringId words = strings.intern(text);
  return is_strict_json(text) ? trace::Argument::json(key, words)
                              : trace::Argument::string(key, words);
}

}  // namespace

bool is_json_number(std::string_view text) {
  std::size_t at = text.starts_with('-') ? 1 : 0;
  const std::size_t integer = at;
  at = skip_digits(text, at);
  if (at == integer || (text[integer] == '0' && at > integer + 1)) return false;
  if (at < text.size() && text[at] == '.') {
    const std::size_t fraction = at + 1;
    at = skip_digits(text, fraction);
    if (at == fraction) return false;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    std::size_t exponent = at + 1;
    if (exponent < text.size() && (text[exponent] == '+' || text[exponent] == '-')) ++exponent;
    at = skip_digits(text, exponent);
    if (at == exponent) return false;
  }
  return at == text.size();
}

bool is_strict_json(std::string_view text) { return StrictJson(text).is_one_value(); }

std::optional<std::int64_t> whole_number(std::string_view json) {
  const std::string_view text = without_quotes(json);
  std::int64_t value = 0;
  if (parses_whole(text, value)) return value;
  return json.starts_with('"') ? hexadecimal(text) : whole_decimal(text);
}

std::optional<std::int64_t> whole_number_in_text(std::string_view text) {
  std::int64_t value = 0;
  return parses_whole(text, value) ? value : hexadecimal(text);
}

bool says_no_value(std::string_view json) {
  constexpr auto kWords =
      std::to_array<std::string_view>({"", "null", "NaN", "nan", "N/A", "n/a", "NA", "None"});
  return std::ranges::find(kWords, without_quotes(json)) != kWords.end();
}

std::string text_value(std::string_view json) { return unescaped(without_quotes(json)); }

std::optional<trace::Argument> typed_argument(const RawArgument& raw, StringPool& strings) {
  const std::string_view text = raw.value;
  if (text.empty()) return std::nullopt;
  const StringId key = intern_text(raw.key, strings);
  if (text.front() == '"')
    return trace::Argument::string(key, intern_text(without_quotes(text), strings));
  if (text.front() == '{' || text.front() == '[' || text == "null") {
    return trace::Argument::json(key, strings.intern(text));
  }
  if (text == "true" || text == "false") return trace::Argument::boolean(key, text == "true");
  const std::string_view digits = text.substr(text.front() == '-' ? 1 : 0);
  if (!digits.empty() && is_digit(digits.front())) return number_argument(key, text, strings);
  return trace::Argument::string(key, strings.intern(text));
}

}  // namespace lockstep::formats::chrome_json
