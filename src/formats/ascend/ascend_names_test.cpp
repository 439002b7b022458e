// Which kernels are second records of collectives.
#include "formats/ascend/ascend_names.h"

#include <gtest/gtest.h>

namespace lockstep::formats::ascend {
namespace {

TEST(AscendNames, KnowsTheKernelsOfExpandedCollectives) {
  EXPECT_TRUE(names_collective_kernel("hcom_allReduce_AivKernel"));
  EXPECT_TRUE(names_collective_kernel("hcom_reduceScatter_AicpuKernel_503_490_1"));
  EXPECT_FALSE(names_collective_kernel("hcom_allReduce__586_0_1"));
  EXPECT_FALSE(names_collective_kernel("AivKernelRunner"));
  EXPECT_FALSE(names_collective_kernel(""));
  EXPECT_FALSE(names_collective_kernel("_1_2"));
}

TEST(AscendNames, NumbersACollectiveInItsGroup) {
  EXPECT_EQ(collective_sequence("hcom_allReduce__586_3_1"), 3);
  EXPECT_EQ(collective_sequence("hcom_allReduce__586_3"), std::nullopt);
  EXPECT_EQ(collective_sequence("hcom_allReduce__586_x_1"), std::nullopt);
  EXPECT_EQ(collective_sequence("hcom_allReduce"), std::nullopt);
  EXPECT_EQ(collective_sequence("__"), std::nullopt);
}

TEST(AscendNames, SaysDataTypesInTheWordsOfTorch) {
  EXPECT_EQ(hccl_data_type("BFP16")->torch, "BFloat16");
  EXPECT_EQ(hccl_data_type("FP32")->bytes, 4);
  EXPECT_FALSE(hccl_data_type("INVALID_TYPE"));
}

TEST(AscendNames, WindowsOverlapHalfOpen) {
  CollectiveWindows windows;
  windows.add(30, 40);
  windows.add(10, 20);
  windows.add(15, 25);
  windows.seal();
  EXPECT_TRUE(windows.overlap(10, 20));
  EXPECT_TRUE(windows.overlap(24, 26));
  EXPECT_TRUE(windows.overlap(0, 11));
  EXPECT_TRUE(windows.overlap(5, 50));
  EXPECT_FALSE(windows.overlap(0, 10));
  EXPECT_FALSE(windows.overlap(25, 30));
  EXPECT_FALSE(windows.overlap(40, 41));
}

TEST(AscendNames, NoWindowsNoDuplicates) {
  CollectiveWindows windows;
  windows.seal();
  EXPECT_FALSE(windows.overlap(0, 100));
}

}  // namespace
}  // namespace lockstep::formats::ascend
