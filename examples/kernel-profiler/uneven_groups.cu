// Groups that are no whole warps: 48, 48 and 32 threads of a block.
#include "example.h"

constexpr unsigned kBlocks = 4, kThreads = 128, kGroups = 3;

enum Event : unsigned { kLoad, kCompute, kStore };
const std::vector<const char*> kNames = {"load", "compute", "store"};

using Staging = lockstep::Staging<kGroups, 16>;

template <class Policy>
__global__ void uneven_groups(const float* in, float* out, int iterations, void* buffer) {
  __shared__ Staging staging;
  const unsigned index = blockIdx.x * kThreads + threadIdx.x;
  const unsigned group = threadIdx.x < 48 ? 0 : threadIdx.x < 96 ? 1 : 2;

  // The base thread of each group. Warp 1 has threads of groups 0 and 1, and the leader of group 1
  // stands in its middle.
  lockstep::SharedProfiler<Staging, Policy> p(buffer, staging, threadIdx.x == group * 48);
  p.init(group);

  p.start(kLoad);
  const float x = in[index];
  p.next(kLoad, kCompute);
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < iterations; ++i) sum = sum * 1.0001f + x;
  p.next(kCompute, kStore);
  out[index] = sum;
  p.end(kStore);
  p.finalize();
}

int main(int argc, char** argv) {
  const Options options = read_options(argc, argv, "uneven_groups.lkp");
  const int iterations = options.is_bench ? 100'000 : 2'000;
  const DeviceArray<float> in(std::vector<float>(kBlocks * kThreads, 1.0f));
  const DeviceArray<float> out(kBlocks * kThreads);
  Recording recording("uneven_groups", kBlocks, kGroups, Staging::kRecords, kNames);

  const auto launch = [&](auto policy, void* buffer) {
    uneven_groups<decltype(policy)>
        <<<kBlocks, kThreads>>>(in.data(), out.data(), iterations, buffer);
  };
  record(options, recording, launch);

  require_equal(out.copy(), std::vector<float>(kBlocks * kThreads, repeated_fma(iterations)));
  recording.save(options.output);

  if (options.is_bench) print_slowdown("uneven_groups", recording, launch);
}
