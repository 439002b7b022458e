// Quoting.
#include "report/sinks/csv_text.h"

#include "base/one_line.h"

namespace lockstep::report::sinks {

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string csv_name(std::string_view name) {
  const std::string text = one_line(name);
  const bool is_formula = !text.empty() && std::string_view("=+-@").contains(text.front());
  return csv_field(is_formula ? "'" + text : text);
}

}  // namespace lockstep::report::sinks
