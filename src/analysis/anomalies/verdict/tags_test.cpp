// Names of the vocabulary, and sets of it.
#include "analysis/anomalies/verdict/tags.h"

#include <set>
#include <string_view>

#include <gtest/gtest.h>

#include "analysis/anomalies/steps/step_outliers.h"

namespace lockstep::analysis::anomalies {
namespace {

template <typename E>
std::set<std::string_view> names(std::size_t count) {
  std::set<std::string_view> all;
  for (std::size_t i = 0; i < count; ++i) all.insert(name_of(static_cast<E>(i)));
  return all;
}

TEST(Tags, EveryTagAndLabelHasItsOwnName) {
  EXPECT_EQ(names<Tag>(kTagCount).size(), kTagCount);
  EXPECT_EQ(names<SoftLabel>(kSoftLabelCount).size(), kSoftLabelCount);
  EXPECT_EQ(names<LaunchStage>(kLaunchStageCount).size(), kLaunchStageCount);
  EXPECT_EQ(names<IdlePattern>(6).size(), 6U);
}

TEST(Tags, FirstAndLastNamesAreThoseOfTheSpec) {
  EXPECT_EQ(name_of(Tag::kDeviceIdleGapHeavy), "DEVICE_IDLE_GAP_HEAVY");
  EXPECT_EQ(name_of(Tag::kCommSyncRisk), "COMM_SYNC_RISK");
  EXPECT_EQ(name_of(Tag::kStepOutlier), "STEP_OUTLIER");
  EXPECT_EQ(name_of(Tag::kUnrecordedWork), "UNRECORDED_WORK");
  EXPECT_EQ(name_of(SoftLabel::kSyncOrH2d), "possible_sync_or_h2d");
  EXPECT_EQ(name_of(SoftLabel::kInsufficientEvidence), "insufficient_evidence");
  EXPECT_EQ(name_of(BubbleScope::kInternal), "step_internal");
  EXPECT_EQ(name_of(BubbleScope::kInterStep), "inter_step");
  EXPECT_EQ(name_of(IdlePattern::kInternal), "internal_bubble");
  EXPECT_EQ(name_of(IdlePattern::kNone), "none");
  EXPECT_EQ(name_of(AicpuClass::kMasked), "AICPU_MASKED_BUT_UNDESIRABLE");
  EXPECT_EQ(name_of(AicpuClass::kExposed), "AICPU_EXPOSED_NOT_ALLOWED");
  EXPECT_EQ(name_of(LaunchStage::kCall), "launch_call");
  EXPECT_EQ(name_of(LaunchStage::kUnknown), "unknown");
  EXPECT_EQ(name_of(Confidence::kMedium), "medium");
  EXPECT_EQ(name_of(Priority::kP3), "P3");
}

TEST(Tags, SetForgetsOnlyWhatIsRemoved) {
  Tags tags{Tag::kStepOutlier, Tag::kUnrecordedWork};
  EXPECT_EQ(tags.size(), 2);
  tags.remove(Tag::kStepOutlier);
  EXPECT_FALSE(tags.has(Tag::kStepOutlier));
  EXPECT_EQ(tags, Tags{Tag::kUnrecordedWork});
  tags.add(Tags{Tag::kUnrecordedWork, Tag::kCopyExposed});
  EXPECT_EQ(tags, (Tags{Tag::kCopyExposed, Tag::kUnrecordedWork}));
}

}  // namespace
}  // namespace lockstep::analysis::anomalies
