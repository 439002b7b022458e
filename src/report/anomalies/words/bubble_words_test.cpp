// Tests of words and of sentences about bubbles.
#include "report/anomalies/words/bubble_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/anomalies/steps/steps_for_test.h"
#include "report/anomalies/words/label_words.h"
#include "report/anomalies/words/word_parts.h"

namespace lockstep::report::anomalies {
namespace {

using analysis::anomalies::Bubble;
using analysis::anomalies::DeviceTimeline;
using analysis::anomalies::kNoKernel;
using analysis::anomalies::LaunchStage;
using analysis::anomalies::SoftLabel;
using analysis::anomalies::TestSteps;
using analysis::anomalies::us;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(WordParts, ListsHaveCommasAndAnAnd) {
  EXPECT_EQ(listed(std::vector<std::string>{}), "");
  EXPECT_EQ(listed(std::vector<std::string>{"a"}), "a");
  EXPECT_EQ(listed(std::vector<std::string>{"a", "b"}), "a and b");
  EXPECT_EQ(listed(std::vector<std::string>{"a", "b", "c"}), "a, b and c");
}

TEST(WordParts, SharesOfNothingAreNone) {
  EXPECT_EQ(share_words(1, 8), "12.5 %");
  EXPECT_EQ(share_words(1, 0), "0.0 %");
}

struct OneBubble {
  OneBubble() {
    steps.add({{.name = "a"}, {.name = "b", .gap = 100}});
    bubble().labels = {SoftLabel::kUntracedHostBlocking};
  }
  Bubble& bubble() { return steps.device.bubbles.front(); }
  [[nodiscard]] std::vector<std::string> evidence() {
    return bubble_evidence(steps.test.trace, steps.device.timeline, bubble());
  }
  trace::EventId host(trace::Kind kind, std::string_view name) {
    return steps.test.add(steps.test.host, kind, name, 0, 1);
  }
  TestSteps steps;
};

TEST(BubbleEvidence, BeginsWithTheFactAndEndsWithWhatWouldConfirmTheGuess) {
  OneBubble one;
  const std::vector<std::string> chain = one.evidence();
  EXPECT_EQ(chain.front(),
            "The device runs no kernel for 100.000 us, from 10.000 us "
            "on, between a and b.");
  EXPECT_EQ(chain[1], "The trace does not say who launched the next kernel.");
  EXPECT_EQ(chain.back(), check_of(SoftLabel::kUntracedHostBlocking));
  EXPECT_THAT(chain, Contains(HasSubstr("Possible: the host is blocked")));
}

TEST(BubbleEvidence, SaysNothingOfWhatIsNotKnown) {
  OneBubble one;
  one.bubble().has_launch = true;
  one.bubble().host_part = us(100);
  one.bubble().labels = {};
  EXPECT_THAT(one.evidence(),
              ElementsAre(HasSubstr("runs no kernel"), HasSubstr("it waits for the host"),
                          HasSubstr("Recorded host events cover 0.0 %")));
  one.bubble().launch_call = one.host(trace::Kind::kRuntimeCall, "cudaLaunchKernel");
  one.bubble().launch_op = one.host(trace::Kind::kHostOp, "aten::mm");
  one.bubble().outermost_op = one.bubble().launch_op;
  EXPECT_THAT(one.evidence(),
              Contains("The next kernel is launched by cudaLaunchKernel in aten::mm."));
}

TEST(BubbleEvidence, TellsAPlaceByTheKernelsThereAre) {
  OneBubble one;
  const DeviceTimeline& timeline = one.steps.device.timeline;
  EXPECT_EQ(place_words(one.steps.test.trace, timeline, 0, 1), "between a and b");
  EXPECT_EQ(place_words(one.steps.test.trace, timeline, kNoKernel, 1), "before b");
  EXPECT_EQ(place_words(one.steps.test.trace, timeline, 0, kNoKernel), "after a");
  EXPECT_EQ(place_words(one.steps.test.trace, timeline, kNoKernel, kNoKernel), "");
}

TEST(BubbleEvidence, TellsAllLabels) {
  EXPECT_EQ(label_words({}), "");
  EXPECT_EQ(
      label_words({SoftLabel::kSyncOrH2d, SoftLabel::kHostLaunchLag}),
      "Possible: the host synchronises or copies between host and device; the host is busy but "
      "launches too late.");
}

TEST(BubbleEvidence, SplitsTheTimeByLaunch) {
  OneBubble one;
  one.bubble().has_launch = true;
  one.bubble().launch_call = one.host(trace::Kind::kRuntimeCall, "cudaLaunchKernel");
  one.bubble().launch_op = one.host(trace::Kind::kHostOp, "aten::mm");
  one.bubble().outermost_op = one.host(trace::Kind::kHostOp, "aten::linear");
  one.bubble().host_part = us(70);
  one.bubble().queued_part = us(30);
  one.bubble().late_stage = LaunchStage::kHost;
  one.bubble().stages[static_cast<std::size_t>(LaunchStage::kHost)] = us(60);
  const std::vector<std::string> chain = one.evidence();
  EXPECT_THAT(chain, Contains(HasSubstr("70.000 us of it pass before the launch of the next kernel "
                                        "has returned (host part), 30.000 us after it")));
  EXPECT_THAT(chain, Contains("The next kernel is launched by cudaLaunchKernel in aten::mm under "
                              "aten::linear."));
  EXPECT_THAT(chain,
              Contains("Most of it, 60.000 us, goes by before the host came to the operator."));
  one.bubble().host_part = us(100);
  one.bubble().queued_part = {};
  EXPECT_THAT(one.evidence(), Contains(HasSubstr("it waits for the host")));
  one.bubble().host_part = {};
  one.bubble().queued_part = us(100);
  EXPECT_THAT(one.evidence(), Contains(HasSubstr("the host is not late")));
}

TEST(BubbleEvidence, NamesAnOperatorThatTakesTheTimeItself) {
  OneBubble one;
  one.bubble().inside_op = one.host(trace::Kind::kHostOp, "aten::attention");
  EXPECT_THAT(one.evidence(), Contains("The host is inside aten::attention for most of it."));
  EXPECT_THAT(one.evidence(), Not(Contains(HasSubstr("builds a plan"))));
  one.bubble().late_stage = LaunchStage::kOperator;
  EXPECT_THAT(one.evidence(),
              Contains(HasSubstr("Possible: aten::attention itself takes that time")));
  one.bubble().labels = {SoftLabel::kSyncOrH2d};
  EXPECT_THAT(one.evidence(), Not(Contains(HasSubstr("builds a plan"))));
}

TEST(BubbleEvidence, ListsTheLongestHostEventsOnce) {
  OneBubble one;
  const trace::EventId call = one.host(trace::Kind::kRuntimeCall, "cudaMalloc");
  one.bubble().evidence_ops = {call, call, one.host(trace::Kind::kHostOp, "aten::empty")};
  EXPECT_THAT(one.evidence(), Contains("Longest host events in it: cudaMalloc and aten::empty."));
}

TEST(BubbleEvidence, SaysInsufficientEvidencePlainly) {
  OneBubble one;
  one.bubble().labels = {SoftLabel::kInsufficientEvidence};
  EXPECT_THAT(one.evidence(), Contains(HasSubstr("Cause: insufficient evidence")));
}

}  // namespace
}  // namespace lockstep::report::anomalies
