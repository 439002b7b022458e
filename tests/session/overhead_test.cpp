// Tests of the measurement of markers over the fake driver.
#include "host/overhead.h"

#include <cstdlib>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/cuda_driver.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

class OverheadTest : public ::testing::Test {
 protected:
  void SetUp() override { setenv(device::kCudaLibraryVariable, LOCKSTEP_FAKE_CUDA, 1); }
  void TearDown() override {
    for (const char* variable : {device::kCudaLibraryVariable, "FAKE_CUDA_CAPABILITY",
                                 "FAKE_CUDA_FAIL", "FAKE_CUDA_MEMORY"}) {
      unsetenv(variable);
    }
  }
  static std::string refusal() {
    const Result<device::MarkerOverhead> overhead = device::measure_marker_overhead();
    return overhead.ok() ? "" : overhead.error().text();
  }
};

TEST_F(OverheadTest, EveryVariantIsMeasuredNetOfTheEmptyLoop) {
  const device::MarkerOverhead overhead = device::measure_marker_overhead().value();
  EXPECT_EQ(overhead.device, "Fake H200");
  EXPECT_EQ(overhead.arch, "sm_90");
  EXPECT_EQ(overhead.driver, "13.0");
  std::map<std::string, std::set<std::uint32_t>> warps;
  for (const device::MarkerMeasurement& marker : overhead.markers) {
    EXPECT_DOUBLE_EQ(marker.cycles, marker.variant == "cuda_profiler" ? 60 : 15) << marker.variant;
    warps[marker.variant].insert(marker.warps);
  }
  EXPECT_EQ(warps.size(), 12);
  for (const auto& [variant, counts] : warps) {
    EXPECT_THAT(counts, ::testing::ElementsAre(1, 4, 8, 16, 32)) << variant;
  }
  EXPECT_EQ(overhead.frames.size(), 5);
}

TEST_F(OverheadTest, ADeviceWithoutBulkCopiesHasItsOwnKernels) {
  setenv("FAKE_CUDA_CAPABILITY", "80", 1);
  EXPECT_EQ(device::measure_marker_overhead().value().arch, "sm_80");
}

TEST_F(OverheadTest, WhatPreventsItIsASentence) {
  setenv("FAKE_CUDA_CAPABILITY", "75", 1);
  EXPECT_THAT(refusal(), HasSubstr("from compute capability 8.0 on"));
  unsetenv("FAKE_CUDA_CAPABILITY");
  setenv("FAKE_CUDA_FAIL", "cuModuleLoadDataEx", 1);
  EXPECT_THAT(refusal(), HasSubstr("loading the kernels that measure failed"));
  setenv("FAKE_CUDA_FAIL", "cuLaunchKernel", 1);
  EXPECT_THAT(refusal(), HasSubstr("measuring markers failed"));
  unsetenv("FAKE_CUDA_FAIL");
  setenv("FAKE_CUDA_MEMORY", "1000", 1);
  EXPECT_THAT(refusal(), HasSubstr("the device has no"));
  setenv(device::kCudaLibraryVariable, "/nowhere/libcuda.so.1", 1);
  EXPECT_THAT(refusal(), HasSubstr("there is no CUDA driver here"));
}

}  // namespace
}  // namespace lockstep
