// Rows, and the places between marks.
#include "cli/reference/option_page.h"

#include <algorithm>

#include <fmt/format.h>

namespace lockstep::cli::reference {
namespace {

constexpr std::string_view kMark = "<!-- options: ";
constexpr std::string_view kMarkEnd = " -->\n";
constexpr std::string_view kTableEnd = "<!-- end of options -->";

// A bar ends a cell, also inside of code.
std::string table_cell(std::string_view text) {
  std::string cell;
  for (const char c : text) {
    if (c == '|') cell += '\\';
    cell += c;
  }
  return cell;
}

// "`-o`, `--output FILE`"
std::string option_cell(const Option& option) {
  std::string cell;
  for (const std::string_view name : names_of(option)) {
    cell += fmt::format("{}`{}", cell.empty() ? "" : ", ", name);
    const bool is_last = option.names.ends_with(name);
    cell += is_last && takes_value(option) ? fmt::format(" {}`", option.value) : "`";
  }
  return table_cell(cell);
}

std::string meaning_of(const Option& option) {
  return table_cell(option.details.empty() ? option.help : option.details);
}

Error bad_mark(std::string_view mark, std::string_view why) {
  return {ErrorCode::kInternal, fmt::format("the mark of options '{}' {}", mark, why), {}, {}};
}

// "cycles: the anchor method" as the options that it names.
std::vector<Option> options_named(std::string_view mark, std::span<const CommandRecord> records) {
  const std::size_t colon = std::min(mark.find(": "), mark.size());
  const std::string_view group = colon < mark.size() ? mark.substr(colon + 2) : "";
  const auto record = std::ranges::find(records, mark.substr(0, colon), &CommandRecord::name);
  return record == records.end() ? std::vector<Option>() : options_of(*record, group);
}

}  // namespace

std::string option_table_markdown(std::span<const Option> options) {
  const bool has_defaults =
      std::ranges::none_of(options, &std::string::empty, &Option::default_text);
  std::string out = has_defaults ? "| option | default | meaning |\n|---|---|---|\n"
                                 : "| option | meaning |\n|---|---|\n";
  for (const Option& option : options) {
    out += fmt::format("| {} |", option_cell(option));
    if (has_defaults) {
      out += fmt::format(" {} | {} |\n", table_cell(option.default_text), meaning_of(option));
    } else if (option.default_text.empty()) {
      out += fmt::format(" {} |\n", meaning_of(option));
    } else {
      out +=
          fmt::format(" {}. Default {} |\n", meaning_of(option), table_cell(option.default_text));
    }
  }
  return out;
}

Result<std::string> with_option_tables(std::string_view page,
                                       std::span<const CommandRecord> records) {
  std::string out;
  while (true) {
    const std::size_t start = page.find(kMark);
    if (start == std::string_view::npos) return out + std::string(page);
    const std::size_t line_end = page.find(kMarkEnd, start);
    const std::size_t end = page.find(kTableEnd, start);
    if (line_end == std::string_view::npos || end == std::string_view::npos || end < line_end) {
      return bad_mark(page.substr(start, page.find('\n', start) - start), "has no end");
    }
    const std::size_t from = start + kMark.size();
    const std::string_view mark = page.substr(from, line_end - from);
    const std::vector<Option> options = options_named(mark, records);
    if (options.empty()) return bad_mark(mark, "names no command");
    out += page.substr(0, line_end + kMarkEnd.size());
    out += option_table_markdown(options);
    page.remove_prefix(end);
    out += page.substr(0, kTableEnd.size());
    page.remove_prefix(kTableEnd.size());
  }
}

}  // namespace lockstep::cli::reference
