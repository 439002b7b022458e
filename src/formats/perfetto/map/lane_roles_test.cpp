// Names of tracks against what profilers write.
#include "formats/perfetto/map/lane_roles.h"

#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace lockstep::formats::perfetto {
namespace {

LaneRole role(const std::vector<std::string_view>& names) { return role_of_lane(names); }

TEST(LaneRoles, RocprofTracksNameAgentAndStream) {
  const LaneRole compute = role({"COMPUTE AGENT [4] STREAM [12] (GPU)", "app"});
  EXPECT_TRUE(compute.is_device);
  EXPECT_EQ(compute.device, "4");
  EXPECT_EQ(compute.stream, "12");
  EXPECT_EQ(role({"COMPUTE GPU [0] QUEUE [3] GPU"}).stream, "3");
  EXPECT_EQ(role({"COPY to AGENT [1] THREAD [2] (GPU)"}).stream, "copies of thread 2");
  EXPECT_FALSE(role({"COPY to AGENT [1] STREAM [2] (GPU)"}).is_copy_to_host);
  EXPECT_TRUE(role({"COPY to AGENT [0] STREAM [2] (CPU)"}).is_copy_to_host);
  EXPECT_EQ(role({R"(STREAM [" 7 "])"}).stream, "7");
  EXPECT_EQ(role({R"(STREAM [" 7 "])"}).device, "");
}

TEST(LaneRoles, RocprofThreadsNameTheirNumber) {
  EXPECT_EQ(role({"THREAD 1 (4711)"}).thread, "4711");
  EXPECT_FALSE(role({"THREAD 1 (4711)"}).is_device);
  EXPECT_EQ(role({"THREAD pool"}).thread, "");
}

TEST(LaneRoles, TracksBelowADeviceOfXprofAreItsLines) {
  EXPECT_EQ(role({"XLA Ops", "/device:TPU:2"}).work, LaneRole::Work::kLeaves);
  EXPECT_EQ(role({"XLA Ops", "/device:GPU:2"}).work, LaneRole::Work::kNone);
  EXPECT_EQ(role({"Stream #7(Compute)", "/device:GPU:0"}).work, LaneRole::Work::kByName);
  const LaneRole deep = role({"collective", "Megascale", "/device:TPU:2", "2. TPUs"});
  EXPECT_TRUE(deep.is_device);
  EXPECT_EQ(deep.device, "2");
  EXPECT_EQ(deep.work, LaneRole::Work::kNone);
}

TEST(LaneRoles, StreamsOfLockstepAreKnownWithoutItsHeader) {
  const LaneRole stream = role({"stream 7", "GPU 0 NVIDIA H200"});
  EXPECT_TRUE(stream.is_device);
  EXPECT_EQ(stream.device, "0");
  EXPECT_EQ(stream.device_name, "NVIDIA H200");
  EXPECT_EQ(stream.stream, "7");
  EXPECT_FALSE(role({"stream 7", "GPU memory"}).is_device);
}

TEST(LaneRoles, OtherNamesSayNothing) {
  for (const std::string_view name : {"", "main", "COMPUTE", "COPY", "STREAM", "["}) {
    EXPECT_FALSE(role({name}).is_device) << name;
  }
  EXPECT_FALSE(role_of_lane({}).is_device);
  EXPECT_EQ(role({"COMPUTE [", "x"}).stream, "copies of thread ");
}

TEST(LaneRoles, CategoriesOfRocprofComeBeforeTheSharedTable) {
  EXPECT_EQ(meaning_in_perfetto("kernel_dispatch").kind, trace::Kind::kKernel);
  EXPECT_EQ(meaning_in_perfetto("kernel_dispatch").side, trace::Track::Side::kDevice);
  EXPECT_EQ(meaning_in_perfetto("hip_api").kind, trace::Kind::kRuntimeCall);
  EXPECT_EQ(meaning_in_perfetto("cuda_runtime").kind, trace::Kind::kRuntimeCall);
  EXPECT_FALSE(meaning_in_perfetto("made up").known);
}

TEST(LaneRoles, AnAgentIsKnownByTheNumberAtItsEnd) {
  EXPECT_EQ(number_at_end("GPU-4"), "4");
  EXPECT_EQ(number_at_end("Agent 12"), "12");
  EXPECT_EQ(number_at_end("7"), "7");
  EXPECT_EQ(number_at_end("none"), "none");
  EXPECT_EQ(number_at_end(""), "");
}

}  // namespace
}  // namespace lockstep::formats::perfetto
