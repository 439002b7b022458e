// Recognising RPD, and what is said of its tables.
#include "formats/rpd/rpd_dialect.h"

#include <algorithm>
#include <array>

#include "base/json_quote.h"
#include "formats/rocm/rocm_records.h"
#include "formats/rpd/rpd_reader.h"
#include "formats/sqlite/sqlite_file.h"
#include "formats/sqlite/sqlite_parts.h"

namespace lockstep::formats::rpd {
namespace {

using Use = trace::SourcePart::Use;

// Tables that are read; every other one that has rows is named as not used.
constexpr std::array<std::string_view, 8> kKnownTables = {
    "rocpd_op",        "rocpd_api",     "rocpd_api_ops", "rocpd_string",
    "rocpd_kernelapi", "rocpd_copyapi", "rocpd_monitor", "rocpd_metadata"};

bool recognises(const sqlite::SqliteFile& file) {
  return file.has_table("rocpd_op") && file.has_table("rocpd_string");
}

void say_part(shared::RankBuilder& builder, std::string_view table, std::uint64_t rows,
              std::string_view what) {
  const Use use = rows > 0 ? Use::kUsed : Use::kMissing;
  builder.add_part(use, std::string(table), rows, std::string(what));
}

void say_what_was_used(sqlite::SqliteFile& file, const RowCounts& rows,
                       shared::RankBuilder& builder) {
  say_part(builder, "rocpd_op", rows.operations, "kernels and copies");
  say_part(builder, "rocpd_api", rows.calls, "host calls and markers");
  say_part(builder, "rocpd_api_ops", rows.launches, "which call launched which operation");
  if (rows.monitors > 0) say_part(builder, "rocpd_monitor", rows.monitors, "clocks and power");
  const auto is_read = [](std::string_view table) {
    return std::ranges::find(kKnownTables, table) != kKnownTables.end();
  };
  sqlite::list_other_tables(file, is_read, builder);
  sqlite::SqliteScan row = file.scan("rocpd_metadata", {"tag", "value"});
  while (row.next()) {
    builder.rank().metadata.push_back(
        {"rpd_" + std::string(row.text(0)), quoted_json(row.text(1))});
  }
}

Status read_rpd(sqlite::SqliteFile& file, const shared::ReadOptions& options, trace::Trace& trace) {
  shared::RankBuilder builder(trace, file.path(), "rpd", options.keep_arguments);
  std::vector<WideTime> times;
  collect_times(file, times);
  const WideTime origin = shared::choose_origin(times);
  builder.set_origin(origin, rocm::rocm_clock(origin));
  const RowCounts rows = Reader(file, builder).read();
  if (rows.operations + rows.calls == 0 && trace.events.size() == builder.first_row()) {
    builder.discard();
    if (file.diagnostics().count_of(sqlite::kDamagedTable) > 0) {
      return input_error(file.path(), "is a damaged RPD database: none of its records can be read",
                         "It may be cut off; export it again");
    }
    return input_error(file.path(), "is an RPD database without operations and host calls",
                       "The profiled program may have ended before its first call");
  }
  say_what_was_used(file, rows, builder);
  builder.finish();
  return {};
}

}  // namespace

shared::SqliteDialect rpd_dialect() { return {"rpd", recognises, read_rpd}; }

}  // namespace lockstep::formats::rpd
