// Tests of how artefacts read.
#include "report/anomalies/words/artefact_words.h"

#include <gtest/gtest.h>

#include "analysis/anomalies/timeline/times_for_test.h"
#include "trace/trace_for_test.h"

namespace lockstep::report::anomalies {
namespace {

using analysis::anomalies::ms;
using analysis::anomalies::Tag;

constexpr std::int64_t kMs = 1'000'000;  // of nanoseconds

// A bubble of 10 ms before a kernel that had been launched 10.4 ms before.
struct OneArtefact {
  OneArtefact() {
    const trace::TrackId stream = test.add_stream(test.add_device("0"), "7");
    bubble.launch_call =
        test.add(test.host, trace::Kind::kRuntimeCall, "hipLaunchKernel", kMs / 2, kMs / 10);
    analysis::anomalies::DeviceWork work;
    work.event = test.add(stream, trace::Kind::kKernel, "after", 11 * kMs, 9 * kMs);
    work.start = ms(11);
    device.timeline.kernels = {work};
    bubble.start = ms(1);
    bubble.end = ms(11);
    bubble.kernel_after = 0;
    bubble.is_unrecorded = true;
  }
  std::string words() {
    device.bubbles = {bubble};
    return artefact_words(test.trace, device, {Tag::kUnrecordedWork, 0, ms(10), 0});
  }
  trace::TestTrace test;
  analysis::anomalies::DeviceAnomalies device;
  analysis::anomalies::Bubble bubble;
};

TEST(ArtefactWords, TellOfTheWaitAndTheLaunch) {
  OneArtefact one;
  EXPECT_EQ(one.words(),
            "for 10.000 ms the host sat in a synchronising call while nothing was recorded on the "
            "device, and the next kernel had been launched 10.400 ms before it ran");
  one.bubble.evidence_ops = {one.bubble.launch_call};
  EXPECT_TRUE(one.words().starts_with("for 10.000 ms the host sat in hipLaunchKernel while"));
}

TEST(ArtefactWords, AtTheEndOfTheCaptureThereIsNoLaunch) {
  OneArtefact one;
  one.bubble.kernel_after = analysis::anomalies::kNoKernel;
  EXPECT_EQ(one.words(),
            "for 10.000 ms the host sat in a synchronising call while nothing was recorded on the "
            "device");
}

TEST(ArtefactWords, OfAGraphThatShowsNothing) {
  OneArtefact one;
  one.bubble.is_unrecorded = false;
  one.bubble.is_opaque = true;
  EXPECT_EQ(one.words(),
            "for 10.000 ms a replayed graph ran whose kernels the profiler did not record");
}

}  // namespace
}  // namespace lockstep::report::anomalies
