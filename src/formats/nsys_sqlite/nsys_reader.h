// Reads one export: table by table into one rank.
#pragma once

#include <array>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "formats/nsys_sqlite/nsys_lanes.h"
#include "formats/nsys_sqlite/nsys_tables.h"
#include "formats/shared/format.h"
#include "formats/shared/rank_builder.h"
#include "formats/sqlite/sqlite_file.h"
#include "formats/sqlite/sqlite_strings.h"

namespace lockstep::formats::nsys_sqlite {

extern const DiagnosticKind kGraphLevelCapture;
extern const DiagnosticKind kRangeOfNoType;

inline constexpr std::int64_t kNoTime = std::numeric_limits<std::int64_t>::min();

class NsysReader {
 public:
  NsysReader(sqlite::SqliteFile& file, const shared::ReadOptions& options, trace::Trace& trace);
  void read();

 private:
  struct Times {
    WideTime start = 0;
    WideTime end = 0;
  };

  void read_facts();
  void choose_zero();
  // Counts and refuses rows without times. The first two columns are start and end.
  [[nodiscard]] bool take_times(const sqlite::SqliteScan& scan, Times& times);
  [[nodiscard]] WideTime absolute(std::int64_t ns) const;
  [[nodiscard]] StringId name_of(std::int64_t string, std::uint64_t row);

  // nsys_reader_device_rows.cpp
  void read_kernels();
  void read_copies();
  void read_sets();
  void read_graphs();
  void read_waits();
  [[nodiscard]] std::vector<std::string_view> device_columns(
      std::initializer_list<std::string_view> more) const;
  // Adds the row that `scan` stands on. Columns are those of device_columns().
  trace::EventId add_device_row(const sqlite::SqliteScan& scan, StringId name, trace::Kind kind,
                                trace::TrackId track);
  [[nodiscard]] static StreamKey stream_key(const sqlite::SqliteScan& scan);
  [[nodiscard]] bool has_lost_time(const sqlite::SqliteScan& scan);
  void keep_lane(const sqlite::SqliteScan& scan);
  void keep(std::string_view key, std::int64_t value);
  void keep_triple(std::string_view key, const sqlite::SqliteScan& scan, int column);
  void set_kept(trace::EventId event);
  [[nodiscard]] StringId copy_name(std::int64_t copy, std::int64_t from, std::int64_t to);

  // nsys_reader_host_rows.cpp
  void read_calls(const HostTable& table);
  [[nodiscard]] StringId call_name(std::int64_t string, std::uint64_t row);
  void read_ranges();
  void read_range(const sqlite::SqliteScan& scan, std::uint64_t& used);
  trace::EventId add_range(const sqlite::SqliteScan& scan);
  trace::EventId add_mark(const sqlite::SqliteScan& scan);
  // A row that names a domain or a thread.
  void read_range_name(const sqlite::SqliteScan& scan, NvtxType type);
  void keep_range(const sqlite::SqliteScan& scan);
  [[nodiscard]] std::string_view range_text(const sqlite::SqliteScan& scan) const;
  [[nodiscard]] StringId range_name(const sqlite::SqliteScan& scan);

  sqlite::SqliteFile& file_;
  shared::RankBuilder builder_;
  sqlite::SqliteStrings strings_;
  NsysLanes lanes_;
  std::optional<std::int64_t> epoch_ns_;
  std::vector<trace::Argument> kept_;  // arguments of the row at hand
  std::map<std::array<std::int64_t, 3>, StringId> copy_names_;
  std::unordered_map<std::int64_t, StringId> call_names_;
  std::map<std::pair<std::int64_t, std::int64_t>, StringId> domains_;  // by process and number
};

}  // namespace lockstep::formats::nsys_sqlite
