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

namespace lockstep {

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

// Writes the sheets to `sink`, which the caller closes. Names of sheets are made legal and told
// apart; text is cut where a cell can hold no more, rows where a sheet can. More sheets
// than a workbook can hold are an error. The same sheets give the same bytes.
[[nodiscard]] Status write_xlsx(const std::vector<XlsxSheet>& sheets, ByteSink& sink);

}  // namespace lockstep
