// Two warp groups of a block do different amounts of work, each on a track of its own.
#include "example.h"

constexpr unsigned kBlocks = 2, kThreads = 256, kGroups = 2, kGroupThreads = kThreads / kGroups;

enum Event : unsigned { kLoad, kCompute, kStore };
const std::vector<const char*> kNames = {"load", "compute", "store"};

using Staging = lockstep::Staging<kGroups, 16>;

template <class Policy>
__global__ void two_warp_groups(const float* in, float* out, int light, int heavy, void* buffer) {
  __shared__ Staging staging;
  const unsigned index = blockIdx.x * kThreads + threadIdx.x;
  const unsigned group = threadIdx.x / kGroupThreads;

  // The first thread of each warp group writes for it.
  lockstep::SharedProfiler<Staging, Policy> p(buffer, staging, threadIdx.x % kGroupThreads == 0);
  p.init(group);

  p.start(kLoad);
  const float x = in[index];
  p.next(kLoad, kCompute);
  const int iterations = group == 0 ? light : heavy;
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < iterations; ++i) sum = sum * 1.0001f + x;
  p.next(kCompute, kStore);
  out[index] = sum;
  p.end(kStore);
  p.finalize();
}

int main(int argc, char** argv) {
  const Options options = read_options(argc, argv, "two_warp_groups.lkp");
  const int scale = options.is_bench ? 20 : 1;
  const int light = 1'000 * scale, heavy = 5'000 * scale;
  const DeviceArray<float> in(std::vector<float>(kBlocks * kThreads, 1.0f));
  const DeviceArray<float> out(kBlocks * kThreads);
  Recording recording("two_warp_groups", kBlocks, kGroups, Staging::kRecords, kNames);

  const auto launch = [&](auto policy, void* buffer) {
    two_warp_groups<decltype(policy)>
        <<<kBlocks, kThreads>>>(in.data(), out.data(), light, heavy, buffer);
  };
  record(options, recording, launch);

  std::vector<float> expected;
  for (unsigned i = 0; i < kBlocks * kThreads; ++i) {
    expected.push_back(repeated_fma(i % kThreads < kGroupThreads ? light : heavy));
  }
  require_equal(out.copy(), expected);
  recording.save(options.output);

  if (options.is_bench) print_slowdown("two_warp_groups", recording, launch);
}
