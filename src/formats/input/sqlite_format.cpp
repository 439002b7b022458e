// Sniffing of SQLite, and the choice of a dialect by the tables.
#include "formats/input/sqlite_format.h"

#include <algorithm>
#include <array>

#include "formats/input/builtin_formats.h"
#include "formats/input/other_files.h"
#include "formats/sqlite/sqlite_file.h"
#include "trace/trace_mark.h"

namespace lockstep::formats::input {
namespace {

constexpr std::array<std::string_view, 4> kDatabaseSuffixes = {".db", ".sqlite", ".sqlite3",
                                                               ".rpd"};
constexpr std::size_t kTablesInMessage = 4;

bool is_named_database(std::string_view path) {
  if (path.ends_with(".gz")) path.remove_suffix(3);
  return std::ranges::any_of(kDatabaseSuffixes,
                             [&](std::string_view suffix) { return path.ends_with(suffix); });
}

bool is_binary(std::string_view head) {
  return std::ranges::any_of(head, [](char c) {
    return static_cast<unsigned char>(c) < 0x09 || static_cast<unsigned char>(c) == 0x7F;
  });
}

shared::Sniff sniff(std::string_view head, std::string_view path) {
  if (head.starts_with(sqlite::kSqliteMagic)) return {shared::Sniff::Verdict::kYes, {}};
  if (is_other_database(head)) return {};
  // An encrypted database has no magic: its first page is noise.
  if (is_named_database(path) && head.size() >= 512 && is_binary(head.substr(0, 512))) {
    return {shared::Sniff::Verdict::kNo,
            input_error(std::string(path),
                        "is named like an SQLite database and does not begin like one",
                        "It may be encrypted or damaged at its start"),
            true};
  }
  return {};
}

Error unknown_tables(const sqlite::SqliteFile& file) {
  if (file.tables().empty()) {
    return input_error(file.path(), "is an SQLite database without tables");
  }
  std::string names;
  for (std::size_t i = 0; i < std::min(file.tables().size(), kTablesInMessage); ++i) {
    names += (i == 0 ? "" : ", ") + file.tables()[i];
  }
  if (file.tables().size() > kTablesInMessage) names += ", ...";
  return input_error(
      file.path(),
      "is an SQLite database of no profiler that lockstep knows (tables: " + names + ")",
      "lockstep reads exports of Nsight Systems, rocpd, RPD and Ascend profilers");
}

Status read_file(sqlite::SqliteFile& file, const shared::ReadOptions& options,
                 trace::Trace& trace) {
  file.report_progress_to(options.on_progress);
  for (const shared::SqliteDialect& dialect : builtin_sqlite_dialects()) {
    if (!dialect.recognises(file)) continue;
    file.start_looking_at_pages();
    LOCKSTEP_RETURN_IF_ERROR(dialect.read(file, options, trace));
    file.finish();
    return {};
  }
  return unknown_tables(file);
}

Status read(io::ByteSource& bytes, const std::string& path, const shared::ReadOptions& options,
            trace::Trace& trace) {
  const trace::TraceMark mark(trace);
  const Diagnostics diagnostics_before = trace.diagnostics;
  LOCKSTEP_ASSIGN_OR_RETURN(std::unique_ptr<sqlite::SqliteFile> file,
                            sqlite::SqliteFile::open(bytes, path));
  Status status = read_file(*file, options, trace);
  if (file->has_changed()) {
    // What was read is of no one moment. A copy is, as far as the writer lets us make one.
    mark.roll_back(trace);
    trace.diagnostics = diagnostics_before;
    LOCKSTEP_ASSIGN_OR_RETURN(file, sqlite::SqliteFile::open_copy(path));
    status = read_file(*file, options, trace);
  }
  LOCKSTEP_RETURN_IF_ERROR(status);
  trace.diagnostics.absorb(file->diagnostics(), path);
  return {};
}

}  // namespace

shared::Format sqlite_format() { return {"sqlite", sniff, read}; }

}  // namespace lockstep::formats::input
