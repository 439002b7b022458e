// Tests of the session over the fake driver: launches, graphs, chains, buffers of the user.
#include "host/session.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/kernel_profile/kernel_profile_formats.h"
#include "formats/kernel_profile/lkp/lkp_layout.h"
#include "session/session_for_test.h"
#include "session/simulated_kernel.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

TEST_F(SessionTest, TheDeviceIsDescribed) {
  const auto session = open();
  EXPECT_EQ(session->device().name, "Fake H200");
  EXPECT_EQ(session->device().arch, "sm_90");
  EXPECT_EQ(session->device().multiprocessors, 4);
  EXPECT_DOUBLE_EQ(session->device().clock_ghz, 1.98);
  EXPECT_DOUBLE_EQ(session->device().timer_tick_ns, 32);
}

TEST_F(SessionTest, LaunchesAreCollectedIntoAFile) {
  const auto session = open();
  device::Channel* channel =
      session->create_channel({.blocks = 2, .launch_slots = 2}, "gemm").value();
  session->set_event_names({"load", "compute"});
  ASSERT_TRUE(channel->advance(nullptr).ok());
  FakeCuda::run_kernel(channel->pointer(), 2, 1, 6);
  ASSERT_TRUE(channel->advance(nullptr).ok());
  FakeCuda::run_kernel(channel->pointer(), 2, 1, 4);
  const device::CollectCounts counts = session->collect(path()).value();
  EXPECT_EQ(counts.launches, 2);
  EXPECT_EQ(counts.lanes, 4);
  EXPECT_EQ(counts.records, 20);
  const std::string file = text_of(path());
  EXPECT_THAT(file, ::testing::StartsWith("LKP1\r\n"));
  for (const char* word : {"Fake H200", "sm_90", "gemm", "load", "compute", "lockstep "}) {
    EXPECT_THAT(file, HasSubstr(word));
  }
}

TEST_F(SessionTest, WhatIsCollectedIsWhatTheKernelRecorded) {
  const auto session = open();
  device::Channel* channel =
      session->create_channel({.blocks = 3, .groups = 2, .launch_slots = 2}, "gemm").value();
  session->set_event_names({"load", "compute", "store"});
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(channel->advance(nullptr).ok());
    FakeCuda::run_kernel(channel->pointer(), 3, 2, 6);
  }
  ASSERT_TRUE(session->collect(path()).ok());
  Diagnostics findings;
  const trace::KernelProfile profile =
      formats::kernel_profile::read_kernel_profile(path(), {}, findings).value();
  for (const Diagnostic& finding : findings.entries()) ADD_FAILURE() << finding.text();
  EXPECT_EQ(profile.device, "Fake H200");
  EXPECT_EQ(profile.timer_tick_ns, 32);
  EXPECT_EQ(profile.event_name(2), "store");
  ASSERT_EQ(profile.launches.size(), 2);
  EXPECT_EQ(profile.launches[1].kernel, "gemm");
  EXPECT_EQ(profile.launches[1].number, 2);
  EXPECT_EQ(profile.launches[1].lanes_expected, 6);
  ASSERT_EQ(profile.lanes.size(), 12);
  const trace::KernelLane& lane = profile.lanes[9];
  EXPECT_EQ(lane.launch, 1);
  EXPECT_EQ(lane.block, 1);
  EXPECT_EQ(lane.group, 1);
  trace::RecordScratch scratch;
  const auto records = profile.records_of(lane, scratch);
  ASSERT_EQ(records.size(), 6);
  EXPECT_EQ(records[3].ticks, testing::simulated_clock(1, 1, 3));
  EXPECT_EQ(records[3].type, trace::RecordType::kEnd);
  EXPECT_EQ(records[3].event, 1);
}

TEST_F(SessionTest, ReplaysOfAGraphAreToldApart) {
  const auto session = open();
  device::Channel* channel = session->create_channel({.blocks = 1, .launch_slots = 4}, "k").value();
  FakeCuda::capture(true);
  ASSERT_TRUE(channel->advance(nullptr).ok());
  FakeCuda::run_kernel(channel->pointer(), 1, 1, 2);
  FakeCuda::capture(false);
  for (int i = 0; i < 3; ++i) FakeCuda::replay();
  EXPECT_EQ(session->collect(path()).value().launches, 3);
}

TEST_F(SessionTest, TwoChannelsCountTheirLaunchesApart) {
  const auto session = open();
  device::Channel* one = session->create_channel({.blocks = 1, .launch_slots = 2}, "a").value();
  device::Channel* two = session->create_channel({.blocks = 1, .launch_slots = 2}, "b").value();
  ASSERT_TRUE(one->advance(nullptr).ok());
  ASSERT_TRUE(two->advance(nullptr).ok());
  FakeCuda::run_kernel(one->pointer(), 1, 1, 2);
  FakeCuda::run_kernel(two->pointer(), 1, 1, 2);
  ASSERT_TRUE(one->advance(nullptr).ok());
  FakeCuda::run_kernel(one->pointer(), 1, 1, 2);
  EXPECT_EQ(session->collect(path()).value().launches, 3);
  device::Channel* const chosen[] = {two};
  EXPECT_EQ(session->collect(path(), chosen).value().launches, 1);
  ASSERT_TRUE(session->remove_channel(one).ok());
  EXPECT_EQ(session->collect(path()).value().launches, 1);
}

TEST_F(SessionTest, AChainAdvancesByDependentLaunches) {
  const auto session = open();
  device::Channel* channel = session->create_channel({.blocks = 1, .launch_slots = 2}, "k").value();
  const int before = FakeCuda::launches("lockstep_advance_dependent");
  ASSERT_TRUE(channel->advance(nullptr, device::AdvanceKind::kDependent).ok());
  EXPECT_EQ(FakeCuda::launches("lockstep_advance_dependent"), before + 1);
  FakeCuda::run_kernel(channel->pointer(), 1, 1, 2);
  EXPECT_EQ(session->collect(path()).value().launches, 1);
}

TEST_F(SessionTest, ChainsNeedCapabilityNine) {
  setenv("FAKE_CUDA_CAPABILITY", "80", 1);
  const auto session = open();
  EXPECT_EQ(session->device().arch, "sm_80");
  device::Channel* channel = session->create_channel({.blocks = 1}, "k").value();
  EXPECT_TRUE(channel->advance(nullptr).ok());
  const Status status = channel->advance(nullptr, device::AdvanceKind::kDependent);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().text(), HasSubstr("need compute capability 9.0"));
}

TEST_F(SessionTest, AChannelThatIsSwitchedOffRecordsNothing) {
  const auto session = open();
  device::Channel* channel = session->create_channel({.blocks = 1, .launch_slots = 4}, "k").value();
  ASSERT_TRUE(channel->set_enabled(false).ok());
  ASSERT_TRUE(channel->advance(nullptr).ok());
  FakeCuda::run_kernel(channel->pointer(), 1, 1, 2);
  EXPECT_EQ(session->collect(path()).value().launches, 0);
  ASSERT_TRUE(channel->set_enabled(true).ok());
  ASSERT_TRUE(channel->advance(nullptr).ok());
  FakeCuda::run_kernel(channel->pointer(), 1, 1, 2);
  EXPECT_EQ(session->collect(path()).value().launches, 1);
}

TEST_F(SessionTest, OnePerMultiprocessorTakesTheirNumberFromTheDevice) {
  const auto session = open();
  const device::ChannelConfig config = {.selection = profile::kOnePerSm};
  EXPECT_TRUE(session->required_bytes(config).ok());
  device::Channel* channel = session->create_channel(config, "k").value();
  ASSERT_TRUE(channel->advance(nullptr).ok());
  FakeCuda::run_kernel(channel->pointer(), 100, 1, 2);
  EXPECT_EQ(session->collect(path()).value().lanes, 4);
}

TEST_F(SessionTest, ABufferOfTheUserIsUsedAndNotFreed) {
  const std::size_t before = FakeCuda::allocations();
  {
    const auto session = open();
    const device::ChannelConfig config = {.blocks = 3, .records = 100};
    const std::uint64_t bytes = session->required_bytes(config).value();
    // Not at the start of an allocation: the records find their alignment by themselves.
    const device::UserBuffer buffer = {FakeCuda::allocate(bytes + 16) + 16, bytes};
    device::Channel* channel = session->create_channel(config, "k", buffer).value();
    EXPECT_EQ(channel->pointer(), buffer.address);
    ASSERT_TRUE(channel->advance(nullptr).ok());
    FakeCuda::run_kernel(channel->pointer(), 3, 1, 100);
    EXPECT_EQ(session->collect(path()).value().records, 300);
    EXPECT_EQ(session->collect(path()).value().dropped_records, 0);
  }
  EXPECT_EQ(FakeCuda::allocations(), before + 1);
}

TEST_F(SessionTest, OwnMemoryIsFreed) {
  const std::size_t before = FakeCuda::allocations();
  {
    const auto session = open();
    device::Channel* first = session->create_channel({.blocks = 1}, "k").value();
    ASSERT_TRUE(session->create_channel({.blocks = 1}, "k").ok());
    EXPECT_EQ(FakeCuda::allocations(), before + 2);
    ASSERT_TRUE(session->remove_channel(first).ok());
    EXPECT_EQ(FakeCuda::allocations(), before + 1);
  }
  EXPECT_EQ(FakeCuda::allocations(), before);
}

TEST_F(SessionTest, CopiesAreCollectedWithoutADriver) {
  setenv(device::kCudaLibraryVariable, "/nowhere/libcuda.so.1", 1);
  const device::ChannelConfig config = {.blocks = 1};
  std::vector<std::byte> bytes(device::required_bytes(config).value());
  const auto first = device::first_bytes(config, 0, 5).value();
  std::copy(first.begin(), first.end(), bytes.begin());
  formats::kernel_profile::LkpMeta meta;
  meta.device = "MI300X";
  const device::CopiedChannel copies[] = {{bytes, "k"}, {bytes, ""}};
  EXPECT_EQ(device::collect_from_memory(copies, meta, path()).value().launches, 0);
  EXPECT_THAT(text_of(path()), HasSubstr("MI300X"));
  bytes.resize(10);
  EXPECT_FALSE(
      device::collect_from_memory(std::vector<device::CopiedChannel>{{bytes, "k"}}, meta, path())
          .ok());
}

std::vector<std::uint64_t> timers_in(const std::string& file) {
  std::vector<std::uint64_t> timers;
  for (std::uint32_t i = 0; i < 5; ++i) {  // META, LAUNCH, LANE, ANCHOR, RECORD
    formats::kernel_profile::lkp::Section section{};
    std::memcpy(&section,
                file.data() + sizeof(formats::kernel_profile::lkp::Header) + i * sizeof(section),
                sizeof(section));
    if (section.kind !=
        static_cast<std::uint32_t>(formats::kernel_profile::lkp::SectionKind::kAnchor))
      continue;
    for (std::uint64_t k = 0; k < section.items; ++k) {
      formats::kernel_profile::lkp::Anchor anchor{};
      std::memcpy(&anchor, file.data() + section.offset + k * sizeof(anchor), sizeof(anchor));
      timers.push_back(anchor.timer);
    }
  }
  return timers;
}

// A copy of a channel that a launch was recorded in.
std::vector<std::byte> recorded_copy(std::uint32_t blocks) {
  const device::ChannelConfig config = {.blocks = 1, .records = 6};
  std::vector<std::byte> bytes(device::required_bytes(config).value());
  const auto first = device::first_bytes(config, 0, 5).value();
  std::copy(first.begin(), first.end(), bytes.begin());
  testing::run_simulated_kernel(reinterpret_cast<char*>(bytes.data()), {.blocks = blocks});
  return bytes;
}

TEST_F(SessionTest, TimersOfAmdDevicesAreStepsAndBecomeNanoseconds) {
  const std::vector<std::byte> bytes = recorded_copy(1);
  const device::CopiedChannel copy[] = {{bytes, "k"}};
  const auto timers = [&](const std::string& arch, double step) {
    formats::kernel_profile::LkpMeta meta;
    meta.arch = arch;
    meta.timer_tick_ns = step;
    EXPECT_EQ(device::collect_from_memory(copy, meta, path()).value().lanes, 1);
    return timers_in(text_of(path()));
  };
  const std::vector<std::uint64_t> counted = timers("sm_90", 32);
  ASSERT_GE(counted.size(), 2U);
  const auto times = [&](std::uint64_t step) {
    std::vector<std::uint64_t> all = counted;
    for (std::uint64_t& timer : all) timer *= step;
    return all;
  };
  EXPECT_EQ(timers("gfx942", 32), times(32));
  EXPECT_EQ(timers("gfx942", 0), times(10));
  EXPECT_THAT(text_of(path()), HasSubstr("\"timer_ns\": 10"));
  EXPECT_EQ(timers("gfx90a:sramecc+", 0), times(40));
}

TEST_F(SessionTest, AFileSaysWhatWasLost) {
  const std::vector<std::byte> bytes = recorded_copy(3);
  const device::CopiedChannel copy[] = {{bytes, "k"}};
  EXPECT_EQ(device::collect_from_memory(copy, {}, path()).value().lost_leaders, 2);
  EXPECT_THAT(text_of(path()), HasSubstr("\"losses\": {\"lost_leaders\": 2}"));
}

}  // namespace
}  // namespace lockstep
