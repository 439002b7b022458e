// Cycles of a marker, of init and of finalize, on the GPU at hand; each variant in the same run.
//
// Every warp runs a loop of 16 markers with one FMA (or 33) between them; the cost is the median
// warp's cycles less those of the empty loop. Prints one table in Markdown.
#include <lockstep/cuda_profiler.h>

#include <algorithm>
#include <string>

#include "channel.h"

namespace {

using namespace lockstep;
using profile::u32;
using profile::u64;

constexpr u32 kRecords = 64;
constexpr int kInner = 16;
constexpr u32 kMaxWarps = 32;
constexpr u32 kLaneBytes = 1024;

// TVM's form, as its specification prints it: strided 64-bit records and a fence for all threads.
struct TvmForm {
  u64* buffer;
  u64 offset;
  u32 stride, tag;
  bool leader;
  __device__ __forceinline__ TvmForm(void* memory, bool leads, u32 group)
      : buffer(static_cast<u64*>(memory)), leader(leads) {
    const u32 lane = blockIdx.x * (blockDim.x / 32) + group;
    offset = 1 + lane;
    stride = gridDim.x * (blockDim.x / 32);
    tag = lane << 12;
  }
  __device__ __forceinline__ u32 timestamp() {
    volatile u32 value;
    asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(value));
    return value;
  }
  __device__ __forceinline__ void start(u32 event) {
    if (leader) {
      buffer[offset] = (u64{timestamp()} << 32) | (tag | event << 2);
      offset += stride;
    }
    __threadfence_block();
  }
  __device__ __forceinline__ void end(u32 event) {
    __threadfence_block();
    if (leader) {
      buffer[offset] = (u64{timestamp()} << 32) | (tag | event << 2 | 1);
      offset += stride;
    }
  }
};

enum Variant {
  kEmpty,
  kTvm,
  kCompat,
  kShared,
  kGlobal,
  kSharedUnchecked,
  kGlobalUnchecked,
  kSharedRing,
  kGlobalRing,
  kRegion,
  kGlobalRegion,
  kElected,
  kAnchored,
  kStrict,
  kVariants
};
const char* const kNames[] = {"empty loop",
                              "CudaProfiler (TVM's code)",
                              "lockstep::CudaProfiler",
                              "default, shared",
                              "default, global",
                              "unchecked, shared",
                              "unchecked, global",
                              "ring, shared",
                              "ring, global",
                              "region record, shared (an edge)",
                              "region record, global (an edge)",
                              "elected, shared",
                              "interior anchors, shared",
                              "strict, shared"};

// A policy without a bound would run out of its lane here: the loop rewinds by a fresh object.
template <class Profiler, int Fmas>
__device__ __forceinline__ float sixteen(Profiler& p, float x) {
#pragma unroll
  for (u32 i = 0; i < kInner; ++i) {
    if (i % 2 == 0)
      p.start(i / 2);
    else
      p.end(i / 2);
#pragma unroll
    for (int f = 0; f < Fmas; ++f) x = x * 1.0001f + 1.0f;
  }
  return x;
}
template <class Profiler, int Fmas>
__device__ __forceinline__ float eight_regions(Profiler& p, float x) {
#pragma unroll
  for (u32 i = 0; i < kInner / 2; ++i) {
    const RegionStart r = p.region_begin(i);
#pragma unroll
    for (int f = 0; f < Fmas; ++f) x = x * 1.0001f + 1.0f;
    p.region_end(i, r);
#pragma unroll
    for (int f = 0; f < Fmas; ++f) x = x * 1.0001f + 1.0f;
  }
  return x;
}
template <int Fmas>
__device__ __forceinline__ float nothing(float x) {
#pragma unroll
  for (int f = 0; f < Fmas * kInner; ++f) {
    x = x * 1.0001f + 1.0f;
    asm volatile("" ::: "memory");
  }
  return x;
}

template <Variant V, int Fmas>
__global__ void __launch_bounds__(1024)
    cost(void* buffer, u32* out, float* io, int rounds, bool one_leader) {
  using Room = Staging<kMaxWarps, V == kSharedUnchecked ? 128 : kRecords>;
  __shared__ Room room;
  const u32 warp = threadIdx.x / 32;
  const bool leader = one_leader ? threadIdx.x == 0 : threadIdx.x % 32 == 0;
  float x = io[threadIdx.x % 32];
  u32 t0 = 0, t1 = 0;
  const auto run = [&](auto& p, auto body) {
    __syncthreads();
    t0 = profile::clock32();
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) x = body(p, x);
    t1 = profile::clock32();
  };
  const auto marks = [](auto& p, float v) {
    return sixteen<std::remove_reference_t<decltype(p)>, Fmas>(p, v);
  };
  const auto regions = [](auto& p, float v) {
    return eight_regions<std::remove_reference_t<decltype(p)>, Fmas>(p, v);
  };
  if constexpr (V == kEmpty) {
    int none = 0;
    run(none, [](int&, float v) { return nothing<Fmas>(v); });
  } else if constexpr (V == kTvm) {
    TvmForm p(buffer, leader, warp);
    run(p, [&](TvmForm& q, float v) {
      const float w = sixteen<TvmForm, Fmas>(q, v);
      return w;
    });
  } else if constexpr (V == kCompat) {
    CudaProfiler p(static_cast<u64*>(buffer), gridDim.x * (blockDim.x / 32), blockDim.x / 32,
                   leader);
    p.init(warp);
    run(p, marks);
  } else if constexpr (V == kGlobal || V == kGlobalRing) {
    GlobalProfiler<std::conditional_t<V == kGlobal, DefaultPolicy, RingPolicy>> p(buffer, leader);
    p.init(warp);
    run(p, marks);
  } else if constexpr (V == kGlobalUnchecked) {
    GlobalProfiler<UncheckedPolicy> p(buffer, leader);
    p.init(warp);
    run(p, marks);
  } else if constexpr (V == kGlobalRegion) {
    GlobalProfiler<RegionPolicy> p(buffer, leader);
    p.init(warp);
    run(p, regions);
  } else {
    using Policy = std::conditional_t<
        V == kShared, DefaultPolicy,
        std::conditional_t<
            V == kSharedUnchecked, UncheckedPolicy,
            std::conditional_t<
                V == kSharedRing, RingPolicy,
                std::conditional_t<V == kRegion, RegionPolicy,
                                   std::conditional_t<V == kElected, ElectedPolicy,
                                                      std::conditional_t<V == kStrict, StrictPolicy,
                                                                         AnchoredPolicy>>>>>>;
    SharedProfiler<Room, Policy> p(buffer, room, leader);
    p.init(warp);
    if constexpr (V == kRegion)
      run(p, regions);
    else
      run(p, marks);
  }
  if (threadIdx.x % 32 == 0) out[blockIdx.x * (blockDim.x / 32) + warp] = t1 - t0;
  if (x == 12345.0f) io[0] = x;
}

struct Setup {
  int sms;
  u32* out;
  float* io;
  void* scratch;
};

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

// Unchecked lanes have room for all records of the run; the others overflow, which costs the same.
template <Variant V, int Fmas>
double cycles(const Setup& s, u32 warps, int rounds, bool one_leader) {
  bench::Sizes sizes;
  sizes.groups = warps;
  sizes.lanes = s.sms * warps;
  sizes.lane_bytes = V == kGlobalUnchecked ? 65536 / 4 : kLaneBytes;
  sizes.anchor_capacity = 64;
  sizes.anchor_interval = 20000;
  bench::Channel channel(sizes);
  void* buffer = V == kTvm || V == kCompat ? s.scratch : channel.pointer();
  std::vector<double> medians;
  for (int repeat = 0; repeat < 5; ++repeat) {
    channel.advance();
    cost<V, Fmas><<<s.sms, warps * 32>>>(buffer, s.out, s.io, rounds, one_leader);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::vector<u32> h(s.sms * warps);
    CHECK(cudaMemcpy(h.data(), s.out, h.size() * 4, cudaMemcpyDeviceToHost));
    std::vector<double> each;
    for (u32 i = 0; i < h.size(); ++i) {
      if (one_leader && i % warps == 0) continue;
      each.push_back(h[i] / double(rounds * kInner));
    }
    if (repeat > 0) medians.push_back(median(each));
  }
  if (V != kEmpty && V != kTvm && V != kCompat && V != kSharedUnchecked) {
    channel.download();
    if (!channel.canaries_hold()) std::printf("CANARY BROKEN: %s\n", kNames[V]);
  }
  return median(medians);
}

// The empty loop has the same number of rounds: what happens once cancels.
template <Variant V, int Fmas>
double net(const Setup& s, u32 warps, bool one_leader) {
  const int rounds = V == kSharedUnchecked                                ? 8
                     : V == kGlobalUnchecked || V == kTvm || V == kCompat ? 50
                                                                          : 200;
  return cycles<V, Fmas>(s, warps, rounds, one_leader) -
         cycles<kEmpty, Fmas>(s, warps, rounds, one_leader);
}

template <Variant V, int Fmas>
void row(const Setup& s) {
  std::printf("| %s |", kNames[V]);
  for (u32 warps : {1u, 4u, 8u, 16u, 32u}) std::printf(" %.1f |", net<V, Fmas>(s, warps, false));
  if (Fmas == 1) {
    for (u32 warps : {8u, 32u}) std::printf(" %.1f |", net<V, Fmas>(s, warps, true));
  }
  std::printf("\n");
}

template <int Fmas>
void table(const Setup& s) {
  std::printf("\n%d FMA between markers; cycles a marker, net of the empty loop\n\n", Fmas);
  std::printf("| variant | 1 warp | 4 | 8 | 16 | 32 |%s\n|---|---|---|---|---|---|%s\n",
              Fmas == 1 ? " warps without a leader, of 8 | of 32 |" : "",
              Fmas == 1 ? "---|---|" : "");
  row<kTvm, Fmas>(s);
  row<kCompat, Fmas>(s);
  row<kShared, Fmas>(s);
  row<kGlobal, Fmas>(s);
  row<kSharedUnchecked, Fmas>(s);
  row<kGlobalUnchecked, Fmas>(s);
  row<kSharedRing, Fmas>(s);
  row<kGlobalRing, Fmas>(s);
  row<kRegion, Fmas>(s);
  row<kGlobalRegion, Fmas>(s);
  row<kElected, Fmas>(s);
  row<kAnchored, Fmas>(s);
  row<kStrict, Fmas>(s);
}

template <bool Shared>
__global__ void ends(void* buffer, u32* out) {
  __shared__ Staging<8, 64> room;
  const u32 warp = threadIdx.x / 32;
  const auto body = [&](auto& p) {
    __syncthreads();
    const u32 t0 = profile::clock32();
    p.init(warp);
    const u32 t1 = profile::clock32();
#pragma unroll 1
    for (u32 i = 0; i < 32; ++i) {
      p.start(i);
      p.end(i);
    }
    const u32 t2 = profile::clock32();
    p.finalize();
    const u32 t3 = profile::clock32();
    if (threadIdx.x % 32 == 0) {
      const u32 at = (blockIdx.x * (blockDim.x / 32) + warp) * 2;
      out[at] = t1 - t0;
      out[at + 1] = t3 - t2;
    }
  };
  if constexpr (Shared) {
    SharedProfiler<Staging<8, 64>> p(buffer, room, threadIdx.x % 32 == 0);
    body(p);
  } else {
    GlobalProfiler<> p(buffer, threadIdx.x % 32 == 0);
    body(p);
  }
}

template <bool Shared>
void init_and_finalize(const Setup& s, u32 warps, u32 waves) {
  const u32 blocks = s.sms * waves;
  bench::Sizes sizes;
  sizes.groups = warps;
  sizes.lanes = blocks * warps;
  bench::Channel channel(sizes);
  std::vector<double> init, fin, both;
  for (int repeat = 0; repeat < 12; ++repeat) {
    channel.advance();
    ends<Shared><<<blocks, warps * 32>>>(channel.pointer(), s.out);
    CHECK(cudaDeviceSynchronize());
    std::vector<u32> h(blocks * warps * 2);
    CHECK(cudaMemcpy(h.data(), s.out, h.size() * 4, cudaMemcpyDeviceToHost));
    if (repeat < 2) continue;
    for (u32 i = 0; i < h.size(); i += 2) {
      init.push_back(h[i]);
      fin.push_back(h[i + 1]);
      both.push_back(h[i] + h[i + 1]);
    }
  }
  std::printf("| %s | %u | %u | %.0f | %.0f | %.0f |\n", Shared ? "shared" : "global", warps, waves,
              median(init), median(fin), median(both));
  channel.download();
  const profile::LaneHead head = channel.head(0);
  if (head.seen != 64 || !(head.flags & profile::kFinalized))
    std::printf("WRONG HEAD: seen %llu flags %u\n", head.seen, head.flags);
}

}  // namespace

int main() {
  cudaDeviceProp prop;
  CHECK(cudaGetDeviceProperties(&prop, 0));
  Setup s{prop.multiProcessorCount, nullptr, nullptr, nullptr};
  CHECK(cudaMalloc(&s.out, s.sms * kMaxWarps * 8 * 64));
  CHECK(cudaMalloc(&s.io, 4096));
  CHECK(cudaMemset(s.io, 0, 4096));
  CHECK(cudaMalloc(&s.scratch, size_t(s.sms) * kMaxWarps * 8 * 1024));
  std::printf("%s, %d multiprocessors\n", prop.name, s.sms);
  table<1>(s);
  table<33>(s);
  std::printf("\ninit and finalize with 64 records, cycles (median of all lanes)\n\n");
  std::printf(
      "| staging | warps | blocks a multiprocessor | init | finalize | both "
      "|\n|---|---|---|---|---|---|\n");
  for (u32 warps : {1u, 8u}) {
    for (u32 waves : {1u, 64u}) {
      init_and_finalize<true>(s, warps, waves);
      init_and_finalize<false>(s, warps, waves);
    }
  }
  CHECK(cudaDeviceSynchronize());
}
