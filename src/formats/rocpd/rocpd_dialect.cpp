// Recognising rocpd, and the ranks that its sessions make.
#include "formats/rocpd/rocpd_dialect.h"

#include <algorithm>

#include "base/json_quote.h"
#include "formats/rocm/rocm_records.h"
#include "formats/rocpd/rocpd_session.h"
#include "formats/rocpd/rocpd_tables.h"
#include "formats/sqlite/sqlite_file.h"
#include "formats/sqlite/sqlite_parts.h"

namespace lockstep::formats::rocpd {
namespace {

using Use = trace::SourcePart::Use;

// Tables that hold nothing that the model has a place for.
struct UnusedTable {
  std::string_view name;
  std::string_view note;
};
constexpr std::array<UnusedTable, 2> kUnusedTables = {{
    {"rocpd_pmc_event", "hardware counters of kernels"},
    {"rocpd_arg", "arguments of host calls, read by convert only"},
}};

bool recognises(const sqlite::SqliteFile& file) { return !session_suffixes(file.tables()).empty(); }

struct TableNote {
  std::string_view gives;
  std::string_view missing;  // empty where that is of little consequence
};

// In the order of kTableNames.
constexpr std::array<TableNote, kTableNames.size()> kNotes = {{
    {"host calls and markers", "host calls and markers; kernels have no launches"},
    {"marks without a duration", ""},
    {"kernels", "kernels"},
    {"copies", "copies"},
    {"allocations and scratch memory", ""},
}};

void say_what_was_used(sqlite::SqliteFile& file, const std::vector<SessionFacts>& sessions,
                       const RowCounts& rows, shared::RankBuilder& builder) {
  for (std::size_t i = 0; i < kTableNames.size(); ++i) {
    const std::string_view missing = kNotes[i].missing;
    const std::string name(kTableNames[i]);
    if (rows[i] > 0) {
      builder.add_part(Use::kUsed, name, rows[i], std::string(kNotes[i].gives));
    } else if (!missing.empty()) {
      const bool is_there = std::ranges::any_of(sessions, [&](const SessionFacts& session) {
        return file.has_table(session.table(kTableNames[i]));
      });
      builder.add_part(Use::kMissing, name, 0,
                       std::string(missing) + (is_there ? " (the table is empty)" : ""));
    }
  }
  for (const UnusedTable& table : kUnusedTables) {
    if (table.name == "rocpd_arg" && builder.keeps_arguments()) continue;
    std::uint64_t unused = 0;
    for (const SessionFacts& session : sessions) {
      unused += sqlite::count_rows(file, session.table(table.name));
    }
    if (unused > 0) {
      builder.add_part(Use::kUnused, std::string(table.name), unused, std::string(table.note));
    }
  }
}

void say_where_from(const std::vector<SessionFacts>& sessions, shared::RankBuilder& builder) {
  const SessionFacts& first = sessions.front();
  const auto say = [&](std::string key, std::string_view text) {
    if (!text.empty()) builder.rank().metadata.push_back({std::move(key), quoted_json(text)});
  };
  say("rocpd_schema_version", first.schema_version);
  say("hostname", first.hostname);
  std::string guids;
  for (const SessionFacts& session : sessions) {
    guids += (guids.empty() ? "" : ", ") + quoted_json(session.guid);
  }
  builder.rank().metadata.push_back({"guids", "[" + guids + "]"});
  if (!first.processes.empty()) say("command", first.processes.front().command);
  if (sessions.size() == 1 && first.rank) {
    builder.rank().number = first.rank;
    builder.rank().number_from = trace::RankEvidence::kMetadata;
  }
}

// False when the sessions hold no record.
bool read_rank(sqlite::SqliteFile& file, const std::vector<SessionFacts>& sessions,
               const shared::ReadOptions& options, trace::Trace& trace) {
  shared::RankBuilder builder(trace, file.path(), "rocpd", options.keep_arguments);
  std::vector<WideTime> times;
  for (const SessionFacts& session : sessions) collect_times(file, session, times);
  const WideTime origin = shared::choose_origin(times);
  builder.set_origin(origin, rocm::rocm_clock(origin));
  RowCounts rows{};
  for (const SessionFacts& session : sessions) {
    // Work of a process without calls would be joined to the calls of another.
    const bool keeps_correlations =
        sessions.size() == 1 || sqlite::has_rows(file, session.table("rocpd_region"));
    SessionReader(file, session, builder, keeps_correlations).read(rows);
  }
  if (std::ranges::all_of(rows, [](std::uint64_t count) { return count == 0; })) {
    builder.discard();
    return false;
  }
  say_where_from(sessions, builder);
  say_what_was_used(file, sessions, rows, builder);
  builder.finish();
  return true;
}

Status read_rocpd(sqlite::SqliteFile& file, const shared::ReadOptions& options,
                  trace::Trace& trace) {
  std::vector<SessionFacts> sessions;
  for (std::string& suffix : session_suffixes(file.tables())) {
    sessions.push_back(read_session_facts(file, std::move(suffix)));
  }
  bool any = false;
  for (const std::vector<SessionFacts>& group : grouped_by_rank(std::move(sessions))) {
    any |= read_rank(file, group, options, trace);
  }
  if (any) return {};
  if (file.diagnostics().count_of(sqlite::kDamagedTable) > 0) {
    return input_error(file.path(), "is a damaged rocpd database: none of its records can be read",
                       "It may be cut off; export it again");
  }
  return input_error(file.path(), "is a rocpd database without kernels, copies and host calls",
                     "rocprofv3 records them with --sys-trace or --kernel-trace");
}

}  // namespace

shared::SqliteDialect rocpd_dialect() { return {"rocpd", recognises, read_rocpd}; }

}  // namespace lockstep::formats::rocpd
