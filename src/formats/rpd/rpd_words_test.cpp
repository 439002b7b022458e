// The meaning of RPD's words.
#include "formats/rpd/rpd_words.h"

#include <gtest/gtest.h>

namespace lockstep::rpd {
namespace {

TEST(RpdWords, OperationsHaveKinds) {
  EXPECT_EQ(kind_of_operation("KernelExecution", true), Kind::kKernel);
  EXPECT_EQ(kind_of_operation("CopyDeviceToHost", false), Kind::kMemcpy);
  EXPECT_EQ(kind_of_operation("FillBuffer", false), Kind::kMemset);
  EXPECT_EQ(kind_of_operation("Barrier", false), Kind::kEventWait);
  EXPECT_EQ(kind_of_operation("Marker", true), Kind::kEventWait);
  EXPECT_EQ(kind_of_operation("Other", true), Kind::kAnnotation);
}

TEST(RpdWords, ATaskWithAKernelsNameIsAKernel) {
  EXPECT_EQ(kind_of_operation("Task", true), Kind::kKernel);
  EXPECT_EQ(kind_of_operation("Task", false), Kind::kAnnotation);
}

TEST(RpdWords, CallsMarkersAndOverheadAreToldApart) {
  EXPECT_EQ(kind_of_call("hipLaunchKernel"), Kind::kRuntimeCall);
  EXPECT_EQ(kind_of_call("UserMarker"), Kind::kAnnotation);
  EXPECT_EQ(kind_of_call("CopyApiTable::writeRows"), Kind::kOverhead);
  EXPECT_EQ(kind_of_call("hcc_activity_callback"), Kind::kOverhead);
}

TEST(RpdWords, ModuleLaunchesCountWorkItems) {
  EXPECT_TRUE(counts_work_items("hipExtModuleLaunchKernel"));
  EXPECT_FALSE(counts_work_items("hipLaunchKernel"));
  EXPECT_FALSE(counts_work_items("hipModuleLaunchKernel"));
}

}  // namespace
}  // namespace lockstep::rpd
