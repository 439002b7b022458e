// Tests of what steps are called.
#include "report/anomalies/words/word_parts.h"

#include <gtest/gtest.h>

namespace lockstep::report::anomalies {
namespace {

using analysis::anomalies::AnomalyStep;
using analysis::anomalies::StepWindow;
using analysis::cycles::PhaseName;

TEST(StepLabel, OfAMarkedStepIsItsMarker) {
  AnomalyStep step;
  step.window = StepWindow::kHost;
  step.marker = "ProfilerStep#3";
  EXPECT_EQ(step_label(step), "ProfilerStep#3");
  EXPECT_EQ(step_name(step), "ProfilerStep#3");
}

TEST(StepLabel, OfAPassIsItsPhaseAndNumber) {
  AnomalyStep step;
  step.window = StepWindow::kDevice;
  step.number = 4;
  EXPECT_EQ(step_label(step), "pass 4");
  step.phase = PhaseName::kDecode;
  EXPECT_EQ(step_label(step), "decode 4");
  EXPECT_EQ(step_name(step), "decode 4");
}

TEST(StepLabel, OfTheCaptureHasAnArticleInSentences) {
  const AnomalyStep step;
  EXPECT_EQ(step_label(step), "capture");
  EXPECT_EQ(step_name(step), "the capture");
}

}  // namespace
}  // namespace lockstep::report::anomalies
