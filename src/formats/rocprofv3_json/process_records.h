// Reads the records of one process into a rank.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/rocm/rocm_records.h"
#include "formats/rocprofv3_json/process_sections.h"
#include "formats/rocprofv3_json/record_list.h"
#include "formats/shared/id_table.h"
#include "formats/shared/rank_builder.h"

namespace lockstep::formats::rocprofv3_json {

// How many records of each list were read, and which lists were not.
struct ListUse {
  std::string name;
  std::uint64_t records = 0;
  bool is_used = true;
};

// The first times of a process, for the choice of an origin. Returns how many records were looked
// at.
std::uint64_t collect_times(RecordParser& parser, const ProcessSections& sections,
                            std::vector<WideTime>& times);

class ProcessReader {
 public:
  // `keeps_correlations` is false where joining by them would lead to another process.
  ProcessReader(RecordParser& parser, const ProcessSections& sections, shared::RankBuilder& builder,
                bool keeps_correlations);

  void read(std::vector<ListUse>& uses);

 private:
  using Element = simdjson::dom::element;
  struct Agent {
    std::string index;  // the id of its device
    std::string name;
    std::int64_t number = 0;
    bool is_gpu = false;
  };
  struct Domain {
    trace::Kind kind = trace::Kind::kHostOp;
    std::vector<StringId> operations;
  };
  struct Times {
    WideTime start = 0;
    WideTime end = 0;
  };

  void read_metadata();
  void read_agents();
  void read_symbols();
  void read_strings();
  void add_kernel(Element record, std::size_t offset);
  void add_copy(Element record, std::size_t offset);
  void add_host_record(Element record, std::size_t offset);
  // The records of a list whose name is not known, as what they look like. Returns how many there
  // are, and how many of them are kernels.
  [[nodiscard]] std::uint64_t read_unknown_list(const RecordList& list, std::uint64_t& kernels);
  void look_at_other_callbacks();

  void say_device(std::int64_t agent);
  [[nodiscard]] bool take_times(Element record, std::size_t offset, Times& times);
  [[nodiscard]] StringId operation_of(Element record, std::size_t offset);
  [[nodiscard]] trace::DeviceId device_of(std::int64_t handle, std::size_t offset);
  [[nodiscard]] bool is_gpu(std::int64_t handle) const;
  [[nodiscard]] trace::TrackId stream_track(std::int64_t agent, std::int64_t stream,
                                            std::size_t offset);
  [[nodiscard]] trace::TrackId thread_track(std::int64_t thread);
  [[nodiscard]] std::int64_t correlation_of(Element record) const;

  RecordParser& parser_;
  const ProcessSections& sections_;
  shared::RankBuilder& builder_;
  bool keeps_correlations_;
  trace::ProcessId process_{};
  std::unordered_map<std::int64_t, Agent> agents_;  // by handle
  shared::IdTable<StringId> kernels_{kEmptyString};
  std::vector<Domain> domains_;                          // by kind
  std::unordered_map<std::int64_t, StringId> messages_;  // of markers, by correlation
  rocm::LaneTracks stream_tracks_;
  rocm::LaneTracks thread_tracks_;
  rocm::ArgumentList arguments_;
};

}  // namespace lockstep::formats::rocprofv3_json
