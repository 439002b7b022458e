// What the examples share: checks of calls, device arrays, a recording, and the measurement of what
// markers cost.
#ifndef LOCKSTEP_EXAMPLE_H
#define LOCKSTEP_EXAMPLE_H

#include <cuda_runtime.h>
#include <lockstep/kernel_profiler.h>
#include <lockstep/session.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

inline void check(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(error));
  std::exit(3);
}
inline void check(int status, const char* call) {
  if (status == LOCKSTEP_OK) return;
  std::fprintf(stderr, "%s: %s\n", call, lockstep_last_error());
  std::exit(status);
}
#define CHECK(call) check((call), #call)

struct Options {
  bool is_bench = false;
  bool is_strict = false;
  std::string output;
};

inline Options read_options(int argc, char** argv, const char* default_output) {
  Options options;
  options.output = default_output;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--bench") == 0) {
      options.is_bench = true;
    } else if (std::strcmp(argv[i], "--strict") == 0) {
      options.is_strict = true;
    } else if (std::strcmp(argv[i], "-o") == 0 && i + 1 < argc) {
      options.output = argv[++i];
    } else {
      std::fprintf(stderr, "usage: %s [--bench] [--strict] [-o FILE.lkp]\n", argv[0]);
      std::exit(2);
    }
  }
  return options;
}

// Memory of the device.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(size_t size) : size_(size) {
    CHECK(cudaMalloc(&data_, size * sizeof(T)));
    CHECK(cudaMemset(data_, 0, size * sizeof(T)));
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    CHECK(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* data() const { return data_; }
  std::vector<T> copy() const {
    std::vector<T> values(size_);
    CHECK(cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  T* data_ = nullptr;
  size_t size_;
};

// One channel that keeps the last launch of one kernel.
class Recording {
 public:
  Recording(const char* kernel, unsigned blocks, unsigned groups, unsigned records,
            const std::vector<const char*>& event_names) {
    CHECK(cudaFree(nullptr));  // the session uses the context of the runtime
    CHECK(lockstep_session_create(LOCKSTEP_CURRENT_DEVICE, &session_));
    CHECK(lockstep_session_set_event_names(session_, event_names.data(), event_names.size()));
    lockstep_channel_config config;
    lockstep_channel_config_init(&config);
    config.blocks = blocks;
    config.groups = groups;
    config.records = records;
    CHECK(lockstep_channel_create(session_, &config, kernel, 0, 0, &channel_));
  }
  ~Recording() { lockstep_session_destroy(session_); }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  // What the kernel is given, once for each launch.
  void* next_launch() {
    CHECK(cudaGetLastError());
    CHECK(lockstep_channel_advance(channel_, nullptr, LOCKSTEP_ADVANCE_PLAIN));
    return reinterpret_cast<void*>(lockstep_channel_pointer(channel_));
  }
  void save(const std::string& path) {
    CHECK(cudaDeviceSynchronize());
    lockstep_counts counts;
    CHECK(lockstep_session_collect(session_, path.c_str(), &counts));
    std::printf("%s: %llu lanes, %llu records, %llu dropped\n", path.c_str(),
                static_cast<unsigned long long>(counts.lanes),
                static_cast<unsigned long long>(counts.records),
                static_cast<unsigned long long>(counts.dropped_records));
  }

 private:
  lockstep_session* session_ = nullptr;
  lockstep_channel* channel_ = nullptr;
};

// Launches once with markers that record, with fences where the user asked for them.
template <class Launch>
void record(const Options& options, Recording& recording, const Launch& launch) {
  if (options.is_strict) {
    launch(lockstep::StrictPolicy(), recording.next_launch());
  } else {
    launch(lockstep::DefaultPolicy(), recording.next_launch());
  }
}

// Fails the program where two results differ in any bit.
template <class T>
void require_equal(const std::vector<T>& found, const std::vector<T>& expected) {
  for (size_t i = 0; i < expected.size(); ++i) {
    if (std::memcmp(&found[i], &expected[i], sizeof(T)) == 0) continue;
    std::fprintf(stderr, "wrong result at %zu: %g instead of %g\n", i,
                 static_cast<double>(found[i]), static_cast<double>(expected[i]));
    std::exit(1);
  }
  std::printf("result: %zu values right\n", expected.size());
}

// What `iterations` rounds of sum = sum * 1.0001 + 1 give on the device.
inline float repeated_fma(int iterations) {
  float sum = 0;
  for (int i = 0; i < iterations; ++i) sum = std::fma(sum, 1.0001f, 1.0f);
  return sum;
}

// Keeps the device busy while the host prepares a launch, so that no wait for the host is timed.
static __global__ void spin(unsigned nanoseconds) {
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begin < nanoseconds);
}

// Times of the launches of one kernel.
class Stopwatch {
 public:
  Stopwatch() {
    CHECK(cudaEventCreate(&begin_));
    CHECK(cudaEventCreate(&end_));
  }
  ~Stopwatch() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  template <class Launch>
  void time(const Launch& launch) {
    spin<<<1, 1>>>(50'000);
    CHECK(cudaEventRecord(begin_));
    launch();
    CHECK(cudaEventRecord(end_));
    CHECK(cudaEventSynchronize(end_));
    CHECK(cudaGetLastError());
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, begin_, end_));
    microseconds_.push_back(ms * 1000.0);
  }
  void forget() { microseconds_.clear(); }
  double median() const {
    std::vector<double> sorted = microseconds_;
    std::sort(sorted.begin(), sorted.end());
    const size_t half = sorted.size() / 2;
    return sorted.size() % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }

 private:
  cudaEvent_t begin_, end_;
  std::vector<double> microseconds_;
};

// The slowdown by markers: median of 100 launches of each kind, in turn, so that a change of the
// clock meets all of them. launch(policy, buffer) launches the kernel: without markers, with
// markers that find no buffer, and with markers that record.
template <class Launch>
void print_slowdown(const char* name, Recording& recording, const Launch& launch) {
  constexpr int kWarmUps = 10, kLaunches = 100;
  constexpr double kShortestMicroseconds = 100;
  Stopwatch bare, off, on;
  for (int i = 0; i < kWarmUps + kLaunches; ++i) {
    if (i == kWarmUps) bare.forget(), off.forget(), on.forget();
    for (int turn = i; turn < i + 3; ++turn) {  // each kind comes behind each other one
      if (turn % 3 == 0) bare.time([&] { launch(lockstep::DisabledPolicy(), nullptr); });
      if (turn % 3 == 1) off.time([&] { launch(lockstep::DefaultPolicy(), nullptr); });
      if (turn % 3 != 2) continue;
      void* buffer = recording.next_launch();
      on.time([&] { launch(lockstep::DefaultPolicy(), buffer); });
    }
  }
  const double base = bare.median();
  std::printf(
      "%s: %.2f us without markers, %.2f us switched off (%+.2f %%), %.2f us recording "
      "(%+.2f %%), median of %d launches\n",
      name, base, off.median(), (off.median() / base - 1) * 100, on.median(),
      (on.median() / base - 1) * 100, kLaunches);
  if (base < kShortestMicroseconds) std::printf("%s: launches are too short to judge\n", name);
}

// Registers and blocks that fit on a multiprocessor, of both instances of a kernel.
template <class Kernel>
void print_occupancy(const char* name, Kernel bare, Kernel marked, int threads, size_t shared) {
  for (const auto& [kind, kernel] : {std::pair("without markers", bare), {"with", marked}}) {
    cudaFuncAttributes attributes;
    int blocks = 0;
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shared)));
    CHECK(cudaFuncGetAttributes(&attributes, kernel));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared));
    std::printf("%s %s: %d registers, %zu bytes spilled, %d blocks a multiprocessor\n", name, kind,
                attributes.numRegs, attributes.localSizeBytes, blocks);
  }
}

#endif  // LOCKSTEP_EXAMPLE_H
