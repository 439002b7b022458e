// Claims on the kinds of events.
#include "trace/kind.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace lockstep::trace {
namespace {

TEST(Kind, NamesAreUniqueAndNotEmpty) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kKindCount; ++i) names.insert(name_of(static_cast<Kind>(i)));
  EXPECT_EQ(names.size(), kKindCount);
  EXPECT_FALSE(names.contains(""));
}

TEST(Kind, NamesStandBesideTheirKinds) {
  EXPECT_EQ(name_of(Kind::kKernel), "kernel");
  EXPECT_EQ(name_of(Kind::kAiCpu), "ai_cpu");
  EXPECT_EQ(name_of(Kind::kRuntimeCall), "runtime_call");
  EXPECT_EQ(name_of(Kind::kCounter), "counter");
  EXPECT_EQ(static_cast<std::size_t>(Kind::kDuplicate) + 1, kKindCount);
}

TEST(Kind, IsFoundByItsName) {
  for (std::size_t i = 0; i < kKindCount; ++i) {
    const Kind kind = static_cast<Kind>(i);
    EXPECT_EQ(kind_named(name_of(kind)), kind);
  }
  EXPECT_EQ(kind_named("Kernel"), std::nullopt);
  EXPECT_EQ(kind_named(""), std::nullopt);
}

TEST(Kind, KernelsAreComputingCommunicationAndAiCpu) {
  std::string kernels;
  std::string work;
  for (std::size_t i = 0; i < kKindCount; ++i) {
    const Kind kind = static_cast<Kind>(i);
    if (is_kernel(kind)) kernels += std::string(name_of(kind)) + " ";
    if (is_device_work(kind)) work += std::string(name_of(kind)) + " ";
  }
  EXPECT_EQ(kernels, "kernel communication ai_cpu ");
  EXPECT_EQ(work, "kernel memcpy memset communication ai_cpu ");
}

}  // namespace
}  // namespace lockstep::trace
