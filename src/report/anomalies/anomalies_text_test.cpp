// Claims on the anomalies of a trace as people read them.
#include "report/anomalies/anomalies_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/anomalies/anomalies_for_test.h"
#include "report/layout/text_width.h"

namespace lockstep::report::anomalies {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string text_of(const AnomaliesFixture& made, std::optional<BubbleLimit> bubbles = {},
                    std::size_t width = 100) {
  layout::TextStyle style;
  style.width = width;
  return anomalies_text(made.report(), bubbles, false, style);
}

std::size_t place_of(const std::string& text, std::string_view part) {
  EXPECT_THAT(text, HasSubstr(std::string(part)));
  return text.find(part);
}

TEST(AnomaliesText, SectionsStandInTheOrderOfTheirWeight) {
  const std::string text = text_of(AnomaliesFixture());
  std::size_t last = 0;
  for (const std::string_view part :
       {"a.json  kineto",
        "\nRank 0, device 0: 2 marked steps, 6 kernels; busy 610.123 us of 2.000 ms, idle 69.5 %",
        "  1.  Are there significant device idle bubbles? Answer 1.\n",
        "  5.  Is the evidence enough for a root cause? Answer 5.\n", "\nFindings\n",
        "\nGroups of steps", "\nBubbles (3 of 3)\n", "\nWhere the time of ProfilerStep#2 goes",
        "\nOperators by total cost", "\nWait anchors (1 of 1)", "\nAI CPU",
        "\nWhat may be behind it", "\nArtefacts\n", "\nWhat to do\n",
        "\nEvidence that the traces lack\n"}) {
    const std::size_t at = place_of(text, part);
    EXPECT_LE(last, at) << part;
    last = at;
  }
}

TEST(AnomaliesText, FindingsCarryPriorityAndLabels) {
  EXPECT_THAT(text_of(AnomaliesFixture()),
              HasSubstr("\nFindings\n"
                        "  P1  ProfilerStep#2 idles for 400.000 us before Cast. "
                        "[possible_sync_or_h2d]\n"
                        "  P2  Group g0 waits for launches. [possible_host_launch_lag]\n"));
}

TEST(AnomaliesText, ABubbleIsDrawnWithWhatIsKnownOfIt) {
  EXPECT_THAT(
      text_of(AnomaliesFixture()),
      HasSubstr(
          "\nb1: 400.000 us inside ProfilerStep#2, before kernel 2 of 3, from 1.300 ms on\n"
          "            ┼──── 800.000 us ─────┼──────────── idle 400.000 us ─────────────┼───── "
          "10.000 "
          "us ─────┼\n"
          "  stream 7  │ █████       ▓▓▓▓▓███│                                          │"
          "▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓│\n"
          "  stream 20 │██                   │                                          │         "
          "            │\n"
          "  host      │                     │ --ssssssssssssssssssssssssssssssssssssr- │         "
          "            │\n"
          "  before  100.000 us, AI_CORE, stream 7: gemm\n"
          "  after   10.000 us, AI_CORE, stream 7: Cast\n"
          "  377.000 us until the kernel after it was launched, 23.000 us queued. Launched by "
          "cudaLaunchKernel\n"
          "  in aten::copy_ in aten::to. Late: the operator before its launch (362.000 us). Seen "
          "on "
          "the host in\n"
          "  95.0 % of it, synchronising or copying 85.0 %; device copies in 25.0 %. The "
          "host was inside\n"
          "  aten::copy_. possible_sync_or_h2d.\n"));
}

TEST(AnomaliesText, WhatIsNotKnownOfABubbleIsSaid) {
  const std::string text = text_of(AnomaliesFixture(), {}, 200);
  EXPECT_THAT(text, HasSubstr("\nb0: 400.000 us at the start of ProfilerStep#1"));
  EXPECT_THAT(text, HasSubstr("The file does not say who launched the kernel after it."));
  EXPECT_THAT(text, HasSubstr("It touches the edge of the capture."));
  EXPECT_THAT(text, HasSubstr("No idleness: work that was not recorded."));
}

TEST(AnomaliesText, CopiesHaveALaneOfTheirOwn) {
  AnomaliesFixture made;
  EXPECT_THAT(text_of(made), Not(HasSubstr("  copies ")));
  analysis::anomalies::DeviceWork copy;
  copy.start = at_us(1350);
  copy.end = at_us(1450);
  made.device().timeline.copies = {copy};
  EXPECT_THAT(text_of(made), HasSubstr("  copies    │                     │     ▒▒▒▒▒▒▒▒▒▒▒   "));
}

TEST(AnomaliesText, BubblesOfFindingsComeFirstAndShortOnesAreLeftOut) {
  AnomaliesFixture made;
  made.device().bubbles[2].start = at_us(1950);  // 50 us, less than a quarter of 400 us
  const std::string text = text_of(made);
  EXPECT_THAT(text, HasSubstr("\nBubbles (2 of 3; --bubbles N or all shows more)\nb1: "));
  EXPECT_THAT(text_of(made, 1), HasSubstr("\nBubbles (1 of 3)\nb0: "));
  EXPECT_THAT(text_of(made, kAllBubbles), HasSubstr("\nb2: "));
  EXPECT_THAT(text_of(made, 0), Not(HasSubstr("\nBubbles")));
}

TEST(AnomaliesText, OneBubbleStandsForAllAtItsPlace) {
  AnomaliesFixture made;
  analysis::anomalies::DeviceAnomalies& device = made.device();
  analysis::anomalies::Bubble again = device.bubbles[1];
  again.step = 0;
  device.bubbles.push_back(again);
  EXPECT_THAT(text_of(made), HasSubstr("\nBubbles (3 of 4; "));
  EXPECT_THAT(text_of(made), Not(HasSubstr("\nb3: ")));
}

TEST(AnomaliesText, ABriefOneEndsWithTheFindings) {
  const AnomaliesFixture made;
  const std::string whole = text_of(made);
  const std::string brief = anomalies_text(made.report(), std::nullopt, true, layout::TextStyle());
  EXPECT_THAT(whole, testing::StartsWith(brief));
  EXPECT_THAT(brief, HasSubstr("\nFindings\n"));
  EXPECT_THAT(brief, Not(HasSubstr("\nGroups of steps")));
  EXPECT_THAT(brief, Not(HasSubstr("\nWhat to do")));
}

TEST(AnomaliesText, NothingFoundIsSaid) {
  AnomaliesFixture made;
  analysis::anomalies::DeviceAnomalies& device = made.device();
  device.findings.clear();
  device.bubbles.clear();
  device.causes.clear();
  device.artefacts.clear();
  device.ops.wait_anchors.clear();
  device.ops.compute_wait_anchors.clear();
  device.ops.aicpu.clear();
  made.anomalies.recommendations.clear();
  made.anomalies.evidence_gaps.clear();
  const std::string text = text_of(made);
  EXPECT_THAT(text, HasSubstr("\nFindings\n  None.\n"));
  for (const std::string title : {"Bubbles", "Wait anchors", "AI CPU", "What may", "Artefacts",
                                  "What to do", "Evidence that"}) {
    EXPECT_THAT(text, Not(HasSubstr("\n" + title))) << title;
  }
}

TEST(AnomaliesText, OfACauseTheFirstFigureIsTold) {
  AnomaliesFixture made;
  made.words.devices[0].causes[0] = {"1 of 2 steps.", "Another."};
  EXPECT_THAT(
      text_of(made),
      HasSubstr("  medium  possible_sync_or_h2d, group g0: 1 of 2 steps.\n"
                "  low     possible_untraced_host_blocking, global: 400.000 us of gaps.\n"));
}

TEST(AnomaliesText, TheTailOfAGroupIsToldWithoutTheTimeBetweenSteps) {
  AnomaliesFixture made;
  analysis::anomalies::StepGroup& group = made.device().groups[0];
  group.tail.median = at_us(30);
  group.own_tail.median = at_us(10);
  group.inter_step.median = at_us(20);
  EXPECT_THAT(text_of(made), HasSubstr("  10.000 us  20.000 us  "));
}

TEST(AnomaliesText, AWaitAnchorThatIsAnArtefactIsMarked) {
  AnomaliesFixture made;
  analysis::anomalies::OpRow& row = made.device().ops.rows[made.device().ops.wait_anchors[0]];
  row.artefact_wait = row.to_device;
  EXPECT_THAT(text_of(made), HasSubstr("  artefact      1  "));
}

TEST(AnomaliesText, AGroupThatIsAllOfItIsNotToldTwice) {
  AnomaliesFixture made;
  made.device().causes[1].label = analysis::anomalies::SoftLabel::kSyncOrH2d;
  EXPECT_THAT(text_of(made), Not(HasSubstr("possible_sync_or_h2d, group g0")));
}

TEST(AnomaliesText, ACauseOfLittleIsLeftOut) {
  AnomaliesFixture made;
  made.device().causes[1].bubble_time = at_us(20).ps;
  EXPECT_THAT(text_of(made), HasSubstr("possible_untraced_host_blocking, global"));
  made.device().causes[1].bubble_time = at_us(19).ps;
  EXPECT_THAT(text_of(made), Not(HasSubstr("possible_untraced_host_blocking, global")));
}

TEST(AnomaliesText, TagsOfSmallGroupsAreLeftOut) {
  AnomaliesFixture made;
  analysis::anomalies::StepGroup small = made.device().groups[0];
  small.id = "g1";
  small.total_service = at_us(200).ps;
  made.device().groups.push_back(small);
  EXPECT_THAT(text_of(made), HasSubstr("\n  g1  DEVICE_IDLE_GAP_HEAVY\n"));
  made.device().groups[1].total_service = at_us(199).ps;
  EXPECT_THAT(text_of(made), Not(HasSubstr("\n  g1  DEVICE_IDLE_GAP_HEAVY\n")));
}

TEST(AnomaliesText, ShortBubblesOfFindingsAreLeftOutToo) {
  AnomaliesFixture made;
  analysis::anomalies::DeviceAnomalies& device = made.device();
  device.findings.push_back(device.findings[0]);
  device.findings[2].bubble = 2;
  device.bubbles[2].start = at_us(1960);  // a tenth
  EXPECT_THAT(text_of(made), HasSubstr("\nb2: 40.000 us"));
  device.bubbles[2].start = at_us(1961);
  EXPECT_THAT(text_of(made), Not(HasSubstr("\nb2: ")));
}

TEST(AnomaliesText, LongListsAreCutAndCounted) {
  AnomaliesFixture made;
  made.device().findings.resize(9, made.device().findings[1]);
  EXPECT_THAT(text_of(made), HasSubstr("  and 3 more (--markdown and --json have all)\n"));
}

TEST(AnomaliesText, DeviceWithoutAnIdHasNoNumber) {
  AnomaliesFixture made;
  made.device().timeline.device_id.clear();
  EXPECT_THAT(text_of(made), HasSubstr("\nRank 0, device: 2 marked steps"));
}

TEST(AnomaliesText, ShortGapsOfSeveralGroupsAreOneLine) {
  AnomaliesFixture made;
  std::vector<analysis::anomalies::Finding>& findings = made.device().findings;
  findings.resize(3, findings[1]);
  for (std::size_t i = 1; i < 3; ++i) findings[i].detail = analysis::anomalies::ShortGaps{};
  made.words.devices[0].findings.resize(3, made.words.devices[0].findings[1]);
  EXPECT_THAT(text_of(made), HasSubstr("  P2  Groups g0 and g0 ("));
  EXPECT_THAT(text_of(made), Not(HasSubstr("waits for launches")));
  findings[2].labels = {};
  EXPECT_THAT(text_of(made), HasSubstr("  P2  Group g0 waits for launches. "));
}

TEST(AnomaliesText, SeveralDevicesAreListedAndTheMostUrgentOneTold) {
  AnomaliesFixture made;
  made.anomalies.devices.push_back(made.device());
  analysis::anomalies::DeviceAnomalies& second = made.anomalies.devices[1];
  second.timeline.device_id = "1";
  second.findings[0].priority = analysis::anomalies::Priority::kP0;
  made.words.devices.push_back(made.words.devices[0]);
  made.words.devices[1].findings[0].text = "Worse.";
  const std::string text = text_of(made);
  EXPECT_THAT(text, HasSubstr("\nAll devices, * is told below\n"));
  EXPECT_THAT(text, HasSubstr("\n     rank 0, device 0 "));
  EXPECT_THAT(text, HasSubstr("\n  *  rank 0, device 1 "));
  EXPECT_THAT(text, HasSubstr("\nRank 0, device 1: 2 marked steps"));
  EXPECT_THAT(text, Not(HasSubstr("\nRank 0, device 0: 2 marked steps")));
  EXPECT_THAT(text, HasSubstr("\nFindings\n"
                              "  P0  Rank 0, device 1: Worse. [possible_sync_or_h2d]\n"
                              "  P1  Rank 0, device 0: ProfilerStep#2 idles"));
}

TEST(AnomaliesText, OfDevicesWithoutFindingsTheDominantOneIsTold) {
  AnomaliesFixture made;
  made.device().findings.clear();
  made.anomalies.devices.push_back(made.device());
  made.anomalies.devices[1].timeline.device_id = "1";
  made.anomalies.dominant_device = 1;
  EXPECT_THAT(text_of(made), HasSubstr("\nRank 0, device 1: 2 marked steps"));
}

TEST(AnomaliesText, LinesFitTheTerminal) {
  for (const std::size_t width : {80U, 100U, 140U}) {
    const std::string text = text_of(AnomaliesFixture(), kAllBubbles, width);
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      EXPECT_LE(layout::display_width(text.substr(at, end - at)), width)
          << text.substr(at, end - at);
      at = end + 1;
    }
  }
}

TEST(AnomaliesText, StepsWithoutMarkersAreNamedAsWhatTheyAre) {
  AnomaliesFixture made;
  for (analysis::anomalies::AnomalyStep& step : made.device().steps)
    step.window = analysis::anomalies::StepWindow::kDevice;
  EXPECT_THAT(text_of(made), HasSubstr("device 0: 2 passes, 6 kernels"));
  made.device().steps[0].window = analysis::anomalies::StepWindow::kPseudo;
  EXPECT_THAT(text_of(made), HasSubstr("device 0: one capture without steps, 6 kernels"));
  made.device().structures[0].step = 0;
  made.device().artefacts[0].step = 0;
  EXPECT_THAT(text_of(made), HasSubstr("at the start of the capture"));
  EXPECT_THAT(text_of(made), HasSubstr("\nWhere the time of the capture goes"));
  EXPECT_THAT(text_of(made), HasSubstr(" of the capture ("));
}

}  // namespace
}  // namespace lockstep::report::anomalies
