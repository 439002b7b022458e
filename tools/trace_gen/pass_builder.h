// One device and its host thread during one pass: operators, launches and when the work runs.
#pragma once

#include <cstdint>
#include <vector>

#include "rng.h"
#include "workload.h"

namespace lockstep::tracegen {

// Lives for one pass of one device. The thread runs ahead of the device, which starts each piece
// of work when it has arrived and its stream is free; in the end the thread waits for the device.
class PassBuilder {
 public:
  PassBuilder(const Options& options, const Plan& plan, RunningIds& ids, DeviceState& state,
              Pass& pass, std::uint32_t device);

  // Adds the device's events to the pass; returns when the thread is done.
  std::int64_t run();

 private:
  struct Request {
    WorkKind kind = WorkKind::kNone;
    ApiKind api{};
    std::uint32_t stream = 0;
    std::int32_t collective = -1;
    std::uint64_t bytes = 0;
    std::int64_t base_ns = 0;
    const KernelSlot* slot = nullptr;
  };
  struct OpenOp {
    std::size_t host_index;
    bool launches;
  };
  struct StreamUse {
    std::int64_t first_ns;
    std::int64_t last_ns;
    bool is_used;
  };

  std::int64_t jitter(std::int64_t low_ns, std::int64_t high_ns);

  void open_thread();
  void load_input();
  void run_layers();
  void run_epilogue();
  void synchronize();
  void annotate_streams();

  void run_slot(const KernelSlot& slot);
  void run_collective(CollectiveKind kind, std::uint64_t elements);
  void run_operator(OpPattern lead, OpPattern pattern, const Request& request);
  void run_pattern(OpPattern pattern, const Request& request);
  void close_operators(std::size_t depth, const Request& request);

  std::size_t open_python_frames();
  void close_python_frames(std::size_t count);
  void push_python_frame(std::string_view name);

  void launch(const Request& request, std::uint64_t external_id);
  void place_work(const Request& request, Launch& launch);
  void place_collective(Launch& launch, std::int64_t earliest);
  void call_without_work(const ApiKind& api, std::uint64_t external_id, std::int64_t duration_ns);
  std::uint64_t next_correlation(bool has_work);
  void wait_for_all_streams(std::uint32_t stream);

  const Options& options_;
  const Plan& plan_;
  RunningIds& ids_;
  DeviceState& state_;
  Pass& pass_;
  const std::uint32_t device_;
  const std::uint32_t tid_;
  Rng rng_;       // the same for every rank, so that ranks agree about the sequence
  Rng rank_rng_;  // what differs between ranks: arrival at collectives
  Rng lost_rng_;  // apart, so that losing launches changes nothing else
  std::int64_t now_ns_;
  std::int64_t compute_start_ns_ = 0;
  std::vector<OpenOp> open_ops_;
  std::vector<std::size_t> python_stack_;
  std::vector<StreamUse> stream_use_;
  std::uint64_t python_credit_ = 0;
};

}  // namespace lockstep::tracegen
