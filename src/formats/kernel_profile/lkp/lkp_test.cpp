// .lkp files: written and read back, lanes and their clocks.
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "formats/kernel_profile/decoding_for_test.h"
#include "formats/kernel_profile/lkp/lkp_file_for_test.h"
#include "formats/kernel_profile/lkp/lkp_layout.h"
#include "formats/kernel_profile/lkp/lkp_reader.h"
#include "formats/kernel_profile/lkp/lkp_writer.h"
#include "lockstep/profile_layout.h"

namespace lockstep::formats::kernel_profile {
namespace {

using profile::make_tag;

TEST(Lkp, IsReadAsItWasWritten) {
  const Decoded decoded = read_file(typical_lkp());
  EXPECT_EQ(decoded.lanes(), kTypicalLanes);
  EXPECT_EQ(decoded.found(), "");
  const trace::KernelProfile& profile = decoded.profile;
  EXPECT_EQ(profile.format, "lkp");
  EXPECT_EQ(profile.producer, "test");
  EXPECT_EQ(profile.device, "H200");
  EXPECT_EQ(profile.arch, "sm_90");
  EXPECT_EQ(profile.timer_tick_ns, 32);
  EXPECT_EQ(profile.clock_ghz, 1.98);
  EXPECT_EQ(profile.event_name(1), "mma \"x\"");
  ASSERT_EQ(profile.launches.size(), 1U);
  EXPECT_EQ(profile.launches[0].kernel, "gemm");
  EXPECT_EQ(profile.launches[0].channel, 2U);
  EXPECT_EQ(profile.launches[0].number, 5U);
  EXPECT_EQ(profile.launches[0].grid.x, 2U);
  EXPECT_EQ(profile.launches[0].threads.x, 128U);
  EXPECT_EQ(profile.launches[0].lanes_expected, 2U);
  const trace::KernelLane& lane = profile.lanes[1];
  EXPECT_EQ(lane.sm, 18);
  EXPECT_EQ(lane.capacity, 63U);
  EXPECT_TRUE(lane.is_finalized);
  EXPECT_EQ(lane.clock, trace::LaneClock::kCycles);
  ASSERT_EQ(profile.anchors_of(lane).size(), 2U);
  EXPECT_EQ(profile.anchors_of(lane)[1].timer_ns, 2016);
  EXPECT_EQ(profile.anchors_of(lane)[1].clock_after, 8004);
}

TEST(Lkp, FlagsOfLanesAreKept) {
  LkpFile file = typical_lkp();
  EXPECT_FALSE(read_file(file).profile.lanes[0].is_elected);
  EXPECT_FALSE(read_file(file).profile.lanes[0].is_ring);
  file.lanes[0].flags |= profile::kElected | profile::kRing;
  EXPECT_TRUE(read_file(file).profile.lanes[0].is_elected);
  EXPECT_TRUE(read_file(file).profile.lanes[0].is_ring);
}

TEST(Lkp, AnchorsMayShareAClock) {
  LkpFile file = typical_lkp();
  file.anchors[1] = {1000, 5000, 9004};
  const Decoded decoded = read_file(file);
  EXPECT_EQ(decoded.found(), "");
  EXPECT_EQ(decoded.profile.anchors_of(decoded.profile.lanes[0]).size(), 2U);
}

TEST(Lkp, AnchorsThatWereGivenUpAreNoAnchors) {
  LkpFile file = typical_lkp();
  file.anchors[0] = {0, 0, 0};
  const Decoded decoded = read_file(file);
  EXPECT_EQ(decoded.lanes(), kTypicalLanes);
  EXPECT_EQ(decoded.found(), "");
  EXPECT_EQ(decoded.profile.anchors_of(decoded.profile.lanes[0]).size(), 1U);
}

TEST(Lkp, AnEmptyProfileIsAFileToo) {
  LkpFile file;
  file.meta = {};
  const Decoded decoded = read_file(file);
  EXPECT_EQ(decoded.lanes(), "");
  EXPECT_EQ(decoded.found(), "");
}

TEST(Lkp, GivenNamesStandForThoseOfTheFile) {
  const std::string bytes = typical_lkp().bytes();
  const Decoded decoded = decode_for_test(bytes, {.names = {"a", "b"}});
  EXPECT_EQ(decoded.profile.event_name(1), "b");
  EXPECT_EQ(decoded.found(), "event_without_name 3");
}

TEST(Lkp, LanesComeOutByLaunchBlockAndGroup) {
  LkpFile file = typical_lkp();
  std::swap(file.lanes[0], file.lanes[1]);
  EXPECT_EQ(read_file(file).lanes(), kTypicalLanes);
}

TEST(Lkp, SectionsStandAtMultiplesOf64AndTheFileSaysItsSize) {
  const std::string bytes = typical_lkp().bytes();
  lkp::Header header{};
  std::memcpy(&header, bytes.data(), sizeof(header));
  EXPECT_EQ(header.file_bytes, bytes.size());
  EXPECT_EQ(header.sections, 6U);
  for (std::uint32_t i = 0; i < header.sections; ++i) {
    lkp::Section section{};
    std::memcpy(&section, bytes.data() + sizeof(header) + i * sizeof(section), sizeof(section));
    EXPECT_EQ(section.offset % 64, 0U);
    EXPECT_EQ(section.kind, i + 1);
  }
}

TEST(Lkp, ItemsMayBeLongerThanKnown) {
  const LkpFile file = typical_lkp();
  // Each record with 4 more bytes, at the end of the file.
  std::string bytes = file.bytes();
  bytes.resize((bytes.size() + 63) / 64 * 64);
  lkp::Section section{static_cast<std::uint32_t>(lkp::SectionKind::kRecord), 12, bytes.size(),
                       file.records.size()};
  for (const lkp::Record& record : file.records) {
    bytes.append(reinterpret_cast<const char*>(&record), sizeof(record)).append("more");
  }
  std::memcpy(bytes.data() + sizeof(lkp::Header) + 4 * sizeof(section), &section, sizeof(section));
  const std::uint64_t size = bytes.size();
  std::memcpy(bytes.data() + offsetof(lkp::Header, file_bytes), &size, sizeof(size));
  const Decoded decoded = read_bytes(bytes);
  EXPECT_EQ(decoded.lanes(), kTypicalLanes);
  EXPECT_EQ(decoded.found(), "");
}

TEST(Lkp, LaunchesAreFoundByTheirId) {
  LkpFile file = typical_lkp();
  file.launches[0].id = 44;
  file.lanes[0].launch = file.lanes[1].launch = 44;
  EXPECT_EQ(read_file(file).lanes(), kTypicalLanes);
}

TEST(Lkp, DropsMigrationMissingEndsAndTwinsAreFindings) {
  LkpFile file = typical_lkp();
  file.lanes[0].seen = 9;
  file.lanes[0].sm_end = 3;
  file.lanes[1].flags &= ~kDone;
  file.lanes[1].block = 0;
  const Decoded decoded = read_file(file);
  EXPECT_EQ(decoded.found(), "dropped 4, migrated 1, not_finalized 1, duplicate_lane 1");
  EXPECT_EQ(decoded.findings.entries()[1].example,
            "launch 0, block 0, group 0, from SM 17 to SM 3");
}

TEST(Lkp, AnUnknownMultiprocessorIsNoMigration) {
  LkpFile file = typical_lkp();
  file.lanes[0].sm_end = profile::kNoSm;
  const Decoded decoded = read_file(file);
  EXPECT_EQ(decoded.found(), "");
  EXPECT_EQ(decoded.profile.lanes[0].sm_end, -1);
}

TEST(Lkp, ClocksOutsideTheAnchorsAreCounted) {
  LkpFile file = typical_lkp();
  file.records[0].clock = 4000;
  file.records[4].clock = 9005;
  EXPECT_EQ(read_file(file).found(), "clock_outside_anchors 2");
}

TEST(Lkp, SingleEventsAmongRegionsAreWhatTheirTagSays) {
  constexpr std::uint32_t kEdge = profile::kEdgeAmongRegions;
  LkpFile file = typical_lkp();
  file.regions = {{6100, 6100, make_tag(profile::kBegin, profile::kHasPayload, 1, kEdge), 70'000},
                  {6200, 6200, make_tag(profile::kSwitch, 0, 2, kEdge), 1},
                  {6300, 6300, make_tag(profile::kEnd, profile::kAsync, 0, kEdge), 80'000}};
  EXPECT_TRUE(read_file(file).lanes().ends_with("1/0: B1@6100=70000 S2@6200=1 ~E0@6300=80000\n"));
}

TEST(Lkp, WrapsAreUndoneAndReported) {
  LkpFile file = typical_lkp();
  file.anchors[0] = {1000, 0x5'FFFF'F000, 0x5'FFFF'F004};
  file.anchors[1] = {2000, 0x6'0000'3000, 0x6'0000'3004};
  file.records[0].clock = 0xFFFF'F010;
  for (std::uint32_t i = 1; i < 5; ++i) file.records[i].clock = 0x10 * i;
  const Decoded decoded = read_file(file);
  EXPECT_EQ(decoded.found(), "wrapped 1");
  trace::RecordScratch scratch;
  const auto records = decoded.profile.records_of(decoded.profile.lanes[0], scratch);
  EXPECT_EQ(records[0].ticks, 0x5'FFFF'F010);
  EXPECT_EQ(records[4].ticks, 0x6'0000'0040);
}

TEST(Lkp, WrapsBetweenTwoMarkersAreFoundByTheAnchors) {
  LkpFile file = typical_lkp();
  file.lanes[0].written = file.lanes[0].seen = 2;
  file.records.resize(2);
  file.records[1].tag = make_tag(profile::kEnd, 0, 0, 0);
  file.anchors[1] = {9'000'000'000, 0x3'0000'1500, 0x3'0000'1504};
  const Decoded decoded = read_file(file);
  EXPECT_TRUE(decoded.lanes().starts_with("0/0: B0@5100=77 E0@12884907088\n")) << decoded.lanes();
  EXPECT_EQ(decoded.found(), "wrapped 3");
}

TEST(Lkp, WrapsThatNoRecordShowsAreAmbiguous) {
  LkpFile file = typical_lkp();
  file.anchors[1] = {90'000'000'000, 0x3'0000'9000, 0x3'0000'9004};
  EXPECT_EQ(read_file(file).found(), "wrap_ambiguous 1");
}

TEST(Lkp, ARegionAcrossAWrapKeepsItsLength) {
  LkpFile file = typical_lkp();
  file.lanes[1].anchors = 0;
  file.regions[0] = {0xFFFF'FF00, 0x100, make_tag(0, 0, 1, 0), 0};
  file.regions[1] = {0x50, 0x110, make_tag(0, 0, 0, 0), 0};
  const Decoded decoded = read_file(file);
  trace::RecordScratch scratch;
  const auto records = decoded.profile.records_of(decoded.profile.lanes[1], scratch);
  EXPECT_EQ(records[0].length, 0x200U);
  EXPECT_EQ(records[0].ticks, records[1].ticks - 0x150);
}

TEST(Lkp, ALoneRegionLongerThanAWrapBecomesABeginAndAnEnd) {
  LkpFile file = typical_lkp();
  file.lanes[1].written = file.lanes[1].seen = 1;
  file.anchors[3] = {9'000'000'000, 0x2'0000'1800, 0x2'0000'1804};
  file.regions = {{6100, 6200, make_tag(0, profile::kHasPayload, 1, 0), 5}};
  const Decoded decoded = read_file(file);
  EXPECT_TRUE(decoded.lanes().ends_with("1/0: B1@6100=5 E1@4294973496=5\n")) << decoded.lanes();
  EXPECT_EQ(decoded.found(), "wrapped 1");
}

TEST(Lkp, SteadyLanesComeOutInNanoseconds) {
  LkpFile file = typical_lkp();
  file.meta.timer_tick_ns = 10;
  file.lanes[0].flags |= profile::kSteadyClock;
  file.lanes[1].flags |= profile::kSteadyClock;
  const Decoded decoded = read_file(file);
  EXPECT_EQ(decoded.lanes(),
            "0/0: B0@51000=77 S1@52000=0 E1@53000 I2@54000 ~B2@55000=9\n"
            "1/0: -1@61000+1000=123456 -0@60500+2500 I2@64000\n");
  EXPECT_EQ(decoded.found(), "");
  EXPECT_EQ(decoded.profile.lanes[0].clock, trace::LaneClock::kGlobalTimer);
  EXPECT_EQ(decoded.profile.anchors[0].clock_before, 50000);
}

TEST(Lkp, SteadyLanesOfVeryManyWrapsStayInRange) {
  LkpFile file = typical_lkp();
  file.meta.timer_tick_ns = 1e6;
  file.anchors.clear();
  file.records.clear();
  file.regions.clear();
  // Every region ends before the one before it did: a wrap each, of 71 minutes.
  for (std::uint32_t i = 0; i < 5000; ++i) file.regions.push_back({5, 0xFFFF'FFF0 - i, 0, 0});
  file.lanes = {file.lanes[1]};
  file.lanes[0].flags |= profile::kSteadyClock;
  file.lanes[0].first_record = 0;
  file.lanes[0].seen = file.lanes[0].written = file.regions.size();
  file.lanes[0].anchors = 0;
  const std::string bytes = file.bytes();
  const Decoded decoded = read_bytes(bytes);
  trace::RecordScratch scratch;
  const auto records = decoded.profile.records_of(decoded.profile.lanes[0], scratch);
  ASSERT_EQ(records.size(), 5000U);
  EXPECT_EQ(records.back().ticks, std::int64_t{1} << 62);
  EXPECT_EQ(decoded.found(), "wrapped 4999");
}

TEST(Lkp, RatesThatCannotBeAreNotKnown) {
  for (const double wrong : {1e-310, 1e-7, 1e7, 1e300}) {
    LkpFile file = typical_lkp();
    file.meta.timer_tick_ns = file.meta.clock_ghz = wrong;
    const std::string bytes = file.bytes();
    const Decoded decoded = read_bytes(bytes);
    EXPECT_EQ(decoded.profile.timer_tick_ns, 0) << wrong;
    EXPECT_EQ(decoded.profile.clock_ghz, 0) << wrong;
  }
}

TEST(Lkp, WithoutAStepSteadyLanesAreTakenFor100Megahertz) {
  LkpFile file = typical_lkp();
  file.meta.timer_tick_ns = 0;
  file.lanes[0].flags |= profile::kSteadyClock;
  const Decoded decoded = read_file(file);
  EXPECT_EQ(decoded.found(), "tick_unknown 1");
  EXPECT_TRUE(decoded.lanes().starts_with("0/0: B0@51000"));
}

TEST(LkpMeta, EveryNameSurvives) {
  LkpMeta meta;
  meta.events = {"", "a\nb", "\"\\\"", "\xff", "\u00FC"};
  const std::string json = meta_json(meta);
  Diagnostics findings;
  const LkpMeta read = parse_lkp_meta(as_span(json), findings);
  EXPECT_EQ(read.events, (std::vector<std::string>{"", "a\nb", "\"\\\"", "\uFFFD", "\u00FC"}));
  EXPECT_EQ(words_of(findings), "");
}

TEST(LkpMeta, WhatTheCollectionLostBecomesFindings) {
  LkpFile file = typical_lkp();
  file.meta.losses = {
      .overwritten_launches = 5, .stale_lanes = 4, .lost_leaders = 3, .mixed_lanes = 2};
  EXPECT_EQ(read_file(file).found(),
            "lost_leaders 3, mixed_launches 2, overwritten_launches 5, stale_lanes 4");
  const std::string json = meta_json(file.meta);
  Diagnostics findings;
  EXPECT_EQ(parse_lkp_meta(as_span(json), findings).losses, file.meta.losses);
}

// Any lanes, with their own stretches of records and regions, in any order.
LkpFile any_file() {
  LkpFile file;
  file.meta.events.clear();
  const auto word = rc::gen::arbitrary<std::uint32_t>();
  const auto lanes = *rc::gen::inRange<std::uint32_t>(0, 6);
  file.launches.resize(1);
  file.launches[0].kernel = UINT32_MAX;
  for (std::uint32_t i = 0; i < lanes; ++i) {
    lkp::Lane lane{};
    lane.block = i;
    lane.group = *rc::gen::inRange<std::uint32_t>(0, 4);
    lane.flags = kDone;
    lane.written = lane.seen = *rc::gen::inRange<std::uint64_t>(0, 6);
    const bool has_regions = *rc::gen::arbitrary<bool>();
    lane.first_record = has_regions ? file.regions.size() : file.records.size();
    if (has_regions) lane.flags |= profile::kRegionRecords;
    std::uint32_t clock = 1000;
    for (std::uint64_t j = 0; j < lane.written; ++j) {
      clock += *rc::gen::inRange<std::uint32_t>(0, 1000);
      if (has_regions) {
        file.regions.push_back(
            {clock - *rc::gen::inRange<std::uint32_t>(0, 900), clock, *word & ~0xFFFFU, *word});
      } else {
        file.records.push_back({clock, *word});
      }
    }
    file.lanes.push_back(lane);
  }
  return file;
}

void check_lane(const lkp::Lane& raw, const LkpFile& file,
                std::span<const trace::KernelRecord> records) {
  RC_ASSERT(records.size() == raw.written);
  for (std::size_t i = 0; i < records.size(); ++i) {
    const trace::KernelRecord& record = records[i];
    if ((raw.flags & profile::kRegionRecords) != 0) {
      const lkp::Region& region = file.regions[raw.first_record + i];
      RC_ASSERT(record.type == trace::RecordType::kRegion && record.ticks == region.t0);
      RC_ASSERT(record.length == region.t1 - region.t0 && record.payload == region.payload);
      RC_ASSERT(record.event == (region.tag >> 16 & 0xFFF));
      continue;
    }
    const lkp::Record& marker = file.records[raw.first_record + i];
    RC_ASSERT(record.ticks == marker.clock && record.event == (marker.tag >> 16 & 0xFFF));
    RC_ASSERT(static_cast<std::uint32_t>(record.type) == marker.tag >> 30);
    RC_ASSERT(record.is_async == ((marker.tag >> 28 & 1) != 0));
    RC_ASSERT(record.has_payload == ((marker.tag >> 29 & 1) != 0));
    RC_ASSERT(record.payload == (marker.tag & (marker.tag >> 30 == 3 ? 0xFFF : 0xFFFF)));
  }
}

RC_GTEST_PROP(Lkp, AnyProfileIsReadAsItWasWritten, ()) {
  const LkpFile file = any_file();
  const std::string bytes = file.bytes();
  const Decoded decoded = read_bytes(bytes);
  RC_ASSERT(decoded.error.empty() && decoded.found().empty());
  RC_ASSERT(decoded.profile.lanes.size() == file.lanes.size());
  trace::RecordScratch scratch;
  for (std::size_t i = 0; i < file.lanes.size(); ++i) {
    const trace::KernelLane& lane = decoded.profile.lanes[i];
    RC_ASSERT(lane.block == file.lanes[i].block && lane.group == file.lanes[i].group);
    check_lane(file.lanes[i], file, decoded.profile.records_of(lane, scratch));
  }
}

}  // namespace
}  // namespace lockstep::formats::kernel_profile
