// On a GPU: replays of a graph, two streams, a chain of programmatic dependent launches and buffers
// of the program are told apart. gpu_test.sh compiles and runs it; exit 1 where a claim fails.
#include <cuda_runtime.h>
#include <lockstep/advance_launch.h>
#include <lockstep/kernel_profiler.h>
#include <lockstep/session.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

constexpr unsigned kBlocks = 32;
constexpr unsigned kGroups = 2;
constexpr unsigned kThreads = kGroups * 128;
constexpr int kRegions = 10;  // two records each

int failures = 0;

void expect(const char* claim, unsigned long long found, unsigned long long wanted) {
  const bool holds = found == wanted;
  std::printf("%-58s %llu%s\n", claim, found, holds ? "" : "  WRONG");
  if (!holds) ++failures;
}

void must(int status) {
  if (status == 0) return;
  std::printf("%s\n", lockstep_last_error());
  std::exit(1);
}

void must(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::printf("%s\n", cudaGetErrorString(error));
  std::exit(1);
}

template <class Profiler>
__device__ void work(Profiler& p, float* values, int length) {
  float x = values[threadIdx.x];
  for (int region = 0; region < kRegions; ++region) {
    p.start(region % 3);
    for (int i = 0; i < length; ++i) x = x * 1.0001f + 1.0f;
    p.end(region % 3);
  }
  values[threadIdx.x] = x;
}

using Room = lockstep::Staging<kGroups, 64>;

__global__ void gemm(void* channel, float* values, int length) {
  __shared__ Room staging;
  lockstep::SharedProfiler<Room> p(channel, staging, threadIdx.x % 128 == 0);
  p.init(threadIdx.x / 128);
  work(p, values, length);
}

__global__ void chained_gemm(void* channel, float* values, int length) {
  __shared__ Room staging;
  lockstep::SharedProfiler<Room, lockstep::OverlappedPolicy> p(channel, staging,
                                                               threadIdx.x % 128 == 0);
  p.init(threadIdx.x / 128);
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();  // the next launch may begin
  cudaGridDependencySynchronize();            // the one ahead has ended
#endif
  work(p, values, length);
}

struct Bench {
  lockstep_session* session = nullptr;
  float* values = nullptr;

  lockstep_channel* channel(const char* kernel, unsigned slots, unsigned long long buffer = 0,
                            unsigned long long bytes = 0, unsigned selection = 0) {
    lockstep_channel_config config;
    lockstep_channel_config_init(&config);
    config.blocks = kBlocks;
    config.groups = kGroups;
    config.records = 63;
    config.launch_slots = slots;
    config.selection = selection;
    lockstep_channel* made = nullptr;
    must(lockstep_channel_create(session, &config, kernel, buffer, bytes, &made));
    return made;
  }
  lockstep_counts collect(lockstep_channel* channel, const std::string& name) {
    lockstep_counts counts;
    must(lockstep_channel_collect(channel, (name + ".lkp").c_str(), &counts));
    return counts;
  }
};

void expect_launches(const lockstep_counts& counts, unsigned launches) {
  expect("  launches", counts.launches, launches);
  expect("  lanes", counts.lanes, 1ULL * launches * kBlocks * kGroups);
  expect("  records", counts.records, 2ULL * kRegions * launches * kBlocks * kGroups);
  expect("  lanes that never ended", counts.unfinished_lanes, 0);
  expect("  lanes of another grid under the same number", counts.mixed_lanes, 0);
}

void test_graph(Bench& bench) {
  std::printf("three replays of a graph\n");
  lockstep_channel* channel = bench.channel("gemm", 4);
  void* const pointer = reinterpret_cast<void*>(lockstep_channel_pointer(channel));
  cudaStream_t stream;
  must(cudaStreamCreate(&stream));
  float* const values = bench.values;
  cudaGraph_t graph;
  cudaGraphExec_t replayed;
  // [graph]
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  lockstep_channel_advance(channel, stream, LOCKSTEP_ADVANCE_PLAIN);
  gemm<<<kBlocks, kThreads, 0, stream>>>(pointer, values, 100);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&replayed, graph, 0);
  for (int i = 0; i < 3; ++i) cudaGraphLaunch(replayed, stream);
  // [graph]
  must(cudaStreamSynchronize(stream));
  const lockstep_counts counts = bench.collect(channel, "graph");
  expect_launches(counts, 3);
  expect("  launches overwritten", counts.overwritten_launches, 0);
}

void test_streams(Bench& bench) {
  std::printf("two streams at the same time\n");
  cudaStream_t one, two;
  must(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
  must(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
  lockstep_channel* first = bench.channel("gemm on one", 8);
  lockstep_channel* second = bench.channel("gemm on two", 8);
  for (int i = 0; i < 5; ++i) {
    must(lockstep_channel_advance(first, one, LOCKSTEP_ADVANCE_PLAIN));
    gemm<<<kBlocks, kThreads, 0, one>>>((void*)lockstep_channel_pointer(first), bench.values, 3000);
    must(lockstep_channel_advance(second, two, LOCKSTEP_ADVANCE_PLAIN));
    gemm<<<kBlocks, kThreads, 0, two>>>((void*)lockstep_channel_pointer(second), bench.values,
                                        3000);
  }
  expect_launches(bench.collect(first, "stream_one"), 5);
  expect_launches(bench.collect(second, "stream_two"), 5);
  lockstep_counts both;
  must(lockstep_session_collect(bench.session, "streams.lkp", &both));
}

void test_chain(Bench& bench) {
  std::printf("a chain of programmatic dependent launches\n");
  constexpr int kChain = 20;
  lockstep_channel* channel = bench.channel("gemm", 32);
  void* pointer = reinterpret_cast<void*>(lockstep_channel_pointer(channel));
  cudaStream_t stream;
  must(cudaStreamCreate(&stream));
  float* values = bench.values;
  for (int i = 0; i < kChain; ++i) {
    // [chain]
    lockstep_channel_advance(channel, stream, LOCKSTEP_ADVANCE_DEPENDENT);
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {kBlocks, kThreads, 0, stream, &attribute, 1};
    cudaLaunchKernelEx(&config, chained_gemm, pointer, values, 1000);
    // [chain]
    must(cudaGetLastError());
  }
  expect_launches(bench.collect(channel, "chain"), kChain);
}

void test_buffer(Bench& bench) {
  std::printf("a buffer of the program, not at the start of its memory\n");
  lockstep_channel_config config;
  lockstep_channel_config_init(&config);
  config.blocks = kBlocks;
  config.groups = kGroups;
  config.records = 63;
  config.launch_slots = 2;
  uint64_t bytes = 0;
  must(lockstep_required_bytes(bench.session, &config, &bytes));
  char* memory = nullptr;
  must(cudaMalloc(&memory, bytes + 48));
  lockstep_channel* channel =
      bench.channel("gemm", 2, reinterpret_cast<unsigned long long>(memory) + 48, bytes);
  // The header's kernel in place of the session's: what HIP programs do.
  lockstep::advance_launch<<<1, 1>>>(memory + 48);
  gemm<<<kBlocks, kThreads>>>(memory + 48, bench.values, 100);
  expect_launches(bench.collect(channel, "buffer"), 1);
}

void test_selection(Bench& bench) {
  std::printf("one block for each multiprocessor, and a channel switched off\n");
  lockstep_device device;
  must(lockstep_session_device(bench.session, &device));
  std::printf("  %s, %s, %u multiprocessors, %.3f GHz, timer steps by %.0f ns\n", device.name,
              device.arch, device.multiprocessors, device.clock_ghz, device.timer_tick_ns);
  lockstep_channel* channel = bench.channel("gemm", 1, 0, 0, LOCKSTEP_ONE_PER_SM);
  void* pointer = reinterpret_cast<void*>(lockstep_channel_pointer(channel));
  must(lockstep_channel_advance(channel, nullptr, LOCKSTEP_ADVANCE_PLAIN));
  // Ids of multiprocessors may have holes: there can be fewer of them than the session counts.
  int multiprocessors = 0;
  must(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  gemm<<<8 * multiprocessors, kThreads>>>(pointer, bench.values, 3000);
  expect("  lanes", bench.collect(channel, "one_per_sm").lanes, 1ULL * kGroups * multiprocessors);
  must(lockstep_channel_set_enabled(channel, 0));
  must(lockstep_channel_advance(channel, nullptr, LOCKSTEP_ADVANCE_PLAIN));
  gemm<<<kBlocks, kThreads>>>(pointer, bench.values, 10);
  expect("  lanes when switched off", bench.collect(channel, "off").lanes, 0);
}

}  // namespace

int main() {
  Bench bench;
  must(cudaMalloc(&bench.values, kThreads * sizeof(float)));
  must(cudaMemset(bench.values, 0, kThreads * sizeof(float)));
  must(lockstep_session_create(LOCKSTEP_CURRENT_DEVICE, &bench.session));
  const char* names[] = {"load", "compute", "store"};
  must(lockstep_session_set_event_names(bench.session, names, 3));
  test_graph(bench);
  test_streams(bench);
  test_chain(bench);
  test_buffer(bench);
  test_selection(bench);
  lockstep_session_destroy(bench.session);
  std::printf(failures == 0 ? "all claims hold\n" : "%d claims fail\n", failures);
  return failures == 0 ? 0 : 1;
}
