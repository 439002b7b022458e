// Claims on the Perfetto of in-kernel profiles: what a reader finds in it.
#include "report/kernel/kernel_perfetto.h"

#include <algorithm>
#include <map>
#include <ranges>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/kernel/kernel_for_test.h"

namespace lockstep::report::kernel {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

std::vector<std::string> track_names(const trace::Trace& trace) {
  std::vector<std::string> names;
  for (const trace::Track& track : trace.tracks) {
    const trace::Device& device = trace.devices[trace::index_of(track.device)];
    names.push_back(std::string(trace.text(device.id)) + " / " +
                    std::string(trace.text(track.name)));
  }
  return names;
}

std::vector<std::string> event_names_on(const trace::Trace& trace, std::size_t track) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    if (trace::index_of(trace.events.track[i]) != track) continue;
    names.emplace_back(trace.text(trace.events.name[i]));
  }
  return names;
}

TEST(KernelTrace, HasATrackALane) {
  const KernelFixture fixture;
  EXPECT_THAT(track_names(kernel_trace(fixture.report())),
              ElementsAre("NVIDIA H200 / launches", "block 0 on SM 10 / group 0",
                          "block 0 on SM 10 / group 1", "block 1 on SM 11 / group 0",
                          "block 1 on SM 11 / group 1", "block 1 on SM 11 / group 0 in flight"));
}

TEST(KernelTrace, GroupsBlocksByCluster) {
  KernelFixture fixture;
  fixture.profile.launches[0].cluster = {2, 1, 1};
  const std::vector<std::string> names = track_names(kernel_trace(fixture.report()));
  EXPECT_THAT(names, Contains("cluster 0 / block 0 group 1"));
  EXPECT_THAT(names, Contains("cluster 0 / block 1 group 0"));
}

TEST(KernelTrace, CountsClustersInAllDimensions) {
  KernelFixture fixture;
  fixture.profile.launches[0].cluster = {2, 2, 1};
  fixture.profile.launches[0].grid = {4, 4, 1};
  fixture.profile.lanes[2].block = 5;   // (1, 1)
  fixture.profile.lanes[3].block = 11;  // (3, 2)
  const std::vector<std::string> names = track_names(kernel_trace(fixture.report()));
  // Padded, so that viewers which order by name have cluster 10 behind cluster 9.
  EXPECT_THAT(names, Contains("cluster  0 / block 5 group 0"));
  EXPECT_THAT(names, Contains("cluster  3 / block 11 group 1"));
}

TEST(KernelTrace, HasRegionsWithTheirArguments) {
  const KernelFixture fixture;
  const trace::Trace trace = kernel_trace(fixture.report());
  EXPECT_THAT(event_names_on(trace, 2), ElementsAre("compute", "event 3"));
  const auto found = std::ranges::find_if(
      std::views::iota(std::size_t{0}, trace.events.size()),
      [&](std::size_t i) { return trace.text(trace.events.name[i]) == "compute"; });
  EXPECT_EQ(trace.events.start[*found], Time{505'000});
  EXPECT_EQ(trace.events.duration[*found], Time{2'020'000});
  std::map<std::string, std::int64_t> arguments;
  for (const trace::Argument& one :
       trace.arguments.of(trace::EventId{static_cast<std::uint32_t>(*found)})) {
    arguments[std::string(trace.text(one.key))] = one.as_integer();
  }
  EXPECT_EQ(arguments, (std::map<std::string, std::int64_t>{
                           {"cycles", 4000}, {"payload", 9}, {"uncertainty_ps", 1500}}));
}

TEST(KernelTrace, JoinsAsynchronousWorkAcrossLanes) {
  const KernelFixture fixture;
  const trace::Trace trace = kernel_trace(fixture.report());
  ASSERT_EQ(trace.flows.size(), 1U);
  const trace::Flow& flow = trace.flows[0];
  EXPECT_EQ(trace.text(trace.events.name[trace::index_of(flow.from)]), "begin load");
  EXPECT_EQ(trace.text(trace.events.name[trace::index_of(flow.to)]), "end load");
  EXPECT_EQ(trace::index_of(trace.events.track[trace::index_of(flow.from)]), 3U);
  EXPECT_EQ(trace::index_of(trace.events.track[trace::index_of(flow.to)]), 4U);
  EXPECT_THAT(event_names_on(trace, 5), ElementsAre("load"));
}

TEST(KernelTrace, OfNothingCanBeWritten) {
  const trace::KernelProfile profile;
  const analysis::kernel_profile::KernelSummary summary;
  const Diagnostics findings;
  io::MemorySink sink;
  EXPECT_TRUE(write_kernel_perfetto({profile, summary, findings, "a"}, sink).ok());
}

}  // namespace
}  // namespace lockstep::report::kernel
