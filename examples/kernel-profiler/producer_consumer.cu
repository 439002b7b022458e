// A warp-specialised kernel for sm_90: one warp copies tiles into shared memory (cp.async.bulk, one
// thread), four warps compute on them, and mbarriers hand the slots back and forth. Each warp has a
// track, on which copies are seen to run under computation; an asynchronous pair follows each tile
// from the producer's track to a consumer's.
#include "example.h"

constexpr unsigned kConsumers = 4, kWarps = 1 + kConsumers, kThreads = kWarps * 32;
constexpr unsigned kSlots = 3;
constexpr unsigned kTile = 8192;  // floats: 32 KiB
constexpr unsigned kShare = kTile / (kConsumers * 32);
constexpr unsigned kBatch = 8;  // values a thread works on at a time
constexpr unsigned kTilesOfBlock = 16;

enum Event : unsigned { kAcquire, kCopy, kTileReady, kWaitForTile, kCompute, kReduce };
const std::vector<const char*> kNames = {"acquire slot",  "copy",    "tile ready",
                                         "wait for tile", "compute", "reduce"};

using Staging = lockstep::Staging<kWarps, 128>;
using Barrier = unsigned long long;  // what PTX calls an mbarrier
struct SharedMemory {
  Staging staging;
  alignas(128) float slots[kSlots][kTile];
  Barrier full[kSlots], empty[kSlots];
};

__device__ inline unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}
__device__ inline void init_barrier(Barrier& barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&barrier)),
               "r"(arrivals)
               : "memory");
}
__device__ inline void arrive(Barrier& barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&barrier))
               : "memory");
}
__device__ inline void wait(Barrier& barrier, unsigned parity) {
  asm volatile(
      "{ .reg .pred done; again:\n"
      "  mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "  @!done bra again; }" ::"r"(shared_address(&barrier)),
      "r"(parity)
      : "memory");
}
// Copies a tile; the barrier completes when its bytes have come.
__device__ inline void begin_copy(float* to, const float* from, Barrier& barrier) {
  constexpr unsigned kBytes = kTile * sizeof(float);
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&barrier)),
      "r"(kBytes)
      : "memory");
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(to)),
      "l"(from), "r"(kBytes), "r"(shared_address(&barrier))
      : "memory");
}

// The sum over a warp's part of a tile of what `rounds` steps make of each value.
__device__ inline float work(const float* tile, unsigned consumer, unsigned lane, int rounds) {
  float sum = 0;
#pragma unroll 1
  for (unsigned first = 0; first < kShare; first += kBatch) {
    float values[kBatch];
#pragma unroll
    for (unsigned i = 0; i < kBatch; ++i) {
      values[i] = tile[((first + i) * kConsumers + consumer) * 32 + lane];
    }
#pragma unroll 8
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
      for (unsigned i = 0; i < kBatch; ++i) values[i] = values[i] * 0.9999f + 0.001f;
    }
#pragma unroll
    for (unsigned i = 0; i < kBatch; ++i) sum += values[i];
  }
  return sum;
}
__device__ inline void reduce_and_store(float sum, float* out, unsigned lane) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    sum += __shfl_xor_sync(0xFFFFFFFFU, sum, distance);
  }
  if (lane == 0) *out = sum;
}

template <class Profiler>
__device__ void produce(Profiler& p, SharedMemory& shared, const float* in) {
  p.start(kAcquire);
#pragma unroll 1
  for (unsigned tile = 0; tile < kTilesOfBlock; ++tile) {
    const unsigned slot = tile % kSlots, turn = tile / kSlots;
    wait(shared.empty[slot], (turn & 1) ^ 1);
    p.next(kAcquire, kCopy);
    begin_copy(shared.slots[slot], in + tile * kTile, shared.full[slot]);
    // A producer need not wait for what it copies; this one does, so that its track has the copy.
    wait(shared.full[slot], turn & 1);
    p.begin_async(kTileReady, tile);
    p.next(kCopy, kAcquire);
  }
  p.end(kAcquire);
}

template <class Profiler>
__device__ void consume(Profiler& p, SharedMemory& shared, float* out, int rounds) {
  const unsigned consumer = threadIdx.x / 32 - 1, lane = threadIdx.x % 32;
  p.start(kWaitForTile);
#pragma unroll 1
  for (unsigned tile = 0; tile < kTilesOfBlock; ++tile) {
    const unsigned slot = tile % kSlots, turn = tile / kSlots;
    wait(shared.full[slot], turn & 1);
    p.next(kWaitForTile, kCompute);
    if (consumer == 0) p.end_async(kTileReady, tile);
    const float sum = work(shared.slots[slot], consumer, lane, rounds);
    p.next(kCompute, kReduce);
    __syncwarp();
    if (lane == 0) arrive(shared.empty[slot]);
    reduce_and_store(sum, out + tile * kConsumers + consumer, lane);
    p.next(kReduce, kWaitForTile);
  }
  p.end(kWaitForTile);
}

template <class Policy>
__global__ void __launch_bounds__(kThreads, 1)
    producer_consumer(const float* in, float* out, int rounds, void* buffer) {
  extern __shared__ __align__(1024) unsigned char memory[];
  SharedMemory& shared = *reinterpret_cast<SharedMemory*>(memory);
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    for (unsigned slot = 0; slot < kSlots; ++slot) {
      init_barrier(shared.full[slot], 1);
      init_barrier(shared.empty[slot], kConsumers);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();

  lockstep::SharedProfiler<Staging, Policy> p(buffer, shared.staging, lane == 0);
  p.init(warp);
  if (warp == 0) {
    if (lane == 0) {
      produce(p, shared, in + static_cast<size_t>(blockIdx.x) * kTilesOfBlock * kTile);
    }
  } else {
    consume(p, shared, out + static_cast<size_t>(blockIdx.x) * kTilesOfBlock * kConsumers, rounds);
  }
  p.finalize();  // no barrier: the warps end on their own
}

// The same sums straight from global memory.
__global__ void plain(const float* in, float* out, int rounds) {
  const unsigned consumer = threadIdx.x / 32, lane = threadIdx.x % 32;
  const float sum = work(in + static_cast<size_t>(blockIdx.x) * kTile, consumer, lane, rounds);
  reduce_and_store(sum, out + blockIdx.x * kConsumers + consumer, lane);
}

int main(int argc, char** argv) {
  const Options options = read_options(argc, argv, "producer_consumer.lkp");
  int device = 0, blocks = 0;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaDeviceGetAttribute(&blocks, cudaDevAttrMultiProcessorCount, device));
  const int rounds = 256;
  const size_t tiles = static_cast<size_t>(blocks) * kTilesOfBlock;
  std::vector<float> values(tiles * kTile);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 1021) / 1021;
  const DeviceArray<float> in(values);
  const DeviceArray<float> out(tiles * kConsumers), expected(tiles * kConsumers);
  Recording recording("producer_consumer", blocks, kWarps, Staging::kRecords, kNames);

  constexpr int kSharedBytes = sizeof(SharedMemory);
  const auto launch = [&](auto policy, void* buffer) {
    const auto kernel = producer_consumer<decltype(policy)>;
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes));
    kernel<<<blocks, kThreads, kSharedBytes>>>(in.data(), out.data(), rounds, buffer);
  };
  record(options, recording, launch);
  plain<<<tiles, kConsumers * 32>>>(in.data(), expected.data(), rounds);

  require_equal(out.copy(), expected.copy());
  recording.save(options.output);
  print_occupancy("producer_consumer", producer_consumer<lockstep::DisabledPolicy>,
                  producer_consumer<lockstep::DefaultPolicy>, kThreads, kSharedBytes);

  if (options.is_bench) print_slowdown("producer_consumer", recording, launch);
}
