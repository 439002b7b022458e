// Runs the kernels of overhead.cu and takes medians.
#include "host/overhead.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "host/channel_config.h"
#include "host/cuda_driver.h"
#include "host/device_memory.h"
#include "host/embedded_ptx.h"

namespace lockstep::device {
namespace {

// As in overhead.cu.
constexpr std::uint32_t kThreadsOfWarp = 32;
constexpr std::uint32_t kMarkersARound = 16;
constexpr std::uint32_t kRecords = 128;
constexpr std::uint32_t kRounds = kRecords / kMarkersARound;
constexpr std::uint32_t kFrameRounds = 32;  // of two records each

constexpr std::array<std::uint32_t, 5> kWarps = {1, 4, 8, 16, 32};
constexpr std::array kVariants = {
    "shared",           "shared_unchecked", "shared_ring",    "shared_regions",
    "shared_elected",   "shared_anchored",  "shared_strict",  "global",
    "global_unchecked", "global_ring",      "global_regions", "cuda_profiler",
};
constexpr std::string_view kForMarkers = "measuring markers";
constexpr std::string_view kNothing = "nothing";
constexpr std::string_view kFrame = "frame";

// The first launches fill the instruction cache and raise the clock.
constexpr int kWarmups = 3;
constexpr int kLaunches = 5;
constexpr int kLeastCapability = 80;
constexpr int kBulkCopyCapability = 90;

class OverheadBench {
 public:
  explicit OverheadBench(const CudaWorkplace& place)
      : place_(place), module_(place), memory_(place), cycles_(place), values_(place) {}

  Status prepare() {
    if (place_.capability() < kLeastCapability) {
      LOCKSTEP_ASSIGN_OR_RETURN(const std::string name, place_.device_name());
      return input_error(name, "markers are measured from compute capability 8.0 on");
    }
    LOCKSTEP_ASSIGN_OR_RETURN(const int multiprocessors, place_.attribute(kCudaMultiprocessors));
    blocks_ = static_cast<std::uint32_t>(std::max(1, multiprocessors));
    LOCKSTEP_RETURN_IF_ERROR(module_.load(
        place_.capability() >= kBulkCopyCapability ? kOverheadSm90Ptx : kOverheadSm80Ptx,
        "loading the kernels that measure"));
    ChannelConfig config;
    config.blocks = blocks_;
    config.groups = kWarps.back();
    config.records = kRecords;
    config.has_region_records = true;
    LOCKSTEP_ASSIGN_OR_RETURN(const std::uint64_t channel_bytes, required_bytes(config));
    // CudaProfiler has no channel; a header, its records and a last one for each lane.
    const std::uint64_t strided_bytes =
        (1 + std::uint64_t{blocks_} * kWarps.back() * (kRecords + 1)) * sizeof(profile::u64);
    LOCKSTEP_RETURN_IF_ERROR(memory_.allocate(std::max(channel_bytes, strided_bytes), kForMarkers));
    LOCKSTEP_RETURN_IF_ERROR(cycles_.allocate(
        std::uint64_t{blocks_} * kWarps.back() * sizeof(profile::u32), kForMarkers));
    const std::array<float, kThreadsOfWarp> zeros{};
    LOCKSTEP_RETURN_IF_ERROR(values_.allocate(sizeof(zeros), kForMarkers));
    LOCKSTEP_RETURN_IF_ERROR(values_.write(std::as_bytes(std::span(zeros))));
    LOCKSTEP_ASSIGN_OR_RETURN(channel_start_,
                              first_bytes(config, memory_.address(), random_nonce()));
    return {};
  }

  [[nodiscard]] Status release() {
    Status first;
    for (const Status& status :
         {memory_.free(), cycles_.free(), values_.free(), module_.unload()}) {
      if (first.ok()) first = status;
    }
    return first;
  }

  // Cycles of the median warp over all launches.
  Result<double> median_cycles(std::string_view variant, std::uint32_t warps,
                               std::uint32_t rounds) {
    LOCKSTEP_ASSIGN_OR_RETURN(const CudaFunction kernel,
                              module_.function(fmt::format("lockstep_cost_{}", variant)));
    LOCKSTEP_RETURN_IF_ERROR(memory_.write(channel_start_));
    std::vector<profile::u32> all;
    std::vector<profile::u32> cycles(std::size_t{blocks_} * warps);
    for (int i = 0; i < kWarmups + kLaunches; ++i) {
      LOCKSTEP_RETURN_IF_ERROR(launch(kernel, warps, rounds));
      LOCKSTEP_RETURN_IF_ERROR(cycles_.read(0, std::as_writable_bytes(std::span(cycles))));
      if (i >= kWarmups) all.insert(all.end(), cycles.begin(), cycles.end());
    }
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    std::ranges::nth_element(all, middle);
    return static_cast<double>(*middle);
  }

 private:
  Status launch(CudaFunction kernel, std::uint32_t warps, std::uint32_t rounds) {
    CudaAddress memory = memory_.address();
    CudaAddress cycles = cycles_.address();
    CudaAddress values = values_.address();
    std::array<void*, 4> arguments = {&memory, &cycles, &values, &rounds};
    return place_.driver().check(
        place_.driver()->cuLaunchKernel(kernel, blocks_, 1, 1, warps * kThreadsOfWarp, 1, 1, 0,
                                        nullptr, arguments.data(), nullptr),
        "cuLaunchKernel", "measuring markers");
  }

  const CudaWorkplace& place_;
  LoadedPtx module_;
  DeviceMemory memory_;
  DeviceMemory cycles_;
  DeviceMemory values_;
  std::uint32_t blocks_ = 0;
  std::vector<std::byte> channel_start_;
};

Status measure_all(OverheadBench& bench, MarkerOverhead& overhead) {
  std::array<double, kWarps.size()> empty{};
  for (std::size_t i = 0; i < kWarps.size(); ++i) {
    LOCKSTEP_ASSIGN_OR_RETURN(empty[i], bench.median_cycles(kNothing, kWarps[i], kRounds));
  }
  for (const char* variant : kVariants) {
    for (std::size_t i = 0; i < kWarps.size(); ++i) {
      LOCKSTEP_ASSIGN_OR_RETURN(const double cycles,
                                bench.median_cycles(variant, kWarps[i], kRounds));
      overhead.markers.push_back(
          {variant, kWarps[i], (cycles - empty[i]) / (kRounds * kMarkersARound)});
    }
  }
  for (const std::uint32_t warps : kWarps) {
    LOCKSTEP_ASSIGN_OR_RETURN(const double cycles,
                              bench.median_cycles(kFrame, warps, kFrameRounds));
    overhead.frames.push_back({std::string(kFrame), warps, cycles});
  }
  return {};
}

Status measure_on(const CudaWorkplace& place, MarkerOverhead& overhead) {
  OverheadBench bench(place);
  LOCKSTEP_RETURN_IF_ERROR(bench.prepare());
  LOCKSTEP_RETURN_IF_ERROR(measure_all(bench, overhead));
  return bench.release();
}

}  // namespace

Result<MarkerOverhead> measure_marker_overhead(int device) {
  LOCKSTEP_ASSIGN_OR_RETURN(const CudaDriver driver, CudaDriver::load());
  LOCKSTEP_ASSIGN_OR_RETURN(CudaWorkplace place, CudaWorkplace::open(driver, device));
  MarkerOverhead overhead;
  LOCKSTEP_ASSIGN_OR_RETURN(overhead.device, place.device_name());
  overhead.arch = place.arch();
  LOCKSTEP_ASSIGN_OR_RETURN(overhead.driver, driver.version());
  LOCKSTEP_RETURN_IF_ERROR(in_context(place, [&] { return measure_on(place, overhead); }));
  LOCKSTEP_RETURN_IF_ERROR(place.release());
  return overhead;
}

}  // namespace lockstep::device
