// Claims on which calls launch.
#include "analysis/summary/launch_calls.h"

#include <gtest/gtest.h>

namespace lockstep::analysis::summary {
namespace {

TEST(LaunchCalls, KernelLaunchesOfEveryRuntimeAreSeen) {
  for (const std::string_view name : {"cudaLaunchKernel", "cuLaunchKernelEx", "cudaLaunchKernelExC",
                                      "hipExtModuleLaunchKernel", "cudaLaunchCooperativeKernel",
                                      "urEnqueueKernelLaunch", "zeCommandListAppendLaunchKernel"}) {
    EXPECT_EQ(launch_call_named(name), LaunchCall::kSingle) << name;
  }
}

TEST(LaunchCalls, OnlyAsynchronousCopiesAndSetsLaunch) {
  EXPECT_EQ(launch_call_named("cudaMemcpyAsync"), LaunchCall::kSingle);
  EXPECT_EQ(launch_call_named("cudaMemcpy2DAsync"), LaunchCall::kSingle);
  EXPECT_EQ(launch_call_named("cuMemcpyHtoDAsync_v2"), LaunchCall::kSingle);
  EXPECT_EQ(launch_call_named("hipMemsetAsync"), LaunchCall::kSingle);
  EXPECT_EQ(launch_call_named("cudaMemcpy"), LaunchCall::kNone);
  EXPECT_EQ(launch_call_named("AsyncMemcpy"), LaunchCall::kNone);
}

TEST(LaunchCalls, GraphLaunchIsNotASingleLaunch) {
  EXPECT_EQ(launch_call_named("cudaGraphLaunch"), LaunchCall::kGraph);
  EXPECT_EQ(launch_call_named("hipGraphLaunch"), LaunchCall::kGraph);
}

TEST(LaunchCalls, CaptureIsToldFromAskingForIt) {
  EXPECT_EQ(launch_call_named("cudaStreamBeginCapture"), LaunchCall::kCapture);
  EXPECT_EQ(launch_call_named("cudaStreamIsCapturing"), LaunchCall::kNone);
}

TEST(LaunchCalls, SynchronisationLaunchesNothing) {
  EXPECT_EQ(launch_call_named("cudaDeviceSynchronize"), LaunchCall::kNone);
}

TEST(LaunchCalls, AnswerByIdIsThatByName) {
  StringPool strings;
  const StringId launch = strings.intern("cudaLaunchKernel");
  const StringId other = strings.intern("cudaMalloc");
  LaunchCalls calls(strings);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(calls.of(launch), LaunchCall::kSingle);
    EXPECT_EQ(calls.of(other), LaunchCall::kNone);
  }
}

}  // namespace
}  // namespace lockstep::analysis::summary
