// The model of the run: passes of layers of kernels, with every time of host and device.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "options.h"
#include "plan.h"

namespace lockstep::tracegen {

// All times are integer nanoseconds from the start of the first step.

enum class HostKind : std::uint8_t { kCpuOp, kUserAnnotation, kPythonFunction };

struct HostEvent {
  HostKind kind = HostKind::kCpuOp;
  std::uint32_t tid = 0;
  std::int32_t collective = -1;  // index into Pass::collectives, or -1
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::string_view name;
  std::uint64_t external_id = 0;
  std::uint64_t event_index = 0;
  std::uint64_t python_id = 0;
  std::uint64_t python_parent_id = 0;  // 0: none
};

struct Collective {
  CollectiveKind kind;
  std::uint64_t sequence;
  std::uint64_t in_elements;
  std::uint64_t out_elements;
};

enum class WorkKind : std::uint8_t { kNone, kKernel, kMemcpyHtoD, kMemcpyDtoH, kMemset };

// A call of the runtime or driver and, unless work is kNone, what it made the device do.
struct Launch {
  ApiKind api{};
  WorkKind work = WorkKind::kNone;
  bool is_lost = false;  // the call itself is missing from the trace (a quirk)
  std::uint32_t tid = 0;
  std::uint32_t device = 0;
  std::uint32_t stream = 0;      // index
  std::int32_t collective = -1;  // index into Pass::collectives, or -1
  std::int64_t api_start_ns = 0;
  std::int64_t api_end_ns = 0;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint64_t correlation = 0;
  std::uint64_t external_id = 0;  // of the operator that called; 0: none
  std::uint64_t bytes = 0;
  const KernelSlot* slot = nullptr;
};

// The device's copy of a step mark: from the first to the last work of the step on one stream.
struct DeviceAnnotation {
  std::uint32_t device;
  std::uint32_t stream;
  std::int64_t start_ns;
  std::int64_t end_ns;
};

struct Overhead {
  std::string_view name;
  std::int64_t start_ns;
  std::int64_t end_ns;
};

// Everything of one step. Reused from pass to pass, so that memory does not grow with the file.
struct Pass {
  std::uint64_t index = 0;
  std::string step_name;
  std::uint64_t step_external_id = 0;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t stall_ns = 0;  // how long the host slept after the mark opened; 0: no stall
  std::vector<HostEvent> host;
  std::vector<Launch> launches;
  std::vector<Collective> collectives;
  std::vector<DeviceAnnotation> annotations;
  std::vector<Overhead> overheads;
};

// Counters that run through the whole file.
struct RunningIds {
  std::uint64_t external = 0;
  std::uint64_t event_index = 0;
  std::uint64_t correlation = 14;
  std::uint64_t python = 0;
};

struct DeviceState {
  std::vector<std::int64_t> stream_free_ns;
  std::uint64_t collective_sequence = 0;
};

// Generates passes one after another. A pass ends with a synchronisation of every device, so no
// work of a pass overlaps work of the next; the exact running unions in Truth rest on that.
class Workload {
 public:
  explicit Workload(const Options& options);

  void generate_next(Pass& pass);

  const Plan& plan() const { return plan_; }
  std::uint64_t passes_generated() const { return next_pass_; }

 private:
  const Options& options_;
  Plan plan_;
  RunningIds ids_;
  std::vector<DeviceState> devices_;
  std::uint64_t next_pass_ = 0;
  std::int64_t clock_ns_ = 0;
};

// Ids as they stand in the file. The stream id is the same on every device, as in real files.
std::uint32_t process_id(const Options& options);
std::uint32_t thread_id(const Options& options, std::uint32_t device);
std::uint32_t stream_id(std::uint32_t stream);

}  // namespace lockstep::tracegen
