// Each label: one bubble that has it and one that just does not.
#include "analysis/anomalies/evidence/labels.h"

#include <vector>

#include <gtest/gtest.h>

namespace lockstep::analysis::anomalies {
namespace {

constexpr Time kLength{1'000'000};  // 1 us: shares of it are whole picoseconds

// A bubble that nothing explains but the host, which ran on `threads` threads for half of it.
Bubble plain_bubble(double threads = 2) {
  Bubble bubble;
  bubble.start = {5'000'000};
  bubble.end = bubble.start + kLength;
  bubble.host_covered = {500'000};
  bubble.host_parallelism = threads;
  return bubble;
}

SoftLabels labels(const Bubble& bubble, AnomalyRules rules = AnomalyRules::kRulebook,
                  const Thresholds& thresholds = {}) {
  return soft_labels(bubble, bubble, bubble, thresholds, rules);
}
SoftLabels script_labels(const Bubble& bubble) { return labels(bubble, AnomalyRules::kScript); }

constexpr SoftLabels kSync{SoftLabel::kSyncOrH2d};
constexpr SoftLabels kComm{SoftLabel::kCommWait};
constexpr SoftLabels kUntraced{SoftLabel::kUntracedHostBlocking};
constexpr SoftLabels kLag{SoftLabel::kHostLaunchLag};
constexpr SoftLabels kPython{SoftLabel::kPythonSerializationOrLock};
constexpr SoftLabels kUnknown{SoftLabel::kInsufficientEvidence};

// Where `part` of the bubble is `limit` long it has the labels `from`, a picosecond below others.
void expect_limit(Bubble bubble, Time Bubble::* part, Time limit, SoftLabels from, SoftLabels below,
                  const Thresholds& thresholds = {}) {
  bubble.*part = limit;
  EXPECT_EQ(labels(bubble, AnomalyRules::kRulebook, thresholds), from);
  bubble.*part = limit - Time{1};
  EXPECT_EQ(labels(bubble, AnomalyRules::kRulebook, thresholds), below);
}

TEST(Labels, SyncFromAFifthOfTheBubbleOn) {
  expect_limit(plain_bubble(), &Bubble::sync_covered, {200'000}, kSync, kLag);
}

TEST(Labels, CommunicationFromAFifthOfTheBubbleOn) {
  expect_limit(plain_bubble(), &Bubble::comm_covered, {200'000}, kComm, kLag);
}

TEST(Labels, UntracedBelowATwentiethOfTheBubble) {
  expect_limit(plain_bubble(), &Bubble::host_covered, {50'000}, kUnknown, kUntraced);
}

TEST(Labels, LaunchLagFromATenthOfTheBubbleOn) {
  expect_limit(plain_bubble(), &Bubble::host_covered, {100'000}, kLag, kUnknown);
}

TEST(Labels, PythonWhereOneThreadSpendsHalfOfTheHostsTimeInFrames) {
  expect_limit(plain_bubble(1.19), &Bubble::python_covered, {250'000}, kPython, kLag);
}

TEST(Labels, PythonOnSeveralThreadsIsLaunchLag) {
  Bubble bubble = plain_bubble(1.2);
  bubble.python_covered = {500'000};
  EXPECT_EQ(labels(bubble), kLag);
}

TEST(Labels, SerialisedBetweenUntracedAndLaunchLag) {
  Bubble bubble = plain_bubble(1.19);
  bubble.host_covered = {99'999};
  EXPECT_EQ(labels(bubble), kPython);
  bubble.host_parallelism = 1.2;
  EXPECT_EQ(labels(bubble), kUnknown);
}

TEST(Labels, SyncCommunicationAndUntracedHoldTogether) {
  Bubble bubble = plain_bubble();
  bubble.sync_covered = {200'000};
  bubble.comm_covered = {200'000};
  bubble.host_covered = {};
  const SoftLabels all{SoftLabel::kSyncOrH2d, SoftLabel::kCommWait,
                       SoftLabel::kUntracedHostBlocking};
  EXPECT_EQ(labels(bubble), all);
  EXPECT_EQ(script_labels(bubble), all);
}

TEST(Labels, OnlyABubbleWithoutALabelIsLagOrPython) {
  Bubble bubble = plain_bubble(1);
  bubble.host_covered = kLength;
  bubble.python_covered = kLength;
  bubble.sync_covered = {200'000};
  EXPECT_EQ(labels(bubble), kSync);
}

TEST(Labels, ABubbleAfterTheLaunchOfItsNextKernelIsNotTheHosts) {
  for (const Time host : {Time{0}, Time{99'999}, kLength}) {
    Bubble bubble = plain_bubble(1);
    bubble.host_covered = bubble.python_covered = host;
    bubble.queued_part = {500'001};
    EXPECT_EQ(labels(bubble), kUnknown) << host.ps;
    bubble.queued_part = {500'000};
    EXPECT_NE(labels(bubble), kUnknown) << host.ps;
  }
}

TEST(Labels, AQueuedBubbleMayStillBeSyncOrCommunication) {
  Bubble bubble = plain_bubble();
  bubble.queued_part = kLength;
  bubble.sync_covered = {200'000};
  EXPECT_EQ(labels(bubble), kSync);
}

TEST(Labels, ScriptTakesLaunchLagBeforePython) {
  Bubble bubble = plain_bubble(1);
  bubble.python_covered = bubble.host_covered;
  EXPECT_EQ(labels(bubble), kPython);
  EXPECT_EQ(script_labels(bubble), kLag);
  bubble.host_covered = bubble.python_covered = {99'999};
  EXPECT_EQ(script_labels(bubble), kPython);
  bubble.host_parallelism = 1.2;
  EXPECT_EQ(script_labels(bubble), kUnknown);
}

TEST(Labels, ScriptDoesNotAskWhoLaunchedTheNextKernel) {
  Bubble bubble = plain_bubble();
  bubble.queued_part = kLength;
  EXPECT_EQ(script_labels(bubble), kLag);
  bubble.host_covered = {};
  EXPECT_EQ(script_labels(bubble), kUntraced);
}

TEST(Labels, ThresholdsDecide) {
  Thresholds thresholds;
  thresholds.label_sync = 0.5;
  expect_limit(plain_bubble(), &Bubble::sync_covered, {500'000}, kSync, kLag, thresholds);
}

TEST(Labels, WithoutHostEventsAndAtTheEdgeOfTheCaptureNobodyCanTell) {
  const std::vector<HostCoverage> hosts(2, plain_bubble());
  const std::vector<LaunchSplit> launches(2);
  std::vector<Gap> gaps(2, plain_bubble());
  gaps[1].touches_edge = true;
  const auto labels_of = [&](bool has_host_events) {
    return label_gaps(has_host_events, gaps, hosts, launches, {}, AnomalyRules::kRulebook);
  };
  EXPECT_EQ(labels_of(true), (std::vector{kLag, kUnknown}));
  EXPECT_EQ(labels_of(false), (std::vector{kUnknown, kUnknown}));
}

Bubble labelled(std::int64_t ps, SoftLabels some) {
  Bubble bubble;
  bubble.end = {ps};
  bubble.labels = some;
  return bubble;
}

TEST(Labels, OfMostAreThoseOfHalfOfTheTime) {
  const Bubble sync = labelled(500, kSync);
  const Bubble lag = labelled(500, kLag);
  const Bubble untraced = labelled(1, kUntraced);
  EXPECT_EQ(labels_of_most(std::vector{&sync, &lag}),
            (SoftLabels{SoftLabel::kSyncOrH2d, SoftLabel::kHostLaunchLag}));
  EXPECT_EQ(labels_of_most(std::vector{&sync, &lag, &untraced}), SoftLabels{});
  EXPECT_EQ(labels_of_most(std::vector{&sync, &sync, &lag, &untraced}), kSync);
}

TEST(Labels, OfNothingAreNone) {
  EXPECT_TRUE(labels_of_most({}).empty());
  const Bubble empty = labelled(0, kSync);
  EXPECT_TRUE(labels_of_most(std::vector{&empty}).empty());
}

}  // namespace
}  // namespace lockstep::analysis::anomalies
