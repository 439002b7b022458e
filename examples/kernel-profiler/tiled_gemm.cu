// A tiled matrix product with a copy / MMA pipeline, one track for each warp: C = A * B^T with A
// and B in bf16, C in float. Copies of later tiles (cp.async) run under the matrix instructions of
// the present one; the waits show whether they came in time.
#include <cuda_bf16.h>

#include "example.h"

constexpr unsigned kTileM = 128, kTileN = 128, kTileK = 32, kStages = 4;
constexpr unsigned kWarps = 8, kThreads = kWarps * 32;
constexpr unsigned kWarpM = 64, kWarpN = 32;  // of the tile, by one warp: 2 x 4 warps
constexpr unsigned kRowsM = kWarpM / 16, kColumnsN = kWarpN / 8;  // matrix instructions each
constexpr unsigned kStepsMarked = 16;  // the first of so many steps is marked by its parts

enum Event : unsigned { kFill, kWait, kMma, kSteps, kStore };
const std::vector<const char*> kNames = {"fill pipeline", "wait for copy", "mma", "unmarked steps",
                                         "store"};

// One pipeline stage: a tile of A and one of B, 64 bytes a row.
struct alignas(128) Stage {
  __nv_bfloat16 a[kTileM][kTileK];
  __nv_bfloat16 b[kTileN][kTileK];
};
using Staging = lockstep::Staging<kWarps, 64>;
struct SharedMemory {
  Staging staging;
  Stage stages[kStages];
};

__device__ inline unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

// Rows of 64 bytes in chunks of 16: the chunk is moved so that eight rows meet all banks.
__device__ inline unsigned chunk_at(unsigned tile, unsigned row, unsigned chunk) {
  return tile + row * kTileK * 2 + ((chunk ^ (row >> 1)) & 3) * 16;
}

__device__ inline void copy_chunk(unsigned to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}
__device__ inline void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int Pending>
__device__ inline void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}

__device__ inline void load_matrices(unsigned (&r)[4], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address));
}
__device__ inline void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
      "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// The part of a block's tile that one warp computes.
struct WarpTile {
  unsigned row, column;  // in the block's tile
  float sums[kRowsM][kColumnsN][4] = {};

  __device__ void step(const Stage& stage) {
    const unsigned lane = threadIdx.x % 32;
    const unsigned a_tile = shared_address(stage.a), b_tile = shared_address(stage.b);
#pragma unroll
    for (unsigned k = 0; k < kTileK / 16; ++k) {
      unsigned a[kRowsM][4], b[kColumnsN / 2][4];
#pragma unroll
      for (unsigned m = 0; m < kRowsM; ++m) {
        load_matrices(a[m], chunk_at(a_tile, row + m * 16 + lane % 16, k * 2 + lane / 16));
      }
#pragma unroll
      for (unsigned n = 0; n < kColumnsN / 2; ++n) {
        const unsigned b_row = column + n * 16 + lane % 8 + lane / 16 * 8;
        load_matrices(b[n], chunk_at(b_tile, b_row, k * 2 + lane / 8 % 2));
      }
#pragma unroll
      for (unsigned m = 0; m < kRowsM; ++m) {
#pragma unroll
        for (unsigned n = 0; n < kColumnsN; ++n) {
          multiply(sums[m][n], a[m], b[n / 2][n % 2 * 2], b[n / 2][n % 2 * 2 + 1]);
        }
      }
    }
  }

  __device__ void store(float* c, unsigned columns, unsigned block_row,
                        unsigned block_column) const {
    const unsigned lane = threadIdx.x % 32;
#pragma unroll
    for (unsigned m = 0; m < kRowsM; ++m) {
#pragma unroll
      for (unsigned n = 0; n < kColumnsN; ++n) {
        float* at = c + static_cast<size_t>(block_row + row + m * 16 + lane / 4) * columns +
                    block_column + column + n * 8 + lane % 4 * 2;
        *reinterpret_cast<float2*>(at) = make_float2(sums[m][n][0], sums[m][n][1]);
        *reinterpret_cast<float2*>(at + 8 * static_cast<size_t>(columns)) =
            make_float2(sums[m][n][2], sums[m][n][3]);
      }
    }
  }
};

// Copies tiles of A and B, four chunks a thread.
struct Copier {
  const __nv_bfloat16 *a, *b;  // this thread's first chunk
  size_t row_stride;           // elements between its two chunks of a tile
  unsigned row, chunk;

  __device__ Copier(const __nv_bfloat16* a_rows, const __nv_bfloat16* b_rows, unsigned k)
      : row_stride(static_cast<size_t>(kThreads / 4) * k),
        row(threadIdx.x / 4),
        chunk(threadIdx.x % 4) {
    a = a_rows + static_cast<size_t>(row) * k + chunk * 8;
    b = b_rows + static_cast<size_t>(row) * k + chunk * 8;
  }
  __device__ void copy(Stage& stage, unsigned step) const {
    const unsigned a_tile = shared_address(stage.a), b_tile = shared_address(stage.b);
#pragma unroll
    for (unsigned half = 0; half < 2; ++half) {
      const unsigned to_row = row + half * (kThreads / 4);
      copy_chunk(chunk_at(a_tile, to_row, chunk), a + half * row_stride + step * kTileK);
      copy_chunk(chunk_at(b_tile, to_row, chunk), b + half * row_stride + step * kTileK);
    }
  }
};

template <class Policy>
__global__ void __launch_bounds__(kThreads, 1)
    tiled_gemm(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, unsigned n, unsigned k,
               void* buffer) {
  extern __shared__ __align__(1024) unsigned char memory[];
  SharedMemory& shared = *reinterpret_cast<SharedMemory*>(memory);
  const unsigned warp = threadIdx.x / 32;
  const unsigned block_row = blockIdx.y * kTileM, block_column = blockIdx.x * kTileN;
  const unsigned steps = k / kTileK;

  lockstep::SharedProfiler<Staging, Policy> p(buffer, shared.staging, threadIdx.x % 32 == 0);
  p.init(warp);

  p.start(kFill);
  const Copier copier(a + static_cast<size_t>(block_row) * k,
                      b + static_cast<size_t>(block_column) * k, k);
#pragma unroll
  for (unsigned step = 0; step < kStages - 1; ++step) {
    copier.copy(shared.stages[step], step);
    commit_copies();
  }

  WarpTile tile{warp / 4 * kWarpM, warp % 4 * kWarpN};
  const auto wait = [&] {
    wait_for_copies<kStages - 2>();
    __syncthreads();  // the copies of all threads have come, and the oldest stage is free again
  };
  const auto compute = [&](unsigned step) {
    const unsigned next = step + kStages - 1;
    if (next < steps) copier.copy(shared.stages[next % kStages], next);
    commit_copies();
    tile.step(shared.stages[step % kStages]);
  };

  p.next(kFill, kWait);
  for (unsigned first = 0; first < steps; first += kStepsMarked) {
    wait();
    p.next(kWait, kMma);
    compute(first);
    p.next(kMma, kSteps);
#pragma unroll 1
    for (unsigned step = first + 1; step < first + kStepsMarked; ++step) {
      wait();
      compute(step);
    }
    p.next(kSteps, kWait);
  }
  p.next(kWait, kStore);
  tile.store(c, n, block_row, block_column);
  p.end(kStore);
  p.finalize();
}

// The same product, one element a thread.
__global__ void plain_gemm(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, unsigned n,
                           unsigned k) {
  const unsigned row = blockIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (unsigned i = 0; i < k; ++i) {
    sum += __bfloat162float(a[static_cast<size_t>(row) * k + i]) *
           __bfloat162float(b[static_cast<size_t>(column) * k + i]);
  }
  c[static_cast<size_t>(row) * n + column] = sum;
}

// Small multiples of 1/8: all sums are exact, in any order.
std::vector<__nv_bfloat16> make_matrix(size_t size, unsigned seed) {
  std::vector<__nv_bfloat16> values(size);
  for (__nv_bfloat16& value : values) {
    seed = seed * 1664525U + 1013904223U;
    value = __float2bfloat16(static_cast<float>(static_cast<int>(seed >> 28) - 8) / 8);
  }
  return values;
}

int main(int argc, char** argv) {
  const Options options = read_options(argc, argv, "tiled_gemm.lkp");
  const unsigned m = 2048, n = 2048, k = 8192;
  const dim3 grid(n / kTileN, m / kTileM);
  const DeviceArray<__nv_bfloat16> a(make_matrix(static_cast<size_t>(m) * k, 1));
  const DeviceArray<__nv_bfloat16> b(make_matrix(static_cast<size_t>(n) * k, 2));
  const DeviceArray<float> c(static_cast<size_t>(m) * n), expected(static_cast<size_t>(m) * n);
  Recording recording("tiled_gemm", grid.x * grid.y, kWarps, Staging::kRecords, kNames);

  constexpr int kSharedBytes = sizeof(SharedMemory);
  const auto launch = [&](auto policy, void* buffer) {
    const auto kernel = tiled_gemm<decltype(policy)>;
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes));
    kernel<<<grid, kThreads, kSharedBytes>>>(a.data(), b.data(), c.data(), n, k, buffer);
  };
  record(options, recording, launch);
  plain_gemm<<<dim3(n / 128, m), 128>>>(a.data(), b.data(), expected.data(), n, k);

  require_equal(c.copy(), expected.copy());
  recording.save(options.output);
  launch(lockstep::DisabledPolicy(), nullptr);
  require_equal(c.copy(), expected.copy());
  print_occupancy("tiled_gemm", tiled_gemm<lockstep::DisabledPolicy>,
                  tiled_gemm<lockstep::DefaultPolicy>, kThreads, kSharedBytes);

  if (options.is_bench) print_slowdown("tiled_gemm", recording, launch);
}
