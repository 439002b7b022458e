// The order of reading, the facts of a database, and what is said about its tables.
#include "formats/ascend_sqlite/ascend_reader.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "base/json_quote.h"
#include "formats/ascend_sqlite/analysis_reader.h"
#include "formats/ascend_sqlite/ascend_sqlite.h"
#include "formats/shared/record_defects.h"

namespace lockstep::formats::ascend_sqlite {
namespace {

constexpr std::int64_t kNoTime = std::numeric_limits<std::int64_t>::min();
constexpr std::size_t kMostFacts = 64;
constexpr std::size_t kMostOtherTables = 24;

constexpr std::array<std::string_view, 5> kEventTables = {"TASK", "COMMUNICATION_OP", "CANN_API",
                                                          "PYTORCH_API", "MSTX_EVENTS"};

bool is_read(std::string_view table) {
  static constexpr std::array<std::string_view, 11> kNamed = {
      "STRING_IDS",  "COMPUTE_TASK_INFO", "COMMUNICATION_TASK_INFO",
      "MEMCPY_INFO", "CONNECTION_IDS",    "STEP_TIME",
      "META_DATA",   "RANK_DEVICE_MAP",   "HOST_INFO",
      "NPU_INFO",    "SESSION_TIME_INFO"};
  return std::ranges::find(kNamed, table) != kNamed.end() ||
         std::ranges::find(kEventTables, table) != kEventTables.end() ||
         table.starts_with("ENUM_") || table.starts_with("sqlite_");
}

bool is_profile(const sqlite::SqliteFile& file) {
  return std::ranges::any_of(kEventTables, [&](std::string_view table) {
    return file.has_column(table, "startNs") && file.has_column(table, "endNs");
  });
}

bool recognises(const sqlite::SqliteFile& file) {
  return (file.has_table("STRING_IDS") && is_profile(file)) || is_analysis(file);
}

Status read_ascend(sqlite::SqliteFile& file, const shared::ReadOptions& options,
                   trace::Trace& trace) {
  if (!is_profile(file)) return read_analysis(file, options, trace);
  AscendReader(file, options, trace).read();
  return {};
}

}  // namespace

AscendReader::AscendReader(sqlite::SqliteFile& file, const shared::ReadOptions& options,
                           trace::Trace& trace)
    : file_(file),
      builder_(trace, file.path(), "ascend_db", options.keep_arguments),
      strings_(trace.strings) {}

void AscendReader::read() {
  read_facts();
  read_rank();
  strings_.read(file_, "STRING_IDS", "id", "value");
  choose_zero();
  read_operators();
  read_computations();
  read_communication_steps();
  read_copy_sizes();
  read_tasks();
  add_operators();
  read_cann_calls();
  read_torch_calls();
  read_marks();
  join_torch_calls();
  read_steps();
  name_devices();
  list_missing_tables();
  list_other_tables();
  builder_.finish();
}

void AscendReader::read_facts() {
  std::vector<trace::Metadata>& facts = builder_.rank().metadata;
  sqlite::SqliteScan meta = file_.scan("META_DATA", {"name", "value"});
  while (meta.next() && facts.size() < kMostFacts) {
    facts.push_back({std::string(meta.text(0)), quoted_json(meta.text(1))});
  }
  sqlite::SqliteScan host = file_.scan("HOST_INFO", {"hostName"});
  if (host.next() && !host.is_null(0)) facts.push_back({"hostName", quoted_json(host.text(0))});
}

void AscendReader::read_rank() {
  std::set<std::int64_t> ranks;
  sqlite::SqliteScan scan = file_.scan("RANK_DEVICE_MAP", {"rankId"});
  while (scan.next() && ranks.size() < 2) {
    // -1 where the job was not distributed.
    if (scan.integer(0, -1) >= 0) ranks.insert(scan.integer(0));
  }
  if (ranks.size() != 1) return;
  builder_.rank().number = *ranks.begin();
  builder_.rank().number_from = trace::RankEvidence::kMetadata;
}

void AscendReader::choose_zero() {
  std::vector<WideTime> times;
  for (const std::string_view table : kEventTables) {
    sqlite::SqliteScan scan = file_.scan(table, {"startNs"});
    for (std::size_t i = 0; i < shared::kTimesForOrigin && scan.next(); ++i) {
      const std::int64_t start = scan.integer(0, kNoTime);
      if (start > 0) times.push_back(WideTime{start} * kPicosecondsPerNanosecond);
    }
    if (!times.empty()) break;
  }
  builder_.set_origin(shared::choose_origin(times), Clock::kEpoch);
}

bool AscendReader::take_times(const sqlite::SqliteScan& scan, Times& times) {
  const std::int64_t start = scan.integer(0, kNoTime);
  const std::int64_t end = scan.integer(1, kNoTime);
  if (start == kNoTime || end == kNoTime) {
    builder_.diagnostics().add(shared::kMissingTime, Place::row(scan.rows()));
    return false;
  }
  times = {WideTime{start} * kPicosecondsPerNanosecond, WideTime{end} * kPicosecondsPerNanosecond};
  return true;
}

StringId AscendReader::name_of(std::int64_t string, std::uint64_t row) {
  if (const auto known = strings_.find(string)) return *known;
  builder_.diagnostics().add(sqlite::kUnknownString, Place::row(row));
  return builder_.intern(fmt::format("string {}", string));
}

void AscendReader::name_devices() {
  std::unordered_map<std::string, std::string> names;
  sqlite::SqliteScan scan = file_.scan("NPU_INFO", {"id", "name"});
  while (scan.next()) names.try_emplace(std::to_string(scan.integer(0)), scan.text(1));
  for (trace::Device& device : builder_.trace().devices) {
    if (device.rank != builder_.rank_id()) continue;
    const auto name = names.find(std::string(builder_.trace().text(device.id)));
    if (name != names.end()) device.name = builder_.intern(name->second);
  }
}

void AscendReader::use(std::string_view table, std::uint64_t rows, std::string note) {
  if (rows == 0) return;
  builder_.add_part(trace::SourcePart::Use::kUsed, std::string(table), rows, std::move(note));
}

void AscendReader::list_missing_tables() {
  struct Needed {
    std::string_view table;
    std::string_view without;
  };
  static constexpr std::array kNeeded = {
      Needed{"TASK", "no work of the device"},
      Needed{"COMPUTE_TASK_INFO", "kernels have no names"},
      Needed{"COMMUNICATION_OP", "no collectives"},
      Needed{"CANN_API", "no host calls, so launches are known only from PyTorch"},
      Needed{"PYTORCH_API", "no operators of PyTorch"},
      Needed{"RANK_DEVICE_MAP", "the rank is not said"},
  };
  for (const Needed& needed : kNeeded) {
    sqlite::SqliteScan scan = file_.scan(needed.table, {"startNs"});
    if (scan.next()) continue;
    builder_.add_part(trace::SourcePart::Use::kMissing, std::string(needed.table), 0,
                      std::string(needed.without));
  }
}

void AscendReader::list_other_tables() {
  std::size_t others = 0;
  for (const std::string& table : file_.tables()) {
    if (is_read(table)) continue;
    sqlite::SqliteScan scan = file_.scan(table, {"rowid"});
    if (!scan.next()) continue;
    if (++others <= kMostOtherTables) {
      builder_.add_part(trace::SourcePart::Use::kUnused, table, 0, "not read by lockstep");
    }
  }
  if (others <= kMostOtherTables) return;
  builder_.add_part(trace::SourcePart::Use::kUnused,
                    fmt::format("{} more tables", others - kMostOtherTables), 0,
                    "not read by lockstep");
}

}  // namespace lockstep::formats::ascend_sqlite

namespace lockstep::formats::ascend_sqlite {

shared::SqliteDialect ascend_sqlite_dialect() { return {"ascend_db", recognises, read_ascend}; }

}  // namespace lockstep::formats::ascend_sqlite
