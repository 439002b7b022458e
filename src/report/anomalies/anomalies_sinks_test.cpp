// Claims on the Markdown report and on the annotated trace of `anomalies`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/anomalies/anomalies_annotate.h"
#include "report/anomalies/anomalies_for_test.h"
#include "report/anomalies/anomalies_markdown.h"
#include "trace/steps.h"

namespace lockstep::report::anomalies {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(AnomaliesMarkdown, TellsEverythingByItself) {
  const AnomaliesFixture made;
  const std::string text = anomalies_markdown(made.report(), kBubblesPerGroup);
  EXPECT_TRUE(text.starts_with("# Where the device idles\n\n## Inputs\n\n* a.json (kineto)\n"));
  EXPECT_THAT(text, HasSubstr("\n* **P1** ProfilerStep\\#2 idles for 400.000 us before Cast."));
  EXPECT_THAT(text, HasSubstr("\n  * cudaMemcpyAsync covers 85 % of it\n"));
  EXPECT_THAT(text, HasSubstr("\n| 0 | ProfilerStep\\#1 | g0 |"));
  EXPECT_THAT(text, HasSubstr("\n### b1: 400.000 us inside ProfilerStep\\#2"));
  EXPECT_THAT(text, HasSubstr("```\n"));
  EXPECT_THAT(text, HasSubstr("\n| heavy_gap_us | 1000 |"));
  EXPECT_THAT(text, Not(HasSubstr("--bubbles")));
}

TEST(AnomaliesMarkdown, AllDevicesAreTold) {
  AnomaliesFixture made;
  made.anomalies.devices.push_back(made.device());
  made.anomalies.devices[1].timeline.device_id = "1";
  const std::string text = anomalies_markdown(made.report(), kBubblesPerGroup);
  EXPECT_THAT(text, HasSubstr("\n## Rank 0, device 0: 2 marked steps"));
  EXPECT_THAT(text, HasSubstr("\n## Rank 0, device 1: 2 marked steps"));
}

std::vector<std::string> names_on(const trace::Trace& trace, std::string_view track) {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
    if (trace.text(trace.track_of(i).name) != track) continue;
    EXPECT_EQ(trace.events.kind[i], trace::Kind::kAnnotation);
    EXPECT_EQ(trace.text(trace.events.category[i]), trace::kOwnAnnotationCategory);
    EXPECT_TRUE(trace.on_device(i));
    names.emplace_back(trace.text(trace.events.name[i]));
  }
  return names;
}

TEST(AnomaliesAnnotate, TracksStandBesideTheStreams) {
  AnomaliesFixture made;
  trace::Trace& trace = made.source.trace;
  const std::size_t tracks = trace.tracks.size();
  annotate_anomalies(made.anomalies, trace);
  EXPECT_EQ(trace.tracks.size(), tracks + 3);
  EXPECT_THAT(names_on(trace, "lockstep steps of device 0"),
              ElementsAre("step 0: ProfilerStep#1", "step 1: ProfilerStep#2"));
  EXPECT_THAT(names_on(trace, "lockstep bubbles of device 0"),
              ElementsAre("prelaunch 400.000 us: possible_untraced_host_blocking",
                          "step_internal 400.000 us: possible_sync_or_h2d",
                          "tail 290.000 us: UNRECORDED_WORK"));
  EXPECT_THAT(names_on(trace, "lockstep tags of device 0"),
              ElementsAre("DEVICE_IDLE_GAP_HEAVY, PRELAUNCH_GAP_HEAVY", "UNRECORDED_WORK"));
}

TEST(AnomaliesAnnotate, NoAnnotationIsNamedLikeAMarker) {
  AnomaliesFixture made;
  trace::Trace& trace = made.source.trace;
  annotate_anomalies(made.anomalies, trace);
  for (const std::string& name : names_on(trace, "lockstep steps of device 0")) {
    EXPECT_FALSE(trace::is_step_name(name)) << name;
  }
}

TEST(AnomaliesAnnotate, StepsWithoutTagsHaveNone) {
  AnomaliesFixture made;
  for (analysis::anomalies::AnomalyStep& step : made.device().steps) step.tags = {};
  annotate_anomalies(made.anomalies, made.source.trace);
  EXPECT_THAT(names_on(made.source.trace, "lockstep tags of device 0"), ElementsAre());
}

}  // namespace
}  // namespace lockstep::report::anomalies
