// Where the time of a small kernel goes: it loads a value, works on it and stores it.
//
//   make -C examples/kernel-profiler && build/examples/load_compute_store
//   lockstep kernel decode load_compute_store.lkp
#include "example.h"

constexpr unsigned kBlocks = 4, kThreads = 128;

enum Event : unsigned { kLoad, kCompute, kStore };
const std::vector<const char*> kNames = {"load", "compute", "store"};

using Staging = lockstep::Staging<1, 16>;

template <class Policy>
__global__ void load_compute_store(const float* in, float* out, int iterations, void* buffer) {
  __shared__ Staging staging;
  const unsigned index = blockIdx.x * kThreads + threadIdx.x;

  lockstep::SharedProfiler<Staging, Policy> p(buffer, staging, threadIdx.x == 0);
  p.init(0);

  p.start(kLoad);
  const float x = in[index];
  p.end(kLoad);

  p.start(kCompute);
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < iterations; ++i) sum = sum * 1.0001f + x;
  p.end(kCompute);

  p.start(kStore);
  out[index] = sum;
  p.end(kStore);
  p.finalize();
}

int main(int argc, char** argv) {
  const Options options = read_options(argc, argv, "load_compute_store.lkp");
  const int iterations = options.is_bench ? 100'000 : 4'000;
  const DeviceArray<float> in(std::vector<float>(kBlocks * kThreads, 1.0f));
  const DeviceArray<float> out(kBlocks * kThreads);
  Recording recording("load_compute_store", kBlocks, 1, Staging::kRecords, kNames);

  const auto launch = [&](auto policy, void* buffer) {
    load_compute_store<decltype(policy)>
        <<<kBlocks, kThreads>>>(in.data(), out.data(), iterations, buffer);
  };
  record(options, recording, launch);

  require_equal(out.copy(), std::vector<float>(kBlocks * kThreads, repeated_fma(iterations)));
  recording.save(options.output);

  if (options.is_bench) print_slowdown("load_compute_store", recording, launch);
}
