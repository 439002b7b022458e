// Reads one database of torch_npu or msprof into one rank.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "formats/ascend/ascend_names.h"
#include "formats/ascend_sqlite/ascend_tables.h"
#include "formats/shared/format.h"
#include "formats/shared/id_index.h"
#include "formats/shared/rank_builder.h"
#include "formats/sqlite/sqlite_file.h"
#include "formats/sqlite/sqlite_strings.h"

namespace lockstep::formats::ascend_sqlite {

class AscendReader {
 public:
  AscendReader(sqlite::SqliteFile& file, const shared::ReadOptions& options, trace::Trace& trace);
  void read();

 private:
  struct Times {
    WideTime start = 0;
    WideTime end = 0;
  };
  // A row of COMPUTE_TASK_INFO: what a task computes. Numbers are strings.
  struct Computation {
    std::int64_t name = -1;
    bool is_ai_cpu = false;
    std::vector<std::int64_t> details = {};  // those of kept_details_
  };
  // A row of COMMUNICATION_TASK_INFO: one step of a collective.
  struct CommunicationStep {
    std::int64_t type = -1;
    std::int64_t op_name = -1;
    std::int64_t plane = -1;
    std::int64_t bytes = 0;
  };
  // A row of COMMUNICATION_OP.
  struct Operator {
    Times times;
    std::int64_t name = -1;
    std::int64_t connection = kNoConnection;
    std::int64_t group = -1;
    std::int64_t data_type = -1;
    std::int64_t count = -1;
    std::int64_t algorithm = -1;
    std::optional<std::int64_t> device;
    std::uint64_t row = 0;
  };
  struct Owner {
    std::int64_t pid = 0;
    std::int64_t device = 0;
  };
  // An event that a connection joins to others.
  struct Joined {
    std::int64_t connection = 0;
    trace::EventId event = trace::kNoEvent;
    bool is_queue = false;
  };

  void choose_zero();
  void read_facts();
  void read_rank();
  void name_devices();
  [[nodiscard]] bool take_times(const sqlite::SqliteScan& scan, Times& times);
  [[nodiscard]] StringId name_of(std::int64_t string, std::uint64_t row);
  void use(std::string_view table, std::uint64_t rows, std::string note);
  void list_other_tables();
  void list_missing_tables();

  // ascend_reader_device_rows.cpp
  void read_operators();
  void read_computations();
  void read_communication_steps();
  void read_copy_sizes();
  void read_tasks();
  void read_task(const sqlite::SqliteScan& scan);
  [[nodiscard]] trace::Event computed(const Computation& computation, std::uint64_t row);
  [[nodiscard]] trace::Event unexplained(const sqlite::SqliteScan& scan);
  [[nodiscard]] trace::Kind kind_of_type(std::int64_t type);
  [[nodiscard]] trace::TrackId stream(const Owner& owner, std::int64_t number);
  void keep_task(const sqlite::SqliteScan& scan, trace::EventId event,
                 const Computation* computation, const CommunicationStep* step);
  void add_operators();
  [[nodiscard]] trace::TrackId group_lane(const Owner& owner, std::int64_t group);
  void describe_collective(trace::EventId event, const Operator& op);

  // ascend_reader_host_rows.cpp
  void read_cann_calls();
  void read_torch_calls();
  void read_marks();
  void read_steps();
  [[nodiscard]] trace::TrackId thread(std::int64_t global_tid);
  [[nodiscard]] StringId call_name(const ApiLevel& level, std::int64_t string, std::uint64_t row);
  void keep_torch_call(const sqlite::SqliteScan& scan, trace::EventId event);
  [[nodiscard]] std::vector<Joined> joined_torch_calls();
  void join_torch_calls();
  void join_group(std::span<const Joined> hosts, std::span<const Joined> devices);

  sqlite::SqliteFile& file_;
  shared::RankBuilder builder_;
  sqlite::SqliteStrings strings_;
  std::vector<trace::Argument> kept_;
  std::vector<std::size_t> kept_details_;  // of kernels: positions in kComputeDetails

  shared::IdIndex computation_rows_;  // by globalTaskId
  std::vector<Computation> computations_;
  shared::IdIndex step_rows_;  // by globalTaskId
  std::vector<CommunicationStep> steps_;
  shared::IdIndex copy_rows_;  // by globalTaskId
  std::vector<std::int64_t> copy_bytes_;
  std::vector<Operator> operators_;
  shared::IdIndex operator_rows_;                            // by connection
  std::unordered_map<std::int64_t, Owner> operator_owners_;  // by connection of a collective
  std::optional<Owner> first_owner_;
  std::unordered_map<std::int64_t, trace::Kind> kinds_;            // by string of a task type
  std::map<std::array<std::int64_t, 3>, trace::TrackId> streams_;  // by process, device and number
  std::optional<std::pair<std::array<std::int64_t, 3>, trace::TrackId>> last_stream_;
  std::unordered_map<std::int64_t, std::size_t> groups_;
  std::unordered_map<std::int64_t, std::string> data_types_;  // ENUM_HCCL_DATA_TYPE

  std::unordered_map<std::int64_t, trace::TrackId> threads_;
  std::unordered_map<std::uint64_t, StringId> call_names_;
  std::vector<Joined> device_joins_;  // by connection
  std::vector<Joined> torch_joins_;   // by the number that CONNECTION_IDS resolves
  shared::IdIndex cann_connections_;
  bool has_step_marker_ = false;
};

}  // namespace lockstep::formats::ascend_sqlite
