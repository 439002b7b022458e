// The order of reading, the zero of the times, and what is said about tables.
#include "formats/nsys_sqlite/nsys_reader.h"

#include <algorithm>

#include "base/json_quote.h"
#include "formats/nsys_sqlite/nsys_sqlite.h"
#include "formats/shared/record_defects.h"
#include "formats/sqlite/sqlite_parts.h"

namespace lockstep::formats::nsys_sqlite {

const DiagnosticKind kRangeOfNoType{
    "range_of_no_type", Severity::kDataLoss,
    "A row of NVTX_EVENTS has a start and an end, or no column for its end, and a type that is no "
    "range; it was left out."};

const DiagnosticKind kGraphLevelCapture{
    "graph_level_capture", Severity::kInfo,
    "A CUDA graph was recorded as one row, without the kernels inside it; the row counts as one "
    "kernel. Record with --cuda-graph-trace=node to see the kernels."};

namespace {

constexpr std::string_view kFacts = "META_DATA_EXPORT";
constexpr std::string_view kOldFacts = "EXPORT_META_DATA";
constexpr std::array<std::string_view, 3> kKeptFacts = {
    "EXPORT_PRODUCT_NAME", "EXPORT_PRODUCT_VERSION", "EXPORT_SCHEMA_VERSION"};
constexpr std::array<sqlite::NeededTable, 5> kNeeded = {{
    {kKernels.name, "no kernels were recorded"},
    {"CUPTI_ACTIVITY_KIND_RUNTIME", "no host calls, so nothing says what launched the work"},
    {kRanges, "no ranges of the user, so no marked steps"},
    {"TARGET_INFO_GPU", "names of devices are unknown"},
    {"TARGET_INFO_SESSION_START_TIME", "times count from the start of the session"},
}};

// Tables that are read, or describe the machine and the export.
bool reads_table(std::string_view table) {
  static constexpr std::array<std::string_view, 7> kNamed = {
      "StringIds", "ThreadNames", "PROCESSES", "MPI_RANKS", kFacts, kOldFacts, kRanges};
  static constexpr std::array<std::string_view, 5> kPrefixes = {
      "ENUM_", "TARGET_INFO_", "META_DATA_", "ANALYSIS_", "ProcessStreams"};
  const auto is_it = [&](const auto& entry) { return entry.name == table; };
  return std::ranges::find(kNamed, table) != kNamed.end() ||
         std::ranges::any_of(kPrefixes, [&](auto prefix) { return table.starts_with(prefix); }) ||
         std::ranges::any_of(kDeviceTables, is_it) || std::ranges::any_of(kHostTables, is_it);
}

bool recognises(const sqlite::SqliteFile& file) {
  if (file.has_table(kFacts) || file.has_table(kOldFacts)) return true;
  if (!file.has_table("StringIds")) return false;
  return file.has_table(kRanges) ||
         std::ranges::any_of(kDeviceTables, [&](auto table) { return file.has_table(table.name); });
}

Status read_nsys(sqlite::SqliteFile& file, const shared::ReadOptions& options,
                 trace::Trace& trace) {
  NsysReader(file, options, trace).read();
  return {};
}

}  // namespace

NsysReader::NsysReader(sqlite::SqliteFile& file, const shared::ReadOptions& options,
                       trace::Trace& trace)
    : file_(file),
      builder_(trace, file.path(), "nsys", options.keep_arguments),
      strings_(trace.strings),
      lanes_(file, builder_) {}

void NsysReader::read() {
  read_facts();
  strings_.read(file_, "StringIds", "id", "value");
  choose_zero();
  read_kernels();
  read_copies();
  read_sets();
  read_graphs();
  read_waits();
  for (const HostTable& table : kHostTables) read_calls(table);
  read_ranges();
  lanes_.finish(strings_);
  sqlite::list_missing_tables(file_, kNeeded, builder_);
  sqlite::list_other_tables(file_, reads_table, builder_);
  builder_.finish();
}

void NsysReader::read_facts() {
  for (const std::string_view table : {kFacts, kOldFacts}) {
    sqlite::SqliteScan scan = file_.scan(table, {"name", "value"});
    while (scan.next()) {
      if (std::ranges::find(kKeptFacts, scan.text(0)) == kKeptFacts.end()) continue;
      builder_.rank().metadata.push_back({std::string(scan.text(0)), quoted_json(scan.text(1))});
    }
  }
}

void NsysReader::choose_zero() {
  sqlite::SqliteScan session = file_.scan("TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"});
  if (session.next() && session.integer(0) > 0) {
    const std::int64_t start = session.integer(0);
    if (shared::can_be_origin(WideTime{start} * kPicosecondsPerNanosecond)) {
      epoch_ns_ = start;
    } else {
      builder_.diagnostics().add(shared::kOriginOutOfRange, Place::row(1));
    }
  }
  std::vector<WideTime> times;
  const auto collect = [&](std::string_view table) {
    sqlite::SqliteScan scan = file_.scan(table, {"start"});
    for (std::size_t i = 0; i < shared::kTimesForOrigin && scan.next(); ++i) {
      const std::int64_t start = scan.integer(0, kNoTime);
      if (start > 0) times.push_back(absolute(start));
    }
  };
  for (const DeviceTable& table : kDeviceTables) collect(table.name);
  for (const HostTable& table : kHostTables) {
    if (times.empty()) collect(table.name);
  }
  if (times.empty()) collect(kRanges);
  builder_.set_origin(times.empty() ? absolute(0) : shared::choose_origin(times),
                      epoch_ns_ ? Clock::kEpoch : Clock::kSession);
}

WideTime NsysReader::absolute(std::int64_t ns) const {
  return (WideTime{epoch_ns_.value_or(0)} + ns) * kPicosecondsPerNanosecond;
}

bool NsysReader::take_times(const sqlite::SqliteScan& scan, Times& times) {
  const std::int64_t start = scan.integer(0, kNoTime);
  const std::int64_t end = scan.integer(1, kNoTime);
  if (start == kNoTime || end == kNoTime) {
    const bool is_open = start != kNoTime && scan.is_null(1);
    builder_.diagnostics().add(is_open ? shared::kUnfinishedSpan : shared::kMissingTime,
                               Place::row(scan.rows()));
    return false;
  }
  times = {absolute(start), absolute(end)};
  return true;
}

StringId NsysReader::name_of(std::int64_t string, std::uint64_t row) {
  return sqlite::string_numbered(strings_, string, row, builder_);
}

}  // namespace lockstep::formats::nsys_sqlite

namespace lockstep::formats::nsys_sqlite {

shared::SqliteDialect nsys_sqlite_dialect() { return {"nsys", recognises, read_nsys}; }

}  // namespace lockstep::formats::nsys_sqlite
