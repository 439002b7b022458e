// Tables of sums (step_trace_time, op_statistic, api_statistic): kept as metadata, compared with
// the kernels; and the facts in profiler_info*.json.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "formats/ascend_text/device_row_mapper.h"
#include "formats/shared/format.h"

namespace lockstep::formats::ascend_text {

struct SummaryTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  bool is_whole = true;          // false: it has more rows than anybody keeps
  std::string_view damage = {};  // "is cut off": why it cannot be trusted; empty when it can
};

[[nodiscard]] Result<SummaryTable> read_summary_table(io::ByteSource& bytes,
                                                      const shared::ReadOptions& options);

// A list of objects, one a row; empty when it would be longer than `limit`.
[[nodiscard]] std::string as_json(const SummaryTable& table, std::size_t limit);

// Counts the types of kernels whose numbers differ.
void compare_counts(const SummaryTable& op_statistic, const std::vector<KernelCount>& kernels,
                    Diagnostics& diagnostics);

struct ProfilerInfo {
  std::optional<std::int64_t> rank;
  std::string level;  // "Level1"; empty when it does not say
  std::string json;   // all of it; empty when it is no JSON
};
[[nodiscard]] ProfilerInfo parse_profiler_info(const std::string& json);

// What a table of sums is, by its first line; empty when it is none.
[[nodiscard]] std::string_view name_of_summary(std::string_view header_line);

}  // namespace lockstep::formats::ascend_text
