// CSV (RFC 4180): its fields, and tables that become files of a folder.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::report::sinks {

struct CsvFile {
  std::string name;  // "cycle_3_layer.csv"
  std::string content;
};

// One field, quoted where its text needs it.
[[nodiscard]] std::string csv_field(std::string_view text);

// A field for a name out of a trace, on one line. Spreadsheets run what begins with one of =+-@ as
// a formula: such a name, which no compiler makes, gets an apostrophe before it.
[[nodiscard]] std::string csv_name(std::string_view name);

}  // namespace lockstep::report::sinks
