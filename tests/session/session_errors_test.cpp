// Every sentence for what a session cannot do.
#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "session/session_for_test.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

TEST_F(SessionTest, NoDriverIsASentence) {
  setenv(device::kCudaLibraryVariable, "/nowhere/libcuda.so.1", 1);
  EXPECT_THAT(refusal_to_open(), HasSubstr("there is no CUDA driver here"));
}

TEST_F(SessionTest, ALibraryThatIsNoDriverIsASentence) {
  setenv(device::kCudaLibraryVariable, "libm.so.6", 1);
  EXPECT_THAT(refusal_to_open(), HasSubstr("this CUDA driver has no cuInit"));
}

TEST_F(SessionTest, ADriverThatFailsIsASentence) {
  setenv("FAKE_CUDA_FAIL", "cuInit", 1);
  EXPECT_THAT(refusal_to_open(), HasSubstr("starting the CUDA driver failed"));
  setenv("FAKE_CUDA_FAIL", "cuDevicePrimaryCtxRetain", 1);
  EXPECT_THAT(refusal_to_open(), HasSubstr("opening the device's primary context failed"));
  setenv("FAKE_CUDA_FAIL", "cuModuleLoadDataEx", 1);
  EXPECT_THAT(refusal_to_open(), HasSubstr("loading the session's kernels failed"));
  setenv("FAKE_CUDA_FAIL", "cuLaunchKernel", 1);
  EXPECT_THAT(refusal_to_open(), HasSubstr("measuring the device's timer failed"));
}

TEST_F(SessionTest, NoDeviceIsASentence) {
  setenv("FAKE_CUDA_DEVICES", "0", 1);
  EXPECT_THAT(refusal_to_open(), HasSubstr("the CUDA driver knows no device"));
}

TEST_F(SessionTest, ADeviceThatIsNotThereIsASentence) {
  const auto session = device::Session::open({.device = 3});
  ASSERT_FALSE(session.ok());
  EXPECT_THAT(session.error().text(), HasSubstr("no CUDA device 3; the highest is 0"));
}

TEST_F(SessionTest, TooLittleMemoryIsASentence) {
  const auto session = open();
  setenv("FAKE_CUDA_MEMORY", "4096", 1);
  EXPECT_EQ(
      refusal(*session, {.blocks = 100}),
      "the device has no 999.4 kB left for records: cuMemAlloc returned "
      "CUDA_ERROR_OUT_OF_MEMORY (2): out of memory. Record fewer blocks, records or launches");
  setenv("FAKE_CUDA_MEMORY", "0", 1);
  EXPECT_EQ(refusal_to_open(),
            "the device has no 16 B left for measuring its timer: cuMemAlloc returned "
            "CUDA_ERROR_OUT_OF_MEMORY (2): out of memory");
}

TEST_F(SessionTest, AnAllocationThatFailsOtherwiseIsNotCalledALackOfMemory) {
  setenv("FAKE_CUDA_FAIL", "cuMemAlloc_v2:0:700", 1);
  EXPECT_EQ(refusal_to_open(),
            "allocating 16 B on the device failed: cuMemAlloc returned CUDA_ERROR_ILLEGAL_ADDRESS "
            "(700): an illegal memory access was encountered");
}

TEST_F(SessionTest, AnErrorThatTheDriverHasNoWordsForIsItsNumber) {
  setenv("FAKE_CUDA_FAIL", "cuInit:0:12345", 1);
  EXPECT_EQ(refusal_to_open(), "starting the CUDA driver failed: cuInit returned an error (12345)");
  setenv("FAKE_CUDA_FAIL", "cuInit:0:700,cuGetErrorString", 1);
  EXPECT_EQ(refusal_to_open(),
            "starting the CUDA driver failed: cuInit returned CUDA_ERROR_ILLEGAL_ADDRESS (700)");
  setenv("FAKE_CUDA_FAIL", "cuInit:0:700,cuGetErrorName", 1);
  EXPECT_EQ(refusal_to_open(),
            "starting the CUDA driver failed: cuInit returned an error (700): an illegal memory "
            "access was encountered");
}

TEST_F(SessionTest, TooSmallABufferIsASentence) {
  const auto session = open();
  const std::uint64_t needed = session->required_bytes({.blocks = 1}).value();
  const device::UserBuffer buffer = {FakeCuda::allocate(1024), 1024};
  EXPECT_THAT(refusal(*session, {.blocks = 1}, buffer),
              HasSubstr("1024 bytes is too small; " + std::to_string(needed) + " are enough"));
}

TEST_F(SessionTest, AWrongPointerIsASentence) {
  const auto session = open();
  const std::uint64_t bytes = session->required_bytes({.blocks = 1}).value();
  const std::uint64_t address = FakeCuda::allocate(bytes + 8);
  EXPECT_THAT(refusal(*session, {.blocks = 1}, device::UserBuffer{address + 8, bytes}),
              HasSubstr("not aligned to 16 bytes"));
  EXPECT_THAT(refusal(*session, {.blocks = 1}, device::UserBuffer{0x1000, bytes}),
              HasSubstr("preparing a channel failed"));
}

TEST_F(SessionTest, ABadSelectionIsASentence) {
  const auto session = open();
  EXPECT_THAT(refusal(*session, {.blocks = 1, .selection = profile::kListed}),
              HasSubstr("the list of blocks is empty"));
}

TEST_F(SessionTest, ACollectionThatFailsIsASentence) {
  const auto session = open();
  ASSERT_TRUE(session->create_channel({.blocks = 1}, "k").ok());
  EXPECT_THAT(session->collect("/nowhere/at/all.lkp").error().text(), HasSubstr("/nowhere/at/all"));
  setenv("FAKE_CUDA_FAIL", "cuCtxSynchronize", 1);
  EXPECT_THAT(session->collect(path()).error().text(), HasSubstr("waiting for the device failed"));
  setenv("FAKE_CUDA_FAIL", "cuMemcpyDtoH_v2", 1);
  EXPECT_THAT(session->collect(path()).error().text(),
              HasSubstr("copying records from the device"));
}

}  // namespace
}  // namespace lockstep
