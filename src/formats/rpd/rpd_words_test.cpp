// The meaning of RPD's words.
#include "formats/rpd/rpd_words.h"

#include <gtest/gtest.h>

namespace lockstep::formats::rpd {
namespace {

TEST(RpdWords, OperationsHaveKinds) {
  EXPECT_EQ(kind_of_operation("KernelExecution", true), trace::Kind::kKernel);
  EXPECT_EQ(kind_of_operation("CopyDeviceToHost", false), trace::Kind::kMemcpy);
  EXPECT_EQ(kind_of_operation("FillBuffer", false), trace::Kind::kMemset);
  EXPECT_EQ(kind_of_operation("Barrier", false), trace::Kind::kEventWait);
  EXPECT_EQ(kind_of_operation("Marker", true), trace::Kind::kEventWait);
  EXPECT_EQ(kind_of_operation("Other", true), trace::Kind::kAnnotation);
}

TEST(RpdWords, ATaskWithAKernelsNameIsAKernel) {
  EXPECT_EQ(kind_of_operation("Task", true), trace::Kind::kKernel);
  EXPECT_EQ(kind_of_operation("Task", false), trace::Kind::kAnnotation);
}

TEST(RpdWords, CallsMarkersAndOverheadAreToldApart) {
  EXPECT_EQ(kind_of_call("hipLaunchKernel"), trace::Kind::kRuntimeCall);
  EXPECT_EQ(kind_of_call("UserMarker"), trace::Kind::kAnnotation);
  EXPECT_EQ(kind_of_call("CopyApiTable::writeRows"), trace::Kind::kOverhead);
  EXPECT_EQ(kind_of_call("hcc_activity_callback"), trace::Kind::kOverhead);
}

TEST(RpdWords, ModuleLaunchesCountWorkItems) {
  EXPECT_TRUE(counts_work_items("hipExtModuleLaunchKernel"));
  EXPECT_FALSE(counts_work_items("hipLaunchKernel"));
  EXPECT_FALSE(counts_work_items("hipModuleLaunchKernel"));
}

}  // namespace
}  // namespace lockstep::formats::rpd
