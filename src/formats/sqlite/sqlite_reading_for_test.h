// Reads a database made by a test through the dialects, and finds events in it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "formats/shared/format.h"
#include "formats/sqlite/sqlite_file.h"
#include "formats/sqlite/sqlite_file_for_test.h"

namespace lockstep::formats::sqlite {

// What one dialect makes of a database.
struct SqliteReading {
  trace::Trace trace;
  Status status;

  [[nodiscard]] std::vector<std::size_t> rows_of(trace::Kind kind) const {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < trace.events.size(); ++i) {
      if (trace.events.kind[i] == kind) rows.push_back(i);
    }
    return rows;
  }
  [[nodiscard]] std::string_view name(std::size_t row) const {
    return trace.text(trace.events.name[row]);
  }
  [[nodiscard]] std::string_view lane(std::size_t row) const {
    return trace.text(trace.track_of(row).id.text);
  }
  [[nodiscard]] std::string_view device(std::size_t row) const {
    return trace.text(trace.devices[trace::index_of(trace.track_of(row).device)].id);
  }
  [[nodiscard]] std::string argument(std::size_t row, std::string_view key) const {
    for (const trace::Argument& argument :
         trace.arguments.of(trace::EventId{static_cast<std::uint32_t>(row)})) {
      if (trace.text(argument.key) != key) continue;
      const bool is_text = argument.type == trace::Argument::Type::kString ||
                           argument.type == trace::Argument::Type::kJson;
      return is_text ? std::string(trace.text(argument.as_string()))
                     : std::to_string(argument.as_integer());
    }
    return "none";
  }
  [[nodiscard]] const trace::SourcePart* part(std::string_view name) const {
    for (const trace::SourcePart& part : trace.ranks.at(0).parts) {
      if (part.name == name) return &part;
    }
    return nullptr;
  }
};

inline SqliteReading read_with(const shared::SqliteDialect& dialect, const std::string& path,
                               trace::KeepArguments keep_arguments) {
  io::MemorySource unused("");
  SqliteReading reading;
  auto file = SqliteFile::open(unused, path);
  if (!file.ok()) {
    reading.status = file.error();
    return reading;
  }
  EXPECT_TRUE(dialect.recognises(*file.value()));
  shared::ReadOptions options;
  options.keep_arguments = keep_arguments;
  reading.status = dialect.read(*file.value(), options, reading.trace);
  reading.trace.diagnostics.absorb(file.value()->diagnostics(), path);
  return reading;
}

inline SqliteReading read_with(const shared::SqliteDialect& dialect, const std::string& path,
                               bool keep_arguments = false) {
  return read_with(dialect, path,
                   keep_arguments ? trace::KeepArguments::kAll : trace::KeepArguments::kNone);
}

inline bool recognised_by(const shared::SqliteDialect& dialect, const std::string& path) {
  io::MemorySource unused("");
  const auto file = SqliteFile::open(unused, path);
  return file.ok() && dialect.recognises(*file.value());
}

}  // namespace lockstep::formats::sqlite
