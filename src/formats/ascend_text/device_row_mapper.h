// Puts the rows of device tables into a trace: beside nothing, or over the events of a timeline
// that tells of the same work.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/ascend_text/device_table.h"
#include "formats/ascend_text/timeline_index.h"
#include "formats/shared/rank_builder.h"

namespace lockstep::formats::ascend_text {

// How often a type of kernel was met, for comparing with op_statistic.csv.
struct KernelCount {
  std::string type;
  std::string core;
  std::uint64_t count = 0;
};

class DeviceRowMapper {
 public:
  // `timeline` may be null. `process` is what the process is called where no timeline says.
  DeviceRowMapper(shared::RankBuilder& rank, TimelineIndex* timeline, std::string process);

  // Reads all rows. `device` is the device of tables that have no such column; may be empty. Of a
  // table of tasks only copies, sets and waits are wanted when `kernels_known`.
  [[nodiscard]] Status read(DeviceTable& table, const std::string& device, bool kernels_known);

  [[nodiscard]] std::vector<KernelCount> counts() const;
  // Steps by the column Step Id: from the first start to the last end of their rows.
  void add_steps();
  [[nodiscard]] bool knows_cores() const { return knows_cores_; }
  [[nodiscard]] std::uint64_t placed() const { return placed_; }

 private:
  struct StepWindow {
    Time start;
    Time end;
  };

  void take(const DeviceRow& row, const DeviceTable& table);
  [[nodiscard]] trace::Kind kind_of(const DeviceRow& row, TableSort sort);
  [[nodiscard]] trace::TrackId track_of(const DeviceRow& row, trace::Kind kind);
  [[nodiscard]] std::string_view device_of(const DeviceRow& row) const;
  [[nodiscard]] trace::EventId correct(const DeviceRow& row, trace::Kind kind, StringId name);
  [[nodiscard]] trace::EventId add(const DeviceRow& row, trace::Kind kind, StringId name);
  void note(const DeviceRow& row, trace::EventId event);
  void set_arguments(const DeviceRow& row, trace::EventId event);
  void choose_keys(const DeviceTable& table);

  shared::RankBuilder& rank_;
  TimelineIndex* timeline_;
  std::string process_;
  std::string default_device_;
  bool only_copies_ = false;
  bool knows_cores_ = false;
  std::uint64_t placed_ = 0;
  std::vector<StringId> keys_;  // of arguments, by column; empty for those that are none
  std::vector<trace::Argument> arguments_;
  std::unordered_map<std::uint64_t, std::uint64_t> counts_;  // by type and core
  std::unordered_map<std::uint32_t, StepWindow> steps_;      // by StringId
};

// The tail of the group in the name of a collective, hcom_<op>__<group>_<index>_<x>; empty when it
// has none.
[[nodiscard]] std::string_view group_in_name(std::string_view name);

}  // namespace lockstep::formats::ascend_text
