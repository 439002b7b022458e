// Simulates one device and its host thread during one pass.
#include "pass_builder.h"

#include <algorithm>

namespace lockstep::tracegen {
namespace {

constexpr std::uint64_t kPassSeedPart = 2;
constexpr std::uint64_t kRankSeedPart = 3;
constexpr std::uint64_t kLostSeedPart = 4;
constexpr std::uint64_t kDeviceSeedPart = 5;
constexpr std::int64_t kTickNs = 32;
constexpr std::int64_t kJitterGridNs = 40;
constexpr std::uint32_t kOneInLost = 64;
constexpr std::uint32_t kOneInPlainCall = 6;
constexpr std::uint64_t kInputBytes = 131'072;
constexpr std::int64_t kInputCopyNs = 4'800;
constexpr std::uint64_t kZeroedBytes = 4'096;
constexpr std::int64_t kMemsetNs = 768;
constexpr std::uint64_t kLossBytes = 4;
constexpr std::int64_t kLossCopyNs = 1'472;
constexpr std::uint64_t kLayerElements = 16'777'216;
constexpr std::uint64_t kShardElements = 4'194'304;
constexpr std::uint64_t kEventsPerLaunch = 4;  // the call, the work and two flow ends
// Ranks leave a collective within this time of each other, as they do on one node.
constexpr std::uint32_t kCollectiveExitSpreadNs = 1'500;

std::uint64_t pass_seed(const Options& options, std::uint64_t part, std::uint64_t pass,
                        std::uint32_t device) {
  return derive_seed(derive_seed(options.seed, part, pass), kDeviceSeedPart, device);
}

}  // namespace

PassBuilder::PassBuilder(const Options& options, const Plan& plan, RunningIds& ids,
                         DeviceState& state, Pass& pass, std::uint32_t device)
    : options_(options),
      plan_(plan),
      ids_(ids),
      state_(state),
      pass_(pass),
      device_(device),
      tid_(thread_id(options, device)),
      rng_(pass_seed(options, kPassSeedPart, pass.index, device)),
      rank_rng_(pass_seed(options, kRankSeedPart + (std::uint64_t{options.rank} << 8), pass.index,
                          device)),
      lost_rng_(pass_seed(options, kLostSeedPart, pass.index, device)),
      now_ns_(pass.start_ns + pass.stall_ns),
      stream_use_(options.streams, StreamUse{0, 0, false}) {}

std::int64_t PassBuilder::run() {
  open_thread();
  load_input();
  run_layers();
  run_epilogue();
  synchronize();
  annotate_streams();
  return now_ns_;
}

// A grid of 40 ns keeps the entropy of the digits, and so the gzip ratio, near that of real files.
std::int64_t PassBuilder::jitter(std::int64_t low_ns, std::int64_t high_ns) {
  return low_ns + kJitterGridNs * rng_.between(0, (high_ns - low_ns) / kJitterGridNs);
}

void PassBuilder::open_thread() {
  now_ns_ += jitter(1'200, 3'400);
  if (options_.python_share > 0) push_python_frame("train.py(211): train_step");
}

void PassBuilder::load_input() {
  const std::uint32_t stream = options_.streams > 1 ? 1 : 0;
  run_operator({}, host_to_device_pattern(),
               {.kind = WorkKind::kMemcpyHtoD,
                .api = kMemcpyAsync,
                .stream = stream,
                .bytes = kInputBytes,
                .base_ns = kInputCopyNs});
  if (options_.world > 1) run_collective(CollectiveKind::kAllGather, kShardElements);
  for (const KernelSlot& slot : plan_.prologue) run_slot(slot);
}

void PassBuilder::run_layers() {
  for (std::uint32_t layer = 0; layer < options_.layers; ++layer) {
    for (const KernelSlot& slot : plan_.body) run_slot(slot);
    if (options_.world > 1) run_collective(CollectiveKind::kAllReduce, kLayerElements);
  }
}

void PassBuilder::run_epilogue() {
  wait_for_all_streams(0);
  run_operator({}, memset_pattern(),
               {.kind = WorkKind::kMemset,
                .api = kMemsetAsync,
                .bytes = kZeroedBytes,
                .base_ns = kMemsetNs});
  for (const KernelSlot& slot : plan_.epilogue) run_slot(slot);
  if (options_.world > 1) run_collective(CollectiveKind::kReduceScatter, kShardElements);
  wait_for_all_streams(0);
  run_operator({}, device_to_host_pattern(),
               {.kind = WorkKind::kMemcpyDtoH,
                .api = kMemcpyAsync,
                .bytes = kLossBytes,
                .base_ns = kLossCopyNs});
}

void PassBuilder::synchronize() {
  const std::int64_t done =
      *std::max_element(state_.stream_free_ns.begin(), state_.stream_free_ns.end());
  const std::int64_t wait = std::max<std::int64_t>(done - now_ns_, 0) + jitter(2'100, 3'900);
  call_without_work(kDeviceSynchronize, 0, wait);
  now_ns_ += jitter(900, 1'900);
  close_python_frames(python_stack_.size());
  now_ns_ += jitter(100, 300);
}

void PassBuilder::annotate_streams() {
  for (std::uint32_t stream = 0; stream < options_.streams; ++stream) {
    const StreamUse& use = stream_use_[stream];
    if (!use.is_used) continue;
    pass_.annotations.push_back({device_, stream, use.first_ns, use.last_ns});
  }
}

void PassBuilder::run_slot(const KernelSlot& slot) {
  run_operator(slot.lead, slot.pattern,
               {.kind = WorkKind::kKernel,
                .api = slot.api,
                .stream = slot.stream,
                .base_ns = slot.base_ns,
                .slot = &slot});
}

void PassBuilder::run_collective(CollectiveKind kind, std::uint64_t elements) {
  const KernelSlot& slot = plan_.collective_slots[static_cast<std::size_t>(kind)];
  const std::uint64_t gathered = elements * options_.world;
  const std::uint64_t in = kind == CollectiveKind::kReduceScatter ? gathered : elements;
  const std::uint64_t out = kind == CollectiveKind::kAllGather ? gathered : elements;
  const auto index = static_cast<std::int32_t>(pass_.collectives.size());
  pass_.collectives.push_back({kind, ++state_.collective_sequence, in, out});
  run_operator({}, slot.pattern,
               {.kind = WorkKind::kKernel,
                .api = slot.api,
                .stream = slot.stream,
                .collective = index,
                .base_ns = slot.base_ns,
                .slot = &slot});
}

void PassBuilder::run_operator(OpPattern lead, OpPattern pattern, const Request& request) {
  // Frames are paid from the events of the operators, so that the share holds over the file.
  python_credit_ += (lead.size() + pattern.size() + kEventsPerLaunch) * options_.python_share;
  const std::size_t frames = open_python_frames();
  if (!lead.empty()) run_pattern(lead, request);
  run_pattern(pattern, request);
  close_python_frames(frames);
}

void PassBuilder::run_pattern(OpPattern pattern, const Request& request) {
  for (const OpStep& step : pattern) {
    close_operators(step.depth, request);
    now_ns_ += jitter(183, 563);
    open_ops_.push_back({pass_.host.size(), step.launches});
    // Only record_param_comms, the op that launches, carries the collective's arguments.
    pass_.host.push_back({.tid = tid_,
                          .collective = step.launches ? request.collective : -1,
                          .start_ns = now_ns_,
                          .name = step.name,
                          .external_id = ++ids_.external,
                          .event_index = ids_.event_index++});
  }
  close_operators(0, request);
}

void PassBuilder::close_operators(std::size_t depth, const Request& request) {
  while (open_ops_.size() > depth) {
    const OpenOp op = open_ops_.back();
    open_ops_.pop_back();
    if (op.launches) launch(request, pass_.host[op.host_index].external_id);
    now_ns_ += jitter(127, 487);
    pass_.host[op.host_index].end_ns = now_ns_;
  }
}

std::size_t PassBuilder::open_python_frames() {
  const std::uint64_t price = 100 - options_.python_share;
  std::size_t count = 0;
  for (; options_.python_share > 0 && python_credit_ >= price; ++count) {
    python_credit_ -= price;
    const auto names = python_frames();
    push_python_frame(names[rng_.below(static_cast<std::uint32_t>(names.size()))]);
  }
  return count;
}

void PassBuilder::push_python_frame(std::string_view name) {
  const std::uint64_t parent =
      python_stack_.empty() ? 0 : pass_.host[python_stack_.back()].python_id;
  now_ns_ += jitter(91, 391);
  python_stack_.push_back(pass_.host.size());
  pass_.host.push_back({.kind = HostKind::kPythonFunction,
                        .tid = tid_,
                        .start_ns = now_ns_,
                        .name = name,
                        .event_index = ids_.event_index++,
                        .python_id = ++ids_.python,
                        .python_parent_id = parent});
}

void PassBuilder::close_python_frames(std::size_t count) {
  for (; count > 0; --count) {
    now_ns_ += jitter(69, 309);
    pass_.host[python_stack_.back()].end_ns = now_ns_;
    python_stack_.pop_back();
  }
}

void PassBuilder::launch(const Request& request, std::uint64_t external_id) {
  if (rng_.below(kOneInPlainCall) == 0) {
    const ApiKind& plain = request.api.is_driver ? kFuncSetAttribute : kStreamIsCapturing;
    call_without_work(plain, external_id, jitter(291, 611));
  }
  now_ns_ += jitter(247, 707);
  const std::int64_t start = now_ns_;
  now_ns_ += jitter(2'119, 3'919);
  Launch entry{.api = request.api,
               .work = request.kind,
               .tid = tid_,
               .device = device_,
               .stream = request.stream,
               .collective = request.collective,
               .api_start_ns = start,
               .api_end_ns = now_ns_,
               .correlation = next_correlation(true),
               .external_id = external_id,
               .bytes = request.bytes,
               .slot = request.slot};
  place_work(request, entry);
  entry.is_lost = options_.quirks.lost_launches && request.kind == WorkKind::kKernel &&
                  lost_rng_.below(kOneInLost) == 0;
  pass_.launches.push_back(entry);
  if (request.kind == WorkKind::kMemcpyDtoH) {
    const std::int64_t wait = std::max<std::int64_t>(entry.end_ns - now_ns_, 0);
    call_without_work(kStreamSynchronize, external_id, wait + jitter(1'600, 3'000));
  }
}

void PassBuilder::place_work(const Request& request, Launch& launch) {
  std::int64_t& free_ns = state_.stream_free_ns[request.stream];
  std::int64_t earliest = launch.api_start_ns + jitter(3'401, 5'901);
  earliest = std::max(earliest, free_ns + jitter(577, 1'357));
  if (launch.collective >= 0) {
    place_collective(launch, earliest);
  } else {
    // Side streams fork from the kernel that runs on the compute stream.
    if (request.stream > 1) earliest = std::max(earliest, compute_start_ns_);
    const auto ticks = static_cast<std::uint32_t>(request.base_ns / kTickNs);
    launch.start_ns = earliest;
    launch.end_ns = earliest + request.base_ns + kTickNs * rng_.below(ticks / 24 + 3);
    free_ns = launch.end_ns;
  }
  if (request.stream == 0) compute_start_ns_ = launch.start_ns;
  StreamUse& use = stream_use_[request.stream];
  if (!use.is_used) use = {launch.start_ns, launch.end_ns, true};
  use.last_ns = std::max(use.last_ns, launch.end_ns);
}

void PassBuilder::place_collective(Launch& launch, std::int64_t earliest) {
  // The layer's result must exist. The nominal times are those of every rank; a rank may come
  // later and leave at its own moment, but nothing after the collective depends on that.
  const std::int64_t start = std::max(earliest, state_.stream_free_ns[0]);
  const std::int64_t length = launch.slot->base_ns + kTickNs * rng_.below(600);
  launch.start_ns = start + rank_rng_.below(static_cast<std::uint32_t>(length / 3));
  launch.end_ns = start + length + rank_rng_.below(kCollectiveExitSpreadNs);
  state_.stream_free_ns[launch.stream] = start + length + kCollectiveExitSpreadNs;
}

void PassBuilder::call_without_work(const ApiKind& api, std::uint64_t external_id,
                                    std::int64_t duration_ns) {
  now_ns_ += jitter(143, 423);
  const std::int64_t start = now_ns_;
  now_ns_ += duration_ns;
  pass_.launches.push_back({.api = api,
                            .tid = tid_,
                            .device = device_,
                            .api_start_ns = start,
                            .api_end_ns = now_ns_,
                            .correlation = next_correlation(false),
                            .external_id = external_id});
}

std::uint64_t PassBuilder::next_correlation(bool has_work) {
  // Real numbers have gaps: the profiler counts calls around a launch that it does not record.
  return ids_.correlation += has_work ? 11 : 1;
}

void PassBuilder::wait_for_all_streams(std::uint32_t stream) {
  for (const std::int64_t other : state_.stream_free_ns) {
    state_.stream_free_ns[stream] = std::max(state_.stream_free_ns[stream], other);
  }
}

}  // namespace lockstep::tracegen
