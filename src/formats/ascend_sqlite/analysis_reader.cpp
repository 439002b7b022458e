// Collectives of analysis.db. Its times are doubles: microseconds on a grid of a quarter, and
// milliseconds.
#include "formats/ascend_sqlite/analysis_reader.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "formats/ascend/ascend_names.h"
#include "formats/shared/rank_builder.h"
#include "formats/shared/record_defects.h"

namespace lockstep::formats::ascend_sqlite {
namespace {

constexpr std::string_view kTimes = "CommAnalyzerTime";
constexpr std::array<std::string_view, 3> kOtherTables = {"StepTraceTime", "CommAnalyzerBandwidth",
                                                          "CommAnalyzerMatrix"};
constexpr double kLargestMicroseconds = 9e15;  // beyond it doubles are no longer whole

enum Column : int { kOpStart, kElapse, kName, kGroup, kTransit, kWait, kIdle };

// Exact: the whole part and the rest of a double apart.
std::optional<WideTime> from_microseconds(double value) {
  if (!std::isfinite(value) || std::abs(value) > kLargestMicroseconds) return std::nullopt;
  const double whole = std::floor(value);
  return WideTime{static_cast<std::int64_t>(whole)} * kPicosecondsPerMicrosecond +
         std::llround((value - whole) * 1e6);
}

std::optional<WideTime> from_milliseconds(const sqlite::SqliteScan& scan, int column) {
  if (scan.is_null(column)) return std::nullopt;
  const double value = scan.real(column);
  if (!std::isfinite(value) || std::abs(value) > 1e9) return std::nullopt;
  return WideTime{std::llround(value * 1e9)};
}

std::optional<Time> length(const sqlite::SqliteScan& scan, int column) {
  const auto ps = from_milliseconds(scan, column);
  return ps ? narrow(*ps, 0) : std::nullopt;
}

sqlite::SqliteScan rows_of(sqlite::SqliteFile& file) {
  return file.scan(kTimes, {"start_timestamp", "elapse_time", "hccl_op_name", "group_name",
                            "transit_time", "wait_time", "idle_time"});
}

// The total over all collectives stands among them.
bool is_collective(const sqlite::SqliteScan& scan) {
  return !scan.is_null(kOpStart) && scan.real(kOpStart) > 0 && scan.text(kName) != "Total Op Info";
}

void add_collective(const sqlite::SqliteScan& scan, shared::RankBuilder& builder,
                    trace::TrackId lane) {
  const auto start = from_microseconds(scan.real(kOpStart));
  const auto elapse = from_milliseconds(scan, kElapse);
  if (!start || !elapse) {
    return builder.diagnostics().add(shared::kMissingTime, Place::row(scan.rows()));
  }
  trace::Event row;
  row.kind = trace::Kind::kCommunication;
  row.name = builder.intern(scan.text(kName));
  row.track = lane;
  const trace::EventId event =
      builder.add_span(row, *start, *start + *elapse, Place::row(scan.rows()));
  if (event == trace::kNoEvent) return;
  trace::Collective& collective = builder.collective_of(event);
  collective.group = builder.intern(scan.text(kGroup));
  collective.sequence = ascend::collective_sequence(scan.text(kName));
  collective.transit = length(scan, kTransit);
  collective.wait = length(scan, kWait);
  collective.idle = length(scan, kIdle);
}

void zero_at_first_row(sqlite::SqliteFile& file, shared::RankBuilder& builder) {
  std::vector<WideTime> times;
  sqlite::SqliteScan scan = rows_of(file);
  while (times.size() < shared::kTimesForOrigin && scan.next()) {
    const auto start = is_collective(scan) ? from_microseconds(scan.real(kOpStart)) : std::nullopt;
    if (start) times.push_back(*start);
  }
  builder.set_origin(shared::choose_origin(times), Clock::kEpoch);
}

bool has_collectives(sqlite::SqliteFile& file) {
  sqlite::SqliteScan scan = rows_of(file);
  while (scan.next()) {
    if (is_collective(scan)) return true;
  }
  return false;
}

}  // namespace

bool is_analysis(const sqlite::SqliteFile& file) {
  return file.has_table(kTimes) ||
         (file.has_table("StepTraceTime") && file.has_table("CommAnalyzerBandwidth"));
}

Status read_analysis(sqlite::SqliteFile& file, const shared::ReadOptions& options,
                     trace::Trace& trace) {
  if (!has_collectives(file)) {
    return input_error(file.path(),
                       "is an analysis database of an Ascend profiler without times of collectives",
                       "The events are in ascend_pytorch_profiler_*.db or msprof_*.db beside it");
  }
  shared::RankBuilder builder(trace, file.path(), "ascend_db", options.keep_arguments);
  zero_at_first_row(file, builder);
  const trace::ProcessId process = builder.process("0");
  const trace::DeviceId device = builder.device("0");
  sqlite::SqliteScan scan = rows_of(file);
  while (scan.next()) {
    if (!is_collective(scan)) continue;
    add_collective(scan, builder, builder.stream(process, device, scan.text(kGroup)));
  }
  builder.add_part(trace::SourcePart::Use::kUsed, std::string(kTimes), scan.rows(),
                   "collectives; times on a grid of 0.25 us");
  for (const std::string_view table : kOtherTables) {
    if (!file.has_table(table)) continue;
    builder.add_part(trace::SourcePart::Use::kUnused, std::string(table), 0, "sums without times");
  }
  builder.add_part(trace::SourcePart::Use::kMissing, "TASK", 0,
                   "kernels are in ascend_pytorch_profiler_*.db or msprof_*.db");
  builder.finish();
  return {};
}

}  // namespace lockstep::formats::ascend_sqlite
