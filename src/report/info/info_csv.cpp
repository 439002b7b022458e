// Quoting and rows.
#include "report/info/info_csv.h"

#include <fmt/format.h>

#include "report/layout/quantities.h"
#include "report/layout/text_width.h"

namespace lockstep::report::info {

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

// Rows end with a line feed alone: the tools that these files are piped into expect that.
std::string info_csv(const analysis::summary::Summary& summary) {
  std::string out = "name,count,total_ns,min_ns,max_ns\n";
  for (const analysis::summary::KernelNameSummary& kernel : summary.top_kernels) {
    out +=
        fmt::format("{},{},{},{},{}\n", csv_name(kernel.name), kernel.count,
                    layout::floored_ns(kernel.total), floor_ns(kernel.min), floor_ns(kernel.max));
  }
  return out;
}

}  // namespace lockstep::report::info
