// Processes, threads and streams of an export, by the numbers that its rows carry.
//
// A GlobalId packs hardware, machine, process and thread: pid << 24 | tid in its lower 48 bits.
// All rows of a process share everything above the thread.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "formats/shared/rank_builder.h"
#include "formats/sqlite/sqlite_file.h"
#include "formats/sqlite/sqlite_strings.h"

namespace lockstep::formats::nsys_sqlite {

// What a row of device work says about its lane.
struct StreamKey {
  std::int64_t global_pid = 0;
  std::int64_t device = 0;
  std::int64_t context = 0;
  std::int64_t stream = 0;
  friend bool operator==(const StreamKey&, const StreamKey&) = default;
};

class NsysLanes {
 public:
  NsysLanes(sqlite::SqliteFile& file, shared::RankBuilder& builder);

  [[nodiscard]] trace::ProcessId process(std::int64_t global_id);
  [[nodiscard]] trace::TrackId thread(std::int64_t global_tid);
  // A stream number belongs to a context. It stands alone in the id of the track unless several
  // contexts of the process use it on the device.
  [[nodiscard]] trace::TrackId stream(const StreamKey& key);
  // The same, for rows whose device cannot be trusted: that of the context counts, where work of
  // the context was seen.
  [[nodiscard]] trace::TrackId stream_of_context(StreamKey key);

  void name_thread(std::int64_t global_tid, StringId name);
  // MPI rank of a process.
  void set_mpi_rank(std::int64_t global_id, std::int64_t rank);
  // Names of processes, threads and devices, and the ids of streams that contexts share. Last.
  void finish(sqlite::SqliteStrings& strings);

 private:
  struct KeyHash {
    std::size_t operator()(const StreamKey& key) const;
  };
  struct Stream {
    trace::TrackId track{};
    std::int64_t context = 0;
    std::int64_t number = 0;
    bool is_shared = false;  // by several contexts
  };

  [[nodiscard]] trace::TrackId make_stream(const StreamKey& key);
  [[nodiscard]] trace::DeviceId device(const StreamKey& key);
  void number_mpi_rank();
  void name_devices();

  sqlite::SqliteFile& file_;
  shared::RankBuilder& builder_;
  // From (pid, CUDA number) to the number of the GPU: a process may see only some of them.
  std::unordered_map<std::uint64_t, std::int64_t> gpus_;
  std::unordered_map<std::int64_t, trace::ProcessId> processes_;  // by GlobalId without thread
  std::unordered_map<std::int64_t, std::int64_t> owners_;  // of a pid: the first GlobalId with it
  std::unordered_map<std::int64_t, trace::TrackId> threads_;
  std::unordered_map<StreamKey, trace::TrackId, KeyHash> streams_;
  std::unordered_map<StreamKey, Stream, KeyHash> first_contexts_;  // by key with context 0
  std::unordered_map<StreamKey, std::int64_t, KeyHash> context_devices_;
  std::unordered_map<std::int64_t, std::int64_t> mpi_ranks_;  // by GlobalId without thread
  StreamKey last_key_;
  trace::TrackId last_stream_{};
  bool has_last_ = false;
};

}  // namespace lockstep::formats::nsys_sqlite
