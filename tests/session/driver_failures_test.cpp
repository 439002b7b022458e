// Every function of the driver fails once, at each place where it is called: what is said, what is
// left behind, and whether all can go on.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/cuda_driver.h"
#include "host/overhead.h"
#include "host/session.h"
#include "session/fake_cuda.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

constexpr const char* kFunctions[] = {
    "cuInit",
    "cuDriverGetVersion",
    "cuGetErrorString",
    "cuGetErrorName",
    "cuDeviceGetCount",
    "cuDeviceGet",
    "cuDeviceGetName",
    "cuDeviceGetAttribute",
    "cuDevicePrimaryCtxRetain",
    "cuDevicePrimaryCtxRelease_v2",
    "cuCtxGetCurrent",
    "cuCtxGetDevice",
    "cuCtxPushCurrent_v2",
    "cuCtxPopCurrent_v2",
    "cuCtxSynchronize",
    "cuMemAlloc_v2",
    "cuMemFree_v2",
    "cuMemcpyDtoH_v2",
    "cuMemcpyHtoD_v2",
    "cuModuleLoadDataEx",
    "cuModuleUnload",
    "cuModuleGetFunction",
    "cuLaunchKernel",
    "cuLaunchKernelEx",
};
static_assert(sizeof(kFunctions) / sizeof(*kFunctions) ==
              sizeof(device::CudaFunctions) / sizeof(void*));

// Measurements launch hundreds of times: the first calls and the last one stand for all.
constexpr int kFirstCalls = 12;

// Whether the caller has a context of his own.
enum class Caller { kHasNone, kHasContext };

// What the device has of us.
struct Held {
  std::size_t allocations = FakeCuda::allocations();
  std::size_t modules = FakeCuda::modules();
  std::size_t retained = FakeCuda::retained();
  std::size_t contexts = FakeCuda::contexts();
};

// The name under which the driver's manual has it.
std::string public_name(std::string_view function) {
  return std::string(function.substr(0, function.find("_v2")));
}

class DriverFailures : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { setenv(device::kCudaLibraryVariable, LOCKSTEP_FAKE_CUDA, 1); }
  void TearDown() override {
    unsetenv("FAKE_CUDA_FAIL");
    unsetenv(device::kCudaLibraryVariable);
    ::unlink(path().c_str());
    FakeCuda::forget_contexts();
  }

  static std::string path() {
    return ::testing::TempDir() + "lockstep_driver_failures_" + std::to_string(::getpid()) + ".lkp";
  }

  // Everything that a session can do, until something fails.
  static Status work_with(device::Session& session) {
    LOCKSTEP_ASSIGN_OR_RETURN(device::Channel* const one,
                              session.create_channel({.blocks = 2}, "one"));
    LOCKSTEP_ASSIGN_OR_RETURN(device::Channel* const two,
                              session.create_channel({.blocks = 2}, "two"));
    LOCKSTEP_RETURN_IF_ERROR(one->advance(nullptr));
    LOCKSTEP_RETURN_IF_ERROR(two->advance(nullptr, device::AdvanceKind::kDependent));
    LOCKSTEP_RETURN_IF_ERROR(two->set_enabled(false));
    FakeCuda::run_kernel(one->pointer(), 2, 1, 4);
    LOCKSTEP_ASSIGN_OR_RETURN(const device::CollectCounts counts, session.collect(path()));
    EXPECT_EQ(counts.records, 8);
    LOCKSTEP_RETURN_IF_ERROR(session.remove_channel(one));
    return session.close();
  }

  static Status whole_session() {
    LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<device::Session> session,
                              device::Session::open({}));
    return work_with(*session);
  }

  static Status measurement() {
    const Result<device::MarkerOverhead> overhead = device::measure_marker_overhead();
    return overhead.ok() ? Status() : overhead.error();
  }

  static int calls_of(const char* function, Status (*work)(), Caller caller) {
    FakeCuda::forget_contexts();
    if (caller == Caller::kHasContext) FakeCuda::enter_context();
    unsetenv("FAKE_CUDA_FAIL");
    FakeCuda::forget_calls();
    EXPECT_TRUE(work().ok());
    return FakeCuda::calls(function);
  }

  // The n-th call fails: it is told by name and error, and nothing else is left behind.
  static void fail_once(const std::string& function, int nth, Status (*work)()) {
    const Held before;
    FakeCuda::forget_calls();
    setenv("FAKE_CUDA_FAIL", (function + ":" + std::to_string(nth) + ":700").c_str(), 1);
    const Status status = work();
    unsetenv("FAKE_CUDA_FAIL");
    ASSERT_FALSE(status.ok()) << function << " " << nth;
    EXPECT_EQ(status.error().code, ErrorCode::kInput);
    EXPECT_THAT(status.error().text(),
                HasSubstr(" failed: " + public_name(function) +
                          " returned CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access "
                          "was encountered"));
    const Held after;
    // A call that gives something back and fails leaves that one thing.
    const auto is = [&](const char* name) { return function == name ? 1U : 0U; };
    EXPECT_EQ(after.allocations, before.allocations + is("cuMemFree_v2")) << nth;
    EXPECT_EQ(after.modules, before.modules + is("cuModuleUnload")) << nth;
    EXPECT_EQ(after.retained, before.retained + is("cuDevicePrimaryCtxRelease_v2")) << nth;
    EXPECT_EQ(after.contexts, before.contexts + is("cuCtxPopCurrent_v2")) << nth;
  }
};

TEST_P(DriverFailures, AreToldByNameAndLeaveNothingBehind) {
  const std::string function = GetParam();
  // These two are asked only about the failure of another.
  if (function == "cuGetErrorString" || function == "cuGetErrorName") return;
  int tried = 0;
  for (const Caller caller : {Caller::kHasNone, Caller::kHasContext}) {
    for (Status (*const work)() : {&whole_session, &measurement}) {
      const int calls = calls_of(function.c_str(), work, caller);
      std::set<int> tries = {calls};
      for (int nth = 1; nth <= std::min(calls, kFirstCalls); ++nth) tries.insert(nth);
      for (const int nth : tries) {
        if (nth == 0) continue;
        ++tried;
        FakeCuda::forget_contexts();
        if (caller == Caller::kHasContext) FakeCuda::enter_context();
        fail_once(function, nth, work);
        FakeCuda::forget_contexts();
        EXPECT_TRUE(work().ok()) << "after the failure of " << function << " " << nth;
      }
    }
  }
  EXPECT_GT(tried, 0) << function << " is never called";
}

// A session goes on after a call that failed for once.
TEST_P(DriverFailures, LeaveTheSessionUsable) {
  const std::string function = GetParam();
  const std::unique_ptr<device::Session> session = device::Session::open({}).value();
  device::Channel* const channel = session->create_channel({.blocks = 1}, "k").value();
  FakeCuda::forget_calls();
  setenv("FAKE_CUDA_FAIL", (function + ":1:700").c_str(), 1);
  static_cast<void>(channel->advance(nullptr));
  static_cast<void>(channel->advance(nullptr, device::AdvanceKind::kDependent));
  static_cast<void>(channel->set_enabled(true));
  static_cast<void>(session->create_channel({.blocks = 1}, "other"));
  static_cast<void>(session->collect(path()));
  unsetenv("FAKE_CUDA_FAIL");
  ASSERT_TRUE(channel->advance(nullptr).ok());
  FakeCuda::run_kernel(channel->pointer(), 1, 1, 2);
  const Result<device::CollectCounts> counts = session->collect(path());
  ASSERT_TRUE(counts.ok()) << counts.error().text();
  EXPECT_EQ(counts.value().records, 2);
  EXPECT_TRUE(session->close().ok());
}

INSTANTIATE_TEST_SUITE_P(All, DriverFailures, ::testing::ValuesIn(kFunctions),
                         [](const auto& chosen) { return std::string(chosen.param); });

// A device that a fault has made unusable refuses everything from then on.
TEST_F(DriverFailures, OfEverythingEndWithoutACrash) {
  const Held before;
  {
    const std::unique_ptr<device::Session> session = device::Session::open({}).value();
    device::Channel* const channel = session->create_channel({.blocks = 1}, "k").value();
    std::string all;
    for (const char* function : kFunctions) all += std::string(function) + ":0:700,";
    setenv("FAKE_CUDA_FAIL", all.c_str(), 1);
    EXPECT_FALSE(channel->advance(nullptr).ok());
    EXPECT_FALSE(channel->set_enabled(true).ok());
    EXPECT_FALSE(session->collect(path()).ok());
    EXPECT_FALSE(session->create_channel({.blocks = 1}, "other").ok());
    EXPECT_EQ(session->close().error().text(),
              "freeing memory of the device failed: cuMemFree returned an error (700)");
  }
  unsetenv("FAKE_CUDA_FAIL");
  EXPECT_EQ(FakeCuda::contexts(), before.contexts);
}

}  // namespace
}  // namespace lockstep
