// How far the clock of a multiprocessor wanders: dense anchors under load, as raw data.
//
// Writes $1: for each case a line of text "case WARPS LOAD TOTAL_NS SMS ANCHORS\n" and then
// SMS x ANCHORS x {timer, clock before, clock after} as little-endian u64 (zeros: not taken).
#include <cstdio>

#include "channel.h"

namespace {

using namespace lockstep::profile;

enum class Load : u32 { kFma, kMma };

__device__ __forceinline__ void work(float (&x)[8], Load load) {
  if (load == Load::kFma) {
#pragma unroll
    for (int i = 0; i < 64; ++i) x[i % 8] = x[i % 8] * 1.0001f + 1.0f;
  } else {
    const u32 a = __float_as_uint(x[4]);
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, "
          "{%4,%4}, {%0,%1,%2,%3};"
          : "+f"(x[0]), "+f"(x[1]), "+f"(x[2]), "+f"(x[3])
          : "r"(a));
    }
  }
}

// The first warp of every block takes anchors; all of them work until the time is over.
__global__ void wander(Anchor* out, u32 anchors, u64 interval, u64 total, Load load, float* io) {
  float x[8];
  for (int i = 0; i < 8; ++i) x[i] = io[threadIdx.x % 32 + i];
  const bool takes = threadIdx.x == 0;
  Anchor* mine = out + blockIdx.x * anchors;
  u32 taken = 0;
  const u64 begin = timer64();
  u64 due = begin;
  while (true) {
    const u64 now = timer64();
    if (now - begin >= total) break;
    if (takes && now >= due && taken < anchors) {
      mine[taken++] = take_anchor();
      mine[taken++] = take_anchor();
      due += interval;
    }
    __syncwarp();
    work(x, load);
  }
  if (takes && taken + 2 <= anchors) {
    mine[taken++] = take_anchor();
    mine[taken++] = take_anchor();
  }
  float sum = 0;
  for (int i = 0; i < 8; ++i) sum += x[i];
  if (sum == 12345.0f) io[0] = sum;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  std::FILE* file = std::fopen(argv[1], "wb");
  cudaDeviceProp prop;
  CHECK(cudaGetDeviceProperties(&prop, 0));
  const u32 sms = prop.multiProcessorCount;
  float* io;
  CHECK(cudaMalloc(&io, 4096));
  CHECK(cudaMemset(io, 0, 4096));
  for (const Load load : {Load::kFma, Load::kMma}) {
    for (const u32 warps : {1u, 4u, 16u}) {
      for (const u64 total : {100'000ull, 1'000'000ull, 10'000'000ull}) {
        if (load == Load::kMma && warps == 4) continue;
        const u64 interval = total <= 100'000 ? 5'000 : total <= 1'000'000 ? 10'000 : 20'000;
        const u32 anchors = static_cast<u32>(total / interval) * 2 + 6;
        Anchor* out;
        CHECK(cudaMalloc(&out, size_t{sms} * anchors * sizeof(Anchor)));
        for (int warm = 0; warm < 3; ++warm) {
          CHECK(cudaMemset(out, 0, size_t{sms} * anchors * sizeof(Anchor)));
          wander<<<sms, warps * 32>>>(out, anchors, interval, total, load, io);
          CHECK(cudaDeviceSynchronize());
        }
        std::vector<Anchor> host(size_t{sms} * anchors);
        CHECK(cudaMemcpy(host.data(), out, host.size() * sizeof(Anchor), cudaMemcpyDeviceToHost));
        CHECK(cudaFree(out));
        std::fprintf(file, "case %u %s %llu %u %u\n", warps, load == Load::kFma ? "fma" : "mma",
                     total, sms, anchors);
        std::fwrite(host.data(), sizeof(Anchor), host.size(), file);
        double widths = 0;
        for (const Anchor& a : host) widths += a.clock_after - a.clock_before;
        std::printf("%u warps %s %llu ns: bracket %.1f cycles on average\n", warps,
                    load == Load::kFma ? "fma" : "mma", total, widths / host.size());
      }
    }
  }
  std::fclose(file);
}
