// The table of categories against the list that libkineto writes.
#include "formats/shared/event_categories.h"

#include <string_view>

#include <gtest/gtest.h>

namespace lockstep {
namespace {

constexpr Track::Side kHost = Track::Side::kHost;
constexpr Track::Side kDevice = Track::Side::kDevice;

struct Expected {
  std::string_view category;
  Kind kind;
  Track::Side side;
};

// As in libkineto's output_json.cpp and ActivityType, and the names that it used in 2021.
constexpr Expected kExpected[] = {
    {"kernel", Kind::kKernel, kDevice},
    {"gpu_memcpy", Kind::kMemcpy, kDevice},
    {"gpu_memset", Kind::kMemset, kDevice},
    {"cuda_runtime", Kind::kRuntimeCall, kHost},
    {"cuda_driver", Kind::kRuntimeCall, kHost},
    {"cpu_op", Kind::kHostOp, kHost},
    {"user_annotation", Kind::kAnnotation, kHost},
    {"gpu_user_annotation", Kind::kAnnotation, kDevice},
    {"python_function", Kind::kPython, kHost},
    {"cpu_instant_event", Kind::kHostOp, kHost},
    {"cuda_sync", Kind::kSynchronize, kDevice},
    {"cuda_event", Kind::kEventWait, kDevice},
    {"overhead", Kind::kOverhead, kHost},
    {"cuda_profiler_range", Kind::kAnnotation, kDevice},
    {"collective_comm", Kind::kCommunication, kDevice},
    {"external_correlation", Kind::kHostOp, kHost},
    {"Trace", Kind::kAnnotation, kHost},
    {"hardware_counters", Kind::kCounter, kHost},
    {"xpu_runtime", Kind::kRuntimeCall, kHost},
    {"xpu_driver", Kind::kRuntimeCall, kHost},
    {"xpu_sync", Kind::kSynchronize, kDevice},
    {"mtia_runtime", Kind::kRuntimeCall, kHost},
    {"mtia_ccp_events", Kind::kKernel, kDevice},
    {"mtia_insight", Kind::kAnnotation, kDevice},
    {"mtia_counters", Kind::kCounter, kHost},
    {"hpu_op", Kind::kRuntimeCall, kHost},
    {"glow_runtime", Kind::kRuntimeCall, kHost},
    {"privateuse1_runtime", Kind::kRuntimeCall, kHost},
    {"privateuse1_driver", Kind::kRuntimeCall, kHost},
    {"Kernel", Kind::kKernel, kDevice},
    {"Runtime", Kind::kRuntimeCall, kHost},
    {"Operator", Kind::kHostOp, kHost},
    {"Memcpy", Kind::kMemcpy, kDevice},
    {"Memset", Kind::kMemset, kDevice},
};

TEST(Categories, EveryCategoryOfKinetoIsKnown) {
  for (const Expected& expected : kExpected) {
    const CategoryMeaning meaning = meaning_of_category(expected.category);
    EXPECT_TRUE(meaning.known) << expected.category;
    EXPECT_EQ(meaning.kind, expected.kind) << expected.category;
    EXPECT_EQ(meaning.side, expected.side) << expected.category;
  }
}

TEST(Categories, OnlyTheKernelCategoryIsSharedWithOtherWriters) {
  for (const Expected& expected : kExpected) {
    EXPECT_EQ(meaning_of_category(expected.category).is_kineto, expected.category != "kernel")
        << expected.category;
  }
}

TEST(Categories, OtherCategoriesAreHostOperationsOfUnknownMeaning) {
  for (const std::string_view category :
       {"", "Kernels", "KERNEL", "cpu_op ", "devtools.timeline"}) {
    const CategoryMeaning meaning = meaning_of_category(category);
    EXPECT_FALSE(meaning.known) << category;
    EXPECT_FALSE(meaning.is_kineto) << category;
    EXPECT_EQ(meaning.kind, Kind::kHostOp) << category;
    EXPECT_EQ(meaning.side, kHost) << category;
  }
}

TEST(Categories, FlowsFromLaunchToDeviceCarryTheCorrelation) {
  EXPECT_TRUE(is_correlation_flow("ac2g"));
  EXPECT_TRUE(is_correlation_flow("async_cpu_to_gpu"));
  EXPECT_TRUE(is_correlation_flow("async"));
  EXPECT_FALSE(is_correlation_flow("fwdbwd"));
  EXPECT_FALSE(is_correlation_flow(""));
}

}  // namespace
}  // namespace lockstep
