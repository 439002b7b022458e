// Typing of argument values.
#include "formats/chrome_json/argument_values.h"

#include <charconv>
#include <string>

#include "formats/chrome_json/json_text.h"

namespace lockstep::chrome_json {
namespace {

// A double gives back at least this many significant decimal digits.
constexpr int kExactDigits = 15;

StringId intern_text(std::string_view raw, StringPool& strings) {
  if (raw.find('\\') == std::string_view::npos) return strings.intern(raw);
  return strings.intern(unescaped(raw));
}

int significant_digits(std::string_view number) {
  int digits = 0;
  for (const char c : number) {
    if (c == 'e' || c == 'E') break;
    if (c >= '0' && c <= '9' && (digits > 0 || c != '0')) ++digits;
  }
  return digits;
}

template <typename Number>
bool parses_whole(std::string_view text, Number& value) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::optional<std::int64_t> whole_number(std::string_view json) {
  std::int64_t value = 0;
  if (!parses_whole(without_quotes(json), value)) return std::nullopt;
  return value;
}

std::string text_value(std::string_view json) { return unescaped(without_quotes(json)); }

std::optional<Argument> typed_argument(const RawArgument& raw, StringPool& strings) {
  const StringId key = intern_text(raw.key, strings);
  const std::string_view text = raw.value;
  if (text.empty()) return std::nullopt;
  if (text.front() == '"') return Argument::string(key, intern_text(without_quotes(text), strings));
  if (text.front() == '{' || text.front() == '[') return Argument::json(key, strings.intern(text));
  if (text == "true" || text == "false") return Argument::boolean(key, text == "true");
  const std::string_view digits = text.substr(text.front() == '-' ? 1 : 0);
  if (digits.empty() || digits.front() < '0' || digits.front() > '9') return std::nullopt;
  std::int64_t integer = 0;
  if (parses_whole(text, integer)) return Argument::integer(key, integer);
  double real = 0;
  if (!parses_whole(text, real)) return std::nullopt;
  if (significant_digits(text) > kExactDigits) return Argument::json(key, strings.intern(text));
  return Argument::real(key, real);
}

}  // namespace lockstep::chrome_json
