// Reads the records of one session into a rank.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/rocm/rocm_records.h"
#include "formats/rocpd/rocpd_tables.h"
#include "formats/shared/id_table.h"
#include "formats/shared/rank_builder.h"

namespace lockstep::formats::rocpd {

// Tables of records, in the order in which they are read.
enum class Table : std::uint8_t { kRegion, kSample, kKernelDispatch, kMemoryCopy, kMemoryAllocate };
inline constexpr std::array<std::string_view, 5> kTableNames = {
    "rocpd_region", "rocpd_sample", "rocpd_kernel_dispatch", "rocpd_memory_copy",
    "rocpd_memory_allocate"};
using RowCounts = std::array<std::uint64_t, kTableNames.size()>;

// The first times of a session, for the choice of an origin.
void collect_times(sqlite::SqliteFile& file, const SessionFacts& session,
                   std::vector<WideTime>& times);

class SessionReader {
 public:
  // `keeps_correlations` is false where joining by them would lead to another process.
  SessionReader(sqlite::SqliteFile& file, const SessionFacts& facts, shared::RankBuilder& builder,
                bool keeps_correlations);

  // Adds how many rows of each table were read.
  void read(RowCounts& rows);

 private:
  struct EventFacts {
    std::int64_t stack = trace::kNoCorrelation;
    trace::Kind kind = trace::Kind::kHostOp;
  };
  struct Agent {
    const AgentRow* row = nullptr;  // null for one that the file does not hold
    trace::DeviceId device = trace::kNoDevice;

    [[nodiscard]] bool is_gpu() const { return row != nullptr && row->is_gpu; }
  };
  struct Thread {
    std::int64_t tid = 0;
    StringId name{};
    bool is_known = false;
  };
  struct Span {
    WideTime start = 0;
    WideTime end = 0;
  };

  void read_names();
  void read_events();
  void read_messages();
  std::uint64_t read_regions();
  std::uint64_t read_samples();
  std::uint64_t read_kernels();
  std::uint64_t read_copies();
  std::uint64_t read_allocations();
  void read_call_arguments();

  [[nodiscard]] std::string_view process_column() const;
  [[nodiscard]] trace::ProcessId process_of(std::int64_t id);
  [[nodiscard]] Agent agent_of(std::int64_t id, std::uint64_t row);
  [[nodiscard]] std::int64_t agent_index(std::int64_t id) const;
  [[nodiscard]] trace::TrackId thread_track(std::int64_t process, std::int64_t thread);
  [[nodiscard]] trace::TrackId stream_track(std::int64_t process, std::int64_t agent,
                                            std::int64_t stream, std::uint64_t row);
  // The string of a row, or the bare number when there is none.
  [[nodiscard]] StringId name_of(const shared::IdTable<StringId>& names, std::int64_t id,
                                 std::string_view what, std::uint64_t row);
  // False, and counted, when one of them is missing.
  [[nodiscard]] bool take_span(const sqlite::SqliteScan& row, int start, int end, Span& span);
  [[nodiscard]] std::int64_t correlation_of(const EventFacts& event) const;

  sqlite::SqliteFile& file_;
  const SessionFacts& facts_;
  shared::RankBuilder& builder_;
  bool keeps_correlations_;
  bool has_markers_ = false;
  std::int64_t only_process_ = 0;
  shared::IdTable<StringId> strings_{kEmptyString};
  shared::IdTable<StringId> kernels_{kEmptyString};
  shared::IdTable<StringId> streams_{kEmptyString};
  shared::IdTable<Thread> threads_{Thread{}};
  shared::IdTable<Agent> agents_{Agent{}};
  shared::IdTable<const ProcessRow*> process_rows_{nullptr};
  shared::IdTable<EventFacts> events_{EventFacts{}};
  std::unordered_map<std::int64_t, StringId> messages_;     // of markers, by event
  std::unordered_map<std::int64_t, trace::EventId> calls_;  // by event; only with arguments
  std::unordered_map<std::int64_t, trace::ProcessId> processes_;
  rocm::LaneTracks thread_tracks_;
  rocm::LaneTracks stream_tracks_;
};

}  // namespace lockstep::formats::rocpd
