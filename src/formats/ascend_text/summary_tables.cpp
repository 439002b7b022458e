// Reading of sums.
#include "formats/ascend_text/summary_tables.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#define SIMDJSON_EXCEPTIONS 0
#include <simdjson.h>

#include "base/json_quote.h"
#include "formats/ascend_text/cell_values.h"
#include "formats/ascend_text/defects.h"
#include "formats/shared/simdjson_shortage.h"

namespace lockstep::formats::ascend_text {
namespace {

// Real ones have some hundreds.
constexpr std::size_t kMaxRows = 20'000;
constexpr std::size_t kMaxCells = 200'000;

std::size_t column_of(const SummaryTable& table, std::string_view folded) {
  for (std::size_t i = 0; i < table.header.size(); ++i) {
    if (folded_column(table.header[i]) == folded) return i;
  }
  return table.header.size();
}

std::string_view cell_of(const std::vector<std::string>& row, std::size_t column) {
  return column < row.size() ? trimmed(row[column]) : std::string_view();
}

// Commas at the end of a row are no cells.
void drop_blank_end(std::vector<std::string>& cells) {
  while (cells.size() > 1 && cells.back().empty()) cells.pop_back();
}

// What is wrong with a table of which all records were read.
std::string_view damage_of(const SummaryTable& table, const CsvScanner& scanner) {
  if (table.header.empty()) return "is empty";
  if (scanner.ended_with_file()) return "is cut off";
  const bool is_damaged =
      scanner.damaged_records().count > 0 || scanner.damaged_texts().count > 0 ||
      scanner.joined_cells().count > 0 || std::ranges::any_of(table.rows, [&](const auto& row) {
        return row.size() < table.header.size() ||
               std::any_of(
                   row.begin() + static_cast<std::ptrdiff_t>(table.header.size()), row.end(),
                   [](const auto& cell) { return !cell.empty(); });
      });
  return is_damaged ? "is damaged" : std::string_view();
}

}  // namespace

Result<SummaryTable> read_summary_table(io::ByteSource& bytes, const shared::ReadOptions& options) {
  SummaryTable table;
  CsvScanner scanner(bytes, options);
  std::vector<std::string_view> cells;
  std::size_t kept = 0;
  while (true) {
    LOCKSTEP_ASSIGN_OR_RETURN(const bool any, scanner.next(cells));
    if (!any) {
      table.damage = damage_of(table, scanner);
      return table;
    }
    kept += cells.size();
    if (table.rows.size() >= kMaxRows || kept > kMaxCells) {
      table.is_whole = false;
      return table;
    }
    std::string scratch;
    std::vector<std::string> row;
    for (const std::string_view cell : cells) row.emplace_back(clean(cell, scratch));
    if (table.header.empty()) {
      drop_blank_end(row);
      table.header = std::move(row);
    } else {
      table.rows.push_back(std::move(row));
    }
  }
}

std::string as_json(const SummaryTable& table, std::size_t limit) {
  std::vector<std::string> keys;
  for (const std::string& name : table.header) keys.push_back(quoted_json(name));
  std::string out = "[";
  for (const std::vector<std::string>& row : table.rows) {
    out += out.size() == 1 ? "{" : ", {";
    const std::size_t cells = std::min(row.size(), keys.size());
    // Every row repeats the names of the columns, which may be as long as they like.
    for (std::size_t i = 0; i < cells && out.size() <= limit; ++i) {
      if (i > 0) out += ", ";
      out += keys[i] + ": " + cell_json(row[i]);
    }
    out += "}";
    if (out.size() > limit) return {};
  }
  return out + "]";
}

void compare_counts(const SummaryTable& op_statistic, const std::vector<KernelCount>& kernels,
                    Diagnostics& diagnostics) {
  const std::size_t type = column_of(op_statistic, "optype");
  const std::size_t core = column_of(op_statistic, "coretype");
  const std::size_t count = column_of(op_statistic, "count");
  if (count == op_statistic.header.size()) return;
  using Key = std::pair<std::string_view, std::string_view>;
  std::map<Key, std::uint64_t> told;
  for (const std::vector<std::string>& row : op_statistic.rows) {
    const std::string_view text = cell_of(row, count);
    std::uint64_t number = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc()) continue;
    told[{cell_of(row, type), cell_of(row, core)}] += number;
  }
  std::map<Key, std::uint64_t> counted;
  for (const KernelCount& kernel : kernels) counted[{kernel.type, kernel.core}] += kernel.count;
  for (const auto& [key, number] : told) {
    const auto own = counted.find(key);
    const std::uint64_t found = own == counted.end() ? 0 : own->second;
    if (found == number) continue;
    diagnostics.add(kCountsDiffer, Place::none(),
                    std::string(key.first) + " on " + std::string(key.second) + ": " +
                        std::to_string(number) + " counted, " + std::to_string(found) + " rows");
  }
}

ProfilerInfo parse_profiler_info(const std::string& json) {
  ProfilerInfo info;
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  const auto failure = shared::unless_short(parser.parse(json).get(root));
  if (failure != simdjson::SUCCESS || !root.is_object()) return info;
  info.json = simdjson::minify(root);
  std::int64_t rank = -1;
  if (root["rank_id"].get_int64().get(rank) == simdjson::SUCCESS && rank >= 0) info.rank = rank;
  // Of the years: torch_npu, then newer ones and MindSpore.
  constexpr std::array<std::string_view, 3> kLevels = {
      "/config/experimental_config/_profiler_level", "/config/experimental_config/profiler_level",
      "/config/profiler_level"};
  for (const std::string_view path : kLevels) {
    std::string_view level;
    if (root.at_pointer(path).get_string().get(level) == simdjson::SUCCESS) info.level = level;
  }
  return info;
}

std::string_view name_of_summary(std::string_view header_line) {
  std::string line;
  for (const char c : header_line.substr(0, header_line.find('\n'))) {
    if (c != ' ' && c != '_' && c != '\r') line += c;
  }
  const auto has = [&](std::string_view part) { return line.find(part) != std::string::npos; };
  if (has("Computing") && has("Communication(NotOverlapped)")) return "step_trace_time.csv";
  if (has("OPType") && has("Count") && has("Ratio(%)")) return "op_statistic.csv";
  if (has("APIName") && has("Count") && has("Variance")) return "api_statistic.csv";
  return {};
}

}  // namespace lockstep::formats::ascend_text
