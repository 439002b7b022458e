// What is known to be in the file: counts, exact busy times, steps, stalls, collectives.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "workload.h"

namespace lockstep::tracegen {

enum class Category : std::uint8_t {
  kCpuOp,
  kUserAnnotation,
  kPythonFunction,
  kCudaRuntime,
  kCudaDriver,
  kKernel,
  kGpuMemcpy,
  kGpuMemset,
  kGpuUserAnnotation,
  kOverhead,
  kTrace,
};
inline constexpr std::size_t kCategoryCount = 11;
std::string_view category_name(Category category);

// Length of a union of intervals that come sorted by start; touching intervals join.
class RunningUnion {
 public:
  void add(std::int64_t start_ns, std::int64_t end_ns);
  std::int64_t length_ns() const { return length_ns_; }
  std::int64_t covered_until_ns() const { return end_ns_; }

 private:
  std::int64_t length_ns_ = 0;
  std::int64_t end_ns_ = INT64_MIN;
};

// Counts what the emitter writes, as it writes it. Memory grows by one small entry a pass.
class Truth {
 public:
  Truth(const Options& options, const Plan& plan);

  void add_complete(Category category, std::int64_t start_ns, std::int64_t end_ns);
  // Also to be given to add_complete.
  void add_device_work(const Launch& launch, const Pass& pass);
  void add_flow_start() { ++flows_started_; }
  void add_flow_finish() { ++flows_finished_; }
  void add_metadata() { ++metadata_; }
  void add_instant() { ++instants_; }
  void add_counter() { ++counters_; }
  void end_pass(const Pass& pass);

  std::int64_t first_ns() const { return first_ns_; }
  std::int64_t last_ns() const { return last_ns_; }
  // The document; first_ts_ns is the first event's time as it stands in the file.
  std::string to_json(std::int64_t first_ts_ns) const;

 private:
  struct Interval {
    std::int64_t start_ns;
    std::int64_t end_ns;
  };
  struct StreamTally {
    std::uint64_t kernels = 0;
    std::uint64_t device_events = 0;
    RunningUnion busy;
  };
  struct DeviceTally {
    std::uint64_t kernels = 0;
    std::uint64_t device_events = 0;
    std::int64_t first_ns = INT64_MAX;
    std::int64_t last_ns = INT64_MIN;
    RunningUnion busy;
    std::vector<Interval> pending;  // this pass's work, not yet in busy
    std::vector<StreamTally> streams;
  };
  struct Step {
    std::string name;
    std::int64_t start_ns;
    std::int64_t end_ns;
  };
  struct Stall {
    std::uint64_t pass;
    std::int64_t sleep_ns;
    std::int64_t device_idle_ns;
  };

  void write_counts(std::string& out) const;
  void write_devices(std::string& out) const;
  void write_steps(std::string& out) const;
  void write_structure(std::string& out) const;

  const Options& options_;
  const Plan& plan_;
  std::array<std::uint64_t, kCategoryCount> by_category_{};
  std::array<std::uint64_t, kCollectiveKindCount> collectives_{};
  std::uint64_t flows_started_ = 0;
  std::uint64_t flows_finished_ = 0;
  std::uint64_t metadata_ = 0;
  std::uint64_t instants_ = 0;
  std::uint64_t counters_ = 0;
  std::uint64_t launches_joined_ = 0;
  std::int64_t first_ns_ = INT64_MAX;
  std::int64_t last_ns_ = INT64_MIN;
  std::vector<DeviceTally> devices_;
  std::vector<Step> steps_;
  std::vector<Stall> stalls_;
};

}  // namespace lockstep::tracegen
