// Recordings whose truth is known otherwise: what accuracy.py compares.
//
//   accuracy FOLDER      writes both.lkp and both_tvm.bin (one kernel that carries both profilers),
//                        fma.lkp and fma.json (a loop timed by events and by clock64), and
//                        anchors_WARPS_NS.lkp (anchors every 20 us under load)
#include <cuda_runtime.h>
#include <lockstep/cuda_profiler.h>
#include <lockstep/kernel_profiler.h>
#include <lockstep/session.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using lockstep::profile::u32;
using lockstep::profile::u64;

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

// A session of one channel.
struct Recording {
  Recording(const char* kernel, u64 blocks, u32 groups, u32 records, u32 launches, u32 anchors) {
    must(lockstep_session_create(LOCKSTEP_CURRENT_DEVICE, &session));
    lockstep_channel_config config;
    lockstep_channel_config_init(&config);
    config.blocks = blocks;
    config.groups = groups;
    config.records = records;
    config.launch_slots = launches;
    config.anchor_capacity = anchors;
    must(lockstep_channel_create(session, &config, kernel, 0, 0, &channel));
  }
  ~Recording() { lockstep_session_destroy(session); }
  void* next_launch() {
    must(lockstep_channel_advance(channel, nullptr, LOCKSTEP_ADVANCE_PLAIN));
    return reinterpret_cast<void*>(lockstep_channel_pointer(channel));
  }
  void save(const std::string& path) {
    must(cudaGetLastError());
    must(cudaDeviceSynchronize());
    must(lockstep_session_collect(session, path.c_str(), nullptr));
  }
  lockstep_session* session = nullptr;
  lockstep_channel* channel = nullptr;
};

__device__ float fma_loop(float x, int iterations) {
#pragma unroll 1
  for (int i = 0; i < iterations; ++i) x = x * 1.0001f + 1.0f;
  return x;
}

// Regions of 100 ns to 1 ms, marked by both profilers: ours first at both ends, so that each region
// holds one marker of the other. Between them the stores of CudaProfiler get time to end: its
// fences would wait for them inside the next region.
constexpr int kRegions = 24;
constexpr int kPause = 100;  // steps of the loop
__global__ void both(void* channel, u64* tvm, float* io) {
  __shared__ lockstep::Staging<4, 64> staging;
  const bool leader = threadIdx.x % 32 == 0;
  const u32 warp = threadIdx.x / 32;
  lockstep::SharedProfiler<decltype(staging), lockstep::StrictPolicy> p(channel, staging, leader);
  lockstep::CudaProfiler q(tvm, gridDim.x * 4, 4, leader);
  p.init(warp);
  q.init(warp);
  float x = io[threadIdx.x];
#pragma unroll 1
  for (int i = 0; i < kRegions; ++i) {
    x = fma_loop(x, kPause);
    p.anchor();  // the clock may wander while the long ones last
    x = fma_loop(x, kPause);
    p.start(u32(i));
    q.start(u32(i));
    x = fma_loop(x, (10 + 13 * int(warp)) << (i / 2));
    p.end(u32(i));
    q.end(u32(i));
  }
  io[threadIdx.x] = x;
  p.finalize();
  q.finalize();
}

void record_both(const std::string& folder, float* io) {
  constexpr u32 kBlocks = 132;
  constexpr size_t kSlots = 1 + size_t{kBlocks} * 4 * (kRegions * 2 + 1);
  Recording recording("both", kBlocks, 4, 64, 1, 256);
  u64* tvm;
  must(cudaMalloc(&tvm, kSlots * 8));
  for (int warm = 0; warm < 2; ++warm) {
    must(cudaMemset(tvm, 0, kSlots * 8));
    both<<<kBlocks, 128>>>(recording.next_launch(), tvm, io);
  }
  recording.save(folder + "/both.lkp");
  std::vector<u64> host(kSlots);
  must(cudaMemcpy(host.data(), tvm, kSlots * 8, cudaMemcpyDeviceToHost));
  std::FILE* file = std::fopen((folder + "/both_tvm.bin").c_str(), "wb");
  std::fwrite(host.data(), 8, kSlots, file);
  std::fclose(file);
  must(cudaFree(tvm));
}

__global__ void fma_kernel(void* channel, float* io, int iterations, u64* cycles) {
  __shared__ lockstep::Staging<1, 16> staging;
  lockstep::SharedProfiler<decltype(staging)> p(channel, staging, threadIdx.x == 0);
  p.init(0);
  float x = io[threadIdx.x];
  const u64 t0 = lockstep::profile::clock64();
  p.start(0);
  x = fma_loop(x, iterations);
  p.end(0);
  const u64 t1 = lockstep::profile::clock64();
  io[threadIdx.x] = x;
  if (threadIdx.x == 0) cycles[blockIdx.x] = t1 - t0;
}

void record_fma(const std::string& folder, float* io) {
  constexpr int kBlocks = 4;
  const int lengths[] = {4'000, 4'000'000};
  Recording recording("fma", kBlocks, 1, 16, 2, 0);
  u64* cycles;
  must(cudaMalloc(&cycles, kBlocks * 8));
  cudaEvent_t from, to;
  must(cudaEventCreate(&from));
  must(cudaEventCreate(&to));
  for (int warm = 0; warm < 3; ++warm) fma_kernel<<<kBlocks, 128>>>(nullptr, io, 4'000'000, cycles);
  std::FILE* file = std::fopen((folder + "/fma.json").c_str(), "w");
  std::fprintf(file, "[");
  for (const int length : lengths) {
    void* channel = recording.next_launch();
    must(cudaEventRecord(from));
    fma_kernel<<<kBlocks, 128>>>(channel, io, length, cycles);
    must(cudaEventRecord(to));
    must(cudaEventSynchronize(to));
    float ms = 0;
    must(cudaEventElapsedTime(&ms, from, to));
    u64 host[kBlocks];
    must(cudaMemcpy(host, cycles, sizeof host, cudaMemcpyDeviceToHost));
    std::fprintf(
        file, "%s{\"iterations\": %d, \"event_ns\": %.0f, \"clock64\": [%llu, %llu, %llu, %llu]}",
        length == lengths[0] ? "" : ", ", length, ms * 1e6, host[0], host[1], host[2], host[3]);
  }
  std::fprintf(file, "]\n");
  std::fclose(file);
  recording.save(folder + "/fma.lkp");
}

// Regions of some us until the time is over; interior anchors as they fall due.
__global__ void loaded(void* channel, float* io, u64 total) {
  __shared__ lockstep::Staging<16, 16> staging;
  lockstep::SharedProfiler<decltype(staging), lockstep::AnchoredPolicy> p(channel, staging,
                                                                          threadIdx.x % 32 == 0);
  p.init(threadIdx.x / 32);
  float x = io[threadIdx.x];
  const u64 begin = lockstep::profile::timer64();
#pragma unroll 1
  while (lockstep::profile::timer64() - begin < total) {
    p.start(0);
    x = fma_loop(x, 500);
    p.end(0);
  }
  io[threadIdx.x] = x;
  p.finalize();
}

void record_loaded(const std::string& folder, float* io, u32 warps, u64 total) {
  Recording recording("loaded", 132, warps, 16, 1, 1024);
  for (int warm = 0; warm < 3; ++warm) {
    loaded<<<132, warps * 32>>>(recording.next_launch(), io, total);
  }
  recording.save(folder + "/anchors_" + std::to_string(warps) + "_" + std::to_string(total) +
                 ".lkp");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: accuracy FOLDER\n");
    return 2;
  }
  const std::string folder = argv[1];
  float* io;
  must(cudaMalloc(&io, 4096));
  must(cudaMemset(io, 0, 4096));
  record_both(folder, io);
  record_fma(folder, io);
  for (const u32 warps : {1u, 16u}) {
    for (const u64 total : {100'000ull, 1'000'000ull, 10'000'000ull}) {
      record_loaded(folder, io, warps, total);
    }
  }
}
