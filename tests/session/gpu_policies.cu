// On a GPU: kernels whose markers are known, under every policy. gpu_policies.py decodes the files
// and holds them to what stands here.
//
//   gpu_policies FOLDER
#include <cuda_runtime.h>
#include <lockstep/kernel_profiler.h>
#include <lockstep/session.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

using lockstep::profile::u32;
using lockstep::profile::u64;

constexpr u32 kBlocks = 8;
constexpr u32 kThreads = 128;
constexpr u32 kRecords = 64;

void must(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}
void must(int status) {
  if (status == LOCKSTEP_OK) return;
  std::fprintf(stderr, "%s\n", lockstep_last_error());
  std::exit(1);
}

__device__ float spin(float x) {
#pragma unroll 1
  for (int i = 0; i < 50; ++i) x = x * 1.0001f + 1.0f;
  return x;
}

// Groups of 16, 80 and 32 threads: two of the leaders are in one warp.
__device__ u32 uneven_group() { return threadIdx.x < 16 ? 0 : threadIdx.x < 96 ? 1 : 2; }
__device__ bool leads_uneven() {
  return threadIdx.x == 0 || threadIdx.x == 16 || threadIdx.x == 96;
}

// `count` regions of event 1 with their number as payload, a region of 3 that turns into 4 with an
// instant of 2 inside, and asynchronous work from group 0 to group 1.
template <class Profiler>
__device__ void known_markers(Profiler& p, float* io, int count) {
  const u32 group = uneven_group();
  p.init(group);
  float x = io[threadIdx.x];
#pragma unroll 1
  for (int i = 0; i < count; ++i) {
    const lockstep::RegionStart region = p.region_begin(1);
    x = spin(x);
    p.region_end(1, region, u32(i) + 1);
  }
  p.start(3);
  x = spin(x);
  p.instant(2, 77);
  p.next(3, 4);
  x = spin(x);
  p.end(4);
  if (group == 0) p.begin_async(5, 9);
  __syncthreads();
  if (group == 1) p.end_async(5, 9);
  io[threadIdx.x] = x;
  p.finalize();
}

using Room = lockstep::Staging<3, kRecords>;

template <class Policy>
__global__ void in_shared(void* channel, float* io, int count) {
  __shared__ Room room;
  lockstep::SharedProfiler<Room, Policy> p(channel, room, leads_uneven());
  known_markers(p, io, count);
}
template <class Policy>
__global__ void in_global(void* channel, float* io, int count) {
  lockstep::GlobalProfiler<Policy> p(channel, leads_uneven());
  known_markers(p, io, count);
}

// Both halves of every warp mark; in the second one no leader is active.
__global__ void divergent(void* channel, float* io, int) {
  __shared__ lockstep::Staging<4, kRecords> room;
  lockstep::SharedProfiler<decltype(room), lockstep::ElectedPolicy> p(channel, room,
                                                                      threadIdx.x % 32 == 0);
  p.init(threadIdx.x / 32);
  float x = io[threadIdx.x];
  if (threadIdx.x % 32 < 16) {
    p.start(1);
    x = spin(x);
    p.end(1);
  } else {
    p.start(2);
    x = spin(spin(x));
    p.end(2);
  }
  __syncwarp();
  p.start(3);
  io[threadIdx.x] = x;
  p.end(3);
  __syncwarp();
  p.finalize();
}

// The leader leaves in the middle: its destructor ends the lane.
__global__ void early_return(void* channel, float* io, int) {
  __shared__ lockstep::Staging<1, kRecords> room;
  lockstep::SharedProfiler<decltype(room)> p(channel, room, threadIdx.x == 0);
  p.init(0);
  p.start(1);
  io[threadIdx.x] = spin(io[threadIdx.x]);
  p.end(1);
  if (threadIdx.x < 32) return;
  p.start(2);
  io[threadIdx.x] = spin(io[threadIdx.x]);
  p.end(2);
}

__global__ void switched_off(void* channel, float* io, int) {
  __shared__ lockstep::Staging<1, kRecords> room;
  lockstep::SharedProfiler<decltype(room)> p(channel, room, threadIdx.x == 0, false);
  p.init(0);
  p.start(1);
  io[threadIdx.x] = spin(io[threadIdx.x]);
  p.end(1);
}

struct Choice {
  u32 selection = LOCKSTEP_ALL_BLOCKS;
  u32 step = 1;
};

template <class Kernel>
void record(const std::string& path, Kernel kernel, u32 groups, int count, bool regions,
            const Choice& choice = {}) {
  static const u64 kListed[] = {1, 6};
  lockstep_session* session;
  must(lockstep_session_create(LOCKSTEP_CURRENT_DEVICE, &session));
  lockstep_channel_config config;
  lockstep_channel_config_init(&config);
  config.blocks = kBlocks;
  config.groups = groups;
  config.records = regions ? kRecords / 2 : kRecords;
  config.has_region_records = regions ? 1 : 0;
  config.selection = choice.selection;
  config.selection_step = choice.step;
  config.listed_blocks = reinterpret_cast<const uint64_t*>(kListed);
  config.listed_count = 2;
  lockstep_channel* channel;
  must(lockstep_channel_create(session, &config, "known", 0, 0, &channel));
  float* io;
  must(cudaMalloc(&io, kThreads * sizeof(float)));
  must(cudaMemset(io, 0, kThreads * sizeof(float)));
  must(lockstep_channel_advance(channel, nullptr, LOCKSTEP_ADVANCE_PLAIN));
  kernel<<<kBlocks, kThreads>>>(reinterpret_cast<void*>(lockstep_channel_pointer(channel)), io,
                                count);
  must(cudaGetLastError());
  must(cudaDeviceSynchronize());
  must(lockstep_session_collect(session, path.c_str(), nullptr));
  lockstep_session_destroy(session);
  must(cudaFree(io));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: gpu_policies FOLDER\n");
    return 2;
  }
  const std::string to = std::string(argv[1]) + "/";
  using namespace lockstep;
  constexpr int kFits = 10, kOverflows = 100;
  record(to + "shared.lkp", in_shared<DefaultPolicy>, 3, kFits, false);
  record(to + "global.lkp", in_global<DefaultPolicy>, 3, kFits, false);
  record(to + "unchecked_shared.lkp", in_shared<UncheckedPolicy>, 3, kFits, false);
  record(to + "unchecked_global.lkp", in_global<UncheckedPolicy>, 3, kFits, false);
  record(to + "strict_shared.lkp", in_shared<StrictPolicy>, 3, kFits, false);
  record(to + "anchored_shared.lkp", in_shared<AnchoredPolicy>, 3, kFits, false);
  record(to + "anchored_global.lkp", in_global<AnchoredPolicy>, 3, kFits, false);
  record(to + "regions_shared.lkp", in_shared<RegionPolicy>, 3, kFits, true);
  record(to + "regions_global.lkp", in_global<RegionPolicy>, 3, kFits, true);
  record(to + "full_shared.lkp", in_shared<DefaultPolicy>, 3, kOverflows, false);
  record(to + "full_global.lkp", in_global<DefaultPolicy>, 3, kOverflows, false);
  record(to + "ring_shared.lkp", in_shared<RingPolicy>, 3, kOverflows, false);
  record(to + "ring_global.lkp", in_global<RingPolicy>, 3, kOverflows, false);
  record(to + "every_other.lkp", in_shared<DefaultPolicy>, 3, kFits, false,
         {LOCKSTEP_EVERY_NTH, 2});
  record(to + "listed.lkp", in_shared<DefaultPolicy>, 3, kFits, false, {LOCKSTEP_LISTED, 1});
  record(to + "elected.lkp", divergent, 4, 0, false);
  record(to + "early.lkp", early_return, 1, 0, false);
  record(to + "off.lkp", switched_off, 1, 0, false);
}
