// Kernels, copies, sets, graphs and waits.
#include <fmt/format.h>

#include "formats/nsys_sqlite/nsys_reader.h"
#include "formats/shared/record_defects.h"
#include "formats/sqlite/sqlite_parts.h"

namespace lockstep::formats::nsys_sqlite {
namespace {

// Where the columns that all tables of device work share stand in a scan; more follow.
enum Column : int {
  kStart,
  kEnd,
  kDevice,
  kContext,
  kStream,
  kCorrelation,
  kGlobalPid,
  kMore,
};

template <std::size_t kSize>
std::string_view word(const std::array<std::string_view, kSize>& words, std::int64_t number) {
  return number >= 0 && number < static_cast<std::int64_t>(kSize)
             ? words[static_cast<std::size_t>(number)]
             : std::string_view("Unknown");
}

}  // namespace

std::vector<std::string_view> NsysReader::device_columns(
    std::initializer_list<std::string_view> more) const {
  std::vector<std::string_view> columns = {"start",    "end",           "deviceId", "contextId",
                                           "streamId", "correlationId", "globalPid"};
  columns.insert(columns.end(), more);
  return columns;
}

StreamKey NsysReader::stream_key(const sqlite::SqliteScan& scan) {
  return {scan.integer(kGlobalPid), scan.integer(kDevice), scan.integer(kContext),
          scan.integer(kStream)};
}

bool NsysReader::has_lost_time(const sqlite::SqliteScan& scan) {
  // Times count from the start of the session, so a lost one is a plain zero.
  if (scan.integer(kStart, 1) != 0 || scan.integer(kEnd, 1) != 0) return false;
  builder_.diagnostics().add(shared::kZeroTime, Place::row(scan.rows()));
  return true;
}

trace::EventId NsysReader::add_device_row(const sqlite::SqliteScan& scan, StringId name,
                                          trace::Kind kind, trace::TrackId track) {
  Times times;
  if (has_lost_time(scan) || !take_times(scan, times)) return trace::kNoEvent;
  trace::Event row;
  row.name = name;
  row.kind = kind;
  row.track = track;
  const std::int64_t correlation = scan.integer(kCorrelation);
  row.correlation = correlation > 0 ? correlation : trace::kNoCorrelation;
  return builder_.add_span(row, times.start, times.end, Place::row(scan.rows()));
}

void NsysReader::keep(std::string_view key, std::int64_t value) {
  kept_.push_back(trace::Argument::integer(builder_.intern(key), value));
}

void NsysReader::keep_triple(std::string_view key, const sqlite::SqliteScan& scan, int column) {
  const std::string text = fmt::format("[{},{},{}]", scan.integer(column), scan.integer(column + 1),
                                       scan.integer(column + 2));
  kept_.push_back(trace::Argument::json(builder_.intern(key), builder_.intern(text)));
}

void NsysReader::keep_lane(const sqlite::SqliteScan& scan) {
  kept_.clear();
  keep("device", scan.integer(kDevice));
  keep("context", scan.integer(kContext));
  keep("stream", scan.integer(kStream));
}

void NsysReader::set_kept(trace::EventId event) { builder_.set_arguments(event, kept_); }

void NsysReader::read_kernels() {
  enum : int {
    kName = kMore,
    kShort,
    kMangled,
    kGrid,
    kBlock = kGrid + 3,
    kRegisters = kBlock + 3,
    kStatic,
    kDynamic,
    kNode
  };
  sqlite::SqliteColumns columns{device_columns({"demangledName", "shortName", "mangledName"})};
  if (builder_.keeps_arguments()) {
    columns.details = {"gridX",
                       "gridY",
                       "gridZ",
                       "blockX",
                       "blockY",
                       "blockZ",
                       "registersPerThread",
                       "staticSharedMemory",
                       "dynamicSharedMemory",
                       "graphNodeId"};
  }
  sqlite::SqliteScan scan = file_.scan(kKernels.name, columns);
  while (scan.next()) {
    const int named = !scan.is_null(kName) ? kName : !scan.is_null(kShort) ? kShort : kMangled;
    const StringId name = name_of(scan.integer(named, sqlite::kNoId), scan.rows());
    const trace::EventId event =
        add_device_row(scan, name, kKernels.kind, lanes_.stream(stream_key(scan)));
    if (!builder_.keeps_arguments() || event == trace::kNoEvent) continue;
    keep_lane(scan);
    keep_triple("grid", scan, kGrid);
    keep_triple("block", scan, kBlock);
    keep("registers per thread", scan.integer(kRegisters));
    std::int64_t shared = 0;
    if (!__builtin_add_overflow(scan.integer(kStatic), scan.integer(kDynamic), &shared)) {
      keep("shared memory", shared);
    }
    if (!scan.is_null(kNode)) keep("graph node id", scan.integer(kNode));
    if (const auto mangled = strings_.find(scan.integer(kMangled, sqlite::kNoId))) {
      kept_.push_back(trace::Argument::string(builder_.intern("mangled name"), *mangled));
    }
    set_kept(event);
  }
  sqlite::use_table(builder_, kKernels.name, scan.rows(), "kernels");
}

StringId NsysReader::copy_name(std::int64_t copy, std::int64_t from, std::int64_t to) {
  const auto [known, is_new] = copy_names_.try_emplace({copy, from, to});
  if (is_new) {
    std::string name = "Memcpy";
    if (const std::string_view type = word(kCopyTypes, copy); !type.empty()) {
      name += " " + std::string(type);
    }
    if (from >= 0 && to >= 0) {
      name += fmt::format(" ({} -> {})", word(kMemoryTypes, from), word(kMemoryTypes, to));
    }
    known->second = builder_.intern(name);
  }
  return known->second;
}

void NsysReader::read_copies() {
  enum : int { kCopy = kMore, kFrom, kTo, kBytes };
  sqlite::SqliteScan scan =
      file_.scan(kCopies.name, device_columns({"copyKind", "srcKind", "dstKind", "bytes"}));
  while (scan.next()) {
    const StringId name =
        copy_name(scan.integer(kCopy, sqlite::kNoId), scan.integer(kFrom, sqlite::kNoId),
                  scan.integer(kTo, sqlite::kNoId));
    const trace::EventId event =
        add_device_row(scan, name, kCopies.kind, lanes_.stream(stream_key(scan)));
    if (!builder_.keeps_arguments() || event == trace::kNoEvent) continue;
    keep_lane(scan);
    keep("bytes", scan.integer(kBytes));
    set_kept(event);
  }
  sqlite::use_table(builder_, kCopies.name, scan.rows(), "copies");
}

void NsysReader::read_sets() {
  enum : int { kMemory = kMore, kBytes, kValue };
  sqlite::SqliteScan scan = file_.scan(kSets.name, device_columns({"memKind", "bytes", "value"}));
  while (scan.next()) {
    const std::int64_t memory = scan.integer(kMemory, sqlite::kNoId);
    const StringId name = builder_.intern(
        memory < 0 ? "Memset" : fmt::format("Memset ({})", word(kMemoryTypes, memory)));
    const trace::EventId event =
        add_device_row(scan, name, kSets.kind, lanes_.stream(stream_key(scan)));
    if (!builder_.keeps_arguments() || event == trace::kNoEvent) continue;
    keep_lane(scan);
    keep("bytes", scan.integer(kBytes));
    keep("value", scan.integer(kValue));
    set_kept(event);
  }
  sqlite::use_table(builder_, kSets.name, scan.rows(), "sets of memory");
}

void NsysReader::read_graphs() {
  enum : int { kGraph = kMore, kInstance };
  sqlite::SqliteScan scan = file_.scan(kGraphs.name, device_columns({"graphId", "graphExecId"}));
  while (scan.next()) {
    const std::int64_t graph = scan.integer(kGraph, sqlite::kNoId);
    const StringId name =
        builder_.intern(graph < 0 ? "CUDA graph" : fmt::format("CUDA graph {}", graph));
    const trace::EventId event =
        add_device_row(scan, name, kGraphs.kind, lanes_.stream(stream_key(scan)));
    if (event == trace::kNoEvent) continue;
    builder_.diagnostics().add(kGraphLevelCapture, Place::row(scan.rows()));
    if (!builder_.keeps_arguments()) continue;
    keep_lane(scan);
    if (!scan.is_null(kGraph)) keep("graph id", graph);
    if (!scan.is_null(kInstance)) keep("graph exec id", scan.integer(kInstance));
    set_kept(event);
  }
  sqlite::use_table(builder_, kGraphs.name, scan.rows(), "whole graphs, each as one kernel");
}

void NsysReader::read_waits() {
  enum : int { kType = kMore, kEvent };
  sqlite::SqliteScan scan = file_.scan(kWaits.name, device_columns({"syncType", "eventId"}));
  while (scan.next()) {
    const auto number = static_cast<std::uint64_t>(scan.integer(kType));
    const WaitType& type = kWaitTypes[number < kWaitTypes.size() ? number : 0];
    const trace::TrackId track = lanes_.stream_of_context(stream_key(scan));
    const trace::EventId event = add_device_row(scan, builder_.intern(type.name), type.kind, track);
    if (!builder_.keeps_arguments() || event == trace::kNoEvent) continue;
    keep_lane(scan);
    keep("event id", scan.integer(kEvent));
    set_kept(event);
  }
  sqlite::use_table(builder_, kWaits.name, scan.rows(), "waits");
}

}  // namespace lockstep::formats::nsys_sqlite
