// Reads the tables of an RPD database into a rank.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/rocm/rocm_records.h"
#include "formats/shared/id_table.h"
#include "formats/shared/rank_builder.h"
#include "formats/sqlite/sqlite_file.h"

namespace lockstep::formats::rpd {

struct RowCounts {
  std::uint64_t operations = 0;
  std::uint64_t calls = 0;
  std::uint64_t launches = 0;
  std::uint64_t monitors = 0;
};

// The first times of the file, for the choice of an origin.
void collect_times(sqlite::SqliteFile& file, std::vector<WideTime>& times);

class Reader {
 public:
  Reader(sqlite::SqliteFile& file, shared::RankBuilder& builder) : file_(file), builder_(builder) {}

  [[nodiscard]] RowCounts read();

 private:
  struct Call {
    std::int64_t pid = -1;
    StringId name{};
  };
  // What a launch or copy says of the work that it starts.
  struct LaunchFacts {
    rocm::Extent grid{};
    rocm::Extent group{};
    std::int64_t shared_bytes = 0;
  };

  void read_strings();
  std::uint64_t read_launches();
  std::uint64_t read_calls();
  std::uint64_t read_operations();
  std::uint64_t read_monitors();
  void read_launch_facts();
  void add_arguments(trace::EventId event, trace::Kind kind, std::int64_t call, std::int64_t gpu,
                     std::int64_t queue, rocm::ArgumentList& arguments);
  [[nodiscard]] StringId string_of(std::int64_t id, std::string_view what, std::uint64_t row);
  [[nodiscard]] std::int64_t pid_of(std::int64_t call) const;
  [[nodiscard]] bool take_span(const sqlite::SqliteScan& row, int start, WideTime& from,
                               WideTime& to);

  sqlite::SqliteFile& file_;
  shared::RankBuilder& builder_;
  shared::IdTable<StringId> strings_{StringId{0xFFFF'FFFF}};
  shared::IdTable<std::int64_t> call_of_operation_{-1};
  shared::IdTable<Call> calls_{Call{}};  // those that are needed later
  std::int64_t only_pid_ = -1;           // of all calls, when they share one
  bool has_several_processes_ = false;
  std::unordered_map<std::int64_t, LaunchFacts> kernel_facts_;  // by call
  std::unordered_map<std::int64_t, std::int64_t> copy_bytes_;   // by call
};

}  // namespace lockstep::formats::rpd
