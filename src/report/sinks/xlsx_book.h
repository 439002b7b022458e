// A workbook of plain tables: headed sheets with frozen titles and filters, numbers as numbers, and
// a few fills. The one place that knows the library which writes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "io/byte_sink.h"

namespace lockstep::report::sinks {

struct XlsxCell {
  std::variant<std::monostate, std::string, double> value;
  std::optional<std::uint32_t> fill = {};  // 0xRRGGBB
  bool is_bold = false;
};

struct XlsxSheet {
  struct Column {
    std::string title;
    double width = 12;  // in characters
  };
  std::string name;
  std::vector<Column> columns;
  std::vector<std::vector<XlsxCell>> rows;
};

// Rows that a sheet can hold below its titles.
inline constexpr std::size_t kMostXlsxRows = 1'048'575;

// Writes the sheets to `sink`, which the caller closes. Names of sheets are made legal and told
// apart. Text that a cell cannot hold ends with an ellipsis; in the last of `most_rows` rows, where
// there are more, stands how many are left out. More sheets than a workbook can hold are an error.
// The same sheets give the same bytes.
[[nodiscard]] Status write_xlsx(const std::vector<XlsxSheet>& sheets, io::ByteSink& sink,
                                std::size_t most_rows = kMostXlsxRows);

}  // namespace lockstep::report::sinks
