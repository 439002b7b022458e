// The table of categories against the list that libkineto writes.
#include "formats/shared/event_categories.h"

#include <string_view>

#include <gtest/gtest.h>

namespace lockstep::formats::shared {
namespace {

constexpr trace::Track::Side kHost = trace::Track::Side::kHost;
constexpr trace::Track::Side kDevice = trace::Track::Side::kDevice;

struct Expected {
  std::string_view category;
  trace::Kind kind;
  trace::Track::Side side;
};

// As in libkineto's output_json.cpp and ActivityType, and the names that it used in 2021.
constexpr Expected kExpected[] = {
    {"kernel", trace::Kind::kKernel, kDevice},
    {"gpu_memcpy", trace::Kind::kMemcpy, kDevice},
    {"gpu_memset", trace::Kind::kMemset, kDevice},
    {"cuda_runtime", trace::Kind::kRuntimeCall, kHost},
    {"cuda_driver", trace::Kind::kRuntimeCall, kHost},
    {"cpu_op", trace::Kind::kHostOp, kHost},
    {"user_annotation", trace::Kind::kAnnotation, kHost},
    {"gpu_user_annotation", trace::Kind::kAnnotation, kDevice},
    {"python_function", trace::Kind::kPython, kHost},
    {"cpu_instant_event", trace::Kind::kHostOp, kHost},
    {"cuda_sync", trace::Kind::kSynchronize, kDevice},
    {"cuda_event", trace::Kind::kEventRecord, kDevice},
    {"overhead", trace::Kind::kOverhead, kHost},
    {"cuda_profiler_range", trace::Kind::kAnnotation, kDevice},
    {"collective_comm", trace::Kind::kCommunication, kDevice},
    {"external_correlation", trace::Kind::kHostOp, kHost},
    {"Trace", trace::Kind::kAnnotation, kHost},
    {"hardware_counters", trace::Kind::kCounter, kHost},
    {"xpu_runtime", trace::Kind::kRuntimeCall, kHost},
    {"xpu_driver", trace::Kind::kRuntimeCall, kHost},
    {"xpu_sync", trace::Kind::kSynchronize, kDevice},
    {"mtia_runtime", trace::Kind::kRuntimeCall, kHost},
    {"mtia_ccp_events", trace::Kind::kKernel, kDevice},
    {"mtia_insight", trace::Kind::kAnnotation, kDevice},
    {"mtia_counters", trace::Kind::kCounter, kHost},
    {"hpu_op", trace::Kind::kRuntimeCall, kHost},
    {"glow_runtime", trace::Kind::kRuntimeCall, kHost},
    {"privateuse1_runtime", trace::Kind::kRuntimeCall, kHost},
    {"privateuse1_driver", trace::Kind::kRuntimeCall, kHost},
    {"Kernel", trace::Kind::kKernel, kDevice},
    {"Runtime", trace::Kind::kRuntimeCall, kHost},
    {"Operator", trace::Kind::kHostOp, kHost},
    {"Memcpy", trace::Kind::kMemcpy, kDevice},
    {"Memset", trace::Kind::kMemset, kDevice},
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

TEST(Categories, MtiaTellsWorkFromWaitingByName) {
  const CategoryMeaning lanes = meaning_of_category("mtia_ccp_events");
  EXPECT_EQ(kind_of_event(lanes, "pe_exe"), trace::Kind::kKernel);
  EXPECT_EQ(kind_of_event(lanes, "remote"), trace::Kind::kKernel);
  EXPECT_EQ(kind_of_event(lanes, "dma_request"), trace::Kind::kMemcpy);
  EXPECT_EQ(kind_of_event(lanes, "event_wait"), trace::Kind::kEventWait);
  EXPECT_EQ(kind_of_event(lanes, "event_record"), trace::Kind::kEventRecord);
  // In other categories the same names mean nothing.
  EXPECT_EQ(kind_of_event(meaning_of_category("kernel"), "event_wait"), trace::Kind::kKernel);
  EXPECT_EQ(kind_of_event(meaning_of_category("cpu_op"), "dma_request"), trace::Kind::kHostOp);
}

TEST(Categories, OtherCategoriesAreHostOperationsOfUnknownMeaning) {
  for (const std::string_view category :
       {"", "Kernels", "KERNEL", "cpu_op ", "devtools.timeline"}) {
    const CategoryMeaning meaning = meaning_of_category(category);
    EXPECT_FALSE(meaning.known) << category;
    EXPECT_FALSE(meaning.is_kineto) << category;
    EXPECT_EQ(meaning.kind, trace::Kind::kHostOp) << category;
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
}  // namespace lockstep::formats::shared
