// The definition of a table, and what shows that it is damaged. A column whose name was damaged is
// otherwise missing like one that a version of the profiler does not write.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"

namespace lockstep::formats::sqlite {

extern const DiagnosticKind kDamagedDefinition;

struct SqliteColumn {
  std::string name;
  std::string type;  // as it is written; may be empty
  bool is_key = false;
};

struct SqliteTable {
  std::string name;
  std::string definition;                  // CREATE TABLE ...
  std::vector<SqliteColumn> columns = {};  // without those that are computed
  std::uint32_t all_columns = 0;           // with them
  bool is_said_to_be_damaged = false;

  [[nodiscard]] bool has_column(std::string_view column) const;
};

// Names that differ in the case of ASCII letters only are the same ones, as SQLite has it.
[[nodiscard]] bool is_same_name(std::string_view a, std::string_view b);

// What is wrong with the definition, whoever reads the table; empty where nothing is.
[[nodiscard]] std::string damage_of(const SqliteTable& table);

// What became of a column that the table lacks: its name has one wrong bit, or it is written in the
// definition and is no column, because what borders it was damaged. Empty where nothing says that
// there was one. `known` are names of columns, so that one of them is not taken for another.
[[nodiscard]] std::string damage_of_missing(const SqliteTable& table, std::string_view column,
                                            std::span<const std::string_view> known);

}  // namespace lockstep::formats::sqlite
