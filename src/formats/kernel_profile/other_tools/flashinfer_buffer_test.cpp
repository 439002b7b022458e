// Buffers of FlashInfer, of now and of its first versions: the typical one, and every edge.
#include <cstdint>

#include <gtest/gtest.h>

#include "formats/kernel_profile/other_tools/strided_buffer_for_test.h"

namespace lockstep::formats::kernel_profile {
namespace {

TEST(FlashInferBuffer, TheTagHoldsTheMultiprocessorAndThePlaceTheGroup) {
  StridedBuffer buffer(3, 2, 64);
  for (std::uint32_t block = 0; block < 3; ++block) {
    for (std::uint32_t group = 0; group < 2; ++group) {
      buffer.put_flashinfer(block, group, 100 + block, kBegin, 4, 64);
      buffer.put_flashinfer(block, group, 100 + block, kEnd, 4, 96 + 32 * group);
    }
  }
  const Decoded decoded = decode(buffer.bytes(), KernelFormat::kFlashInfer);
  EXPECT_EQ(decoded.lanes(),
            "0/0: B4@64 E4@96\n0/1: B4@64 E4@128\n1/0: B4@64 E4@96\n1/1: B4@64 E4@128\n"
            "2/0: B4@64 E4@96\n2/1: B4@64 E4@128\n");
  EXPECT_EQ(decoded.found(), "");
  EXPECT_EQ(decoded.profile.lanes[3].sm, 101);
  EXPECT_FALSE(decoded.profile.lanes[3].is_finalized);
}

TEST(FlashInferBuffer, BlocksBeyondTheTagAreToldByTheirPlace) {
  constexpr std::uint32_t kBlocks = 5000;
  StridedBuffer buffer(kBlocks, 1, 2 * kBlocks + 1);
  for (std::uint32_t block = 0; block < kBlocks; ++block) {
    buffer.put_flashinfer(block, 0, 7, kBegin, 0, 32);
    buffer.put_flashinfer(block, 0, 7, kEnd, 0, 64);
  }
  const Decoded decoded = decode(buffer.bytes(), KernelFormat::kFlashInfer);
  EXPECT_EQ(decoded.found(), "lane_id_overflow 1");
  ASSERT_EQ(decoded.profile.lanes.size(), kBlocks);
  EXPECT_EQ(decoded.profile.lanes[4999].block, 4999U);
  EXPECT_EQ(decoded.profile.lanes[4999].sm, -1);
}

TEST(FlashInferBuffer, ATagOfAnotherBlockIsReported) {
  StridedBuffer buffer(2, 1, 16);
  buffer.put_flashinfer(0, 0, 1, kInstant, 0, 32);
  buffer[2] = std::uint64_t{32} << 32 | 9U << 12 | kInstant;
  EXPECT_EQ(decode(buffer.bytes(), KernelFormat::kFlashInfer).found(), "misplaced_record 1");
}

TEST(FlashInferBuffer, WithoutAHeaderBlocksComeFromTheTags) {
  StridedBuffer buffer(2, 1, 16);
  buffer.put_flashinfer(0, 0, 1, kInstant, 0, 32);
  buffer.put_flashinfer(1, 0, 1, kInstant, 0, 64);
  buffer[0] = 0;
  const Decoded decoded = decode(buffer.bytes(), KernelFormat::kFlashInfer);
  EXPECT_EQ(decoded.lanes(), "0/0: I0@32\n1/0: I0@64\n");
  EXPECT_EQ(decoded.found(), "header_missing 1");
  // Groups alone do not tell how long a round of lanes is.
  EXPECT_EQ(decode(buffer.bytes(), KernelFormat::kFlashInfer, 2).lanes(), decoded.lanes());
}

TEST(FlashInferBuffer, AFinalizeIsNoTypeOfThisFormat) {
  StridedBuffer buffer(1, 1, 16);
  buffer.put_flashinfer(0, 0, 1, kInstant, 0, 32);
  buffer.put_flashinfer(0, 0, 1, kFinal, 0, 32);
  EXPECT_EQ(decode(buffer.bytes(), KernelFormat::kFlashInfer).found(), "bad_record 1");
}

TEST(FlashInferOldBuffer, TheTagIsTvmsAndThereIsNoFinalize) {
  StridedBuffer buffer(2, 2, 32);
  for (std::uint64_t lane = 0; lane < 4; ++lane) {
    buffer.put(lane, kBegin, 1, 32);
    buffer.put(lane, kEnd, 1, 64);
  }
  const Decoded decoded = decode(buffer.bytes(), KernelFormat::kFlashInferOld);
  EXPECT_EQ(decoded.lanes(),
            "0/0: B1@32 E1@64\n0/1: B1@32 E1@64\n1/0: B1@32 E1@64\n1/1: B1@32 E1@64\n");
  EXPECT_EQ(decoded.found(), "");
}

}  // namespace
}  // namespace lockstep::formats::kernel_profile
