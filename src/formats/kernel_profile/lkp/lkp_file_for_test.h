// A .lkp file as vectors, for tests that change it, and what the typical one holds.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "formats/kernel_profile/decoding_for_test.h"
#include "formats/kernel_profile/lkp/lkp_layout.h"
#include "formats/kernel_profile/lkp/lkp_writer.h"
#include "io/byte_sink.h"
#include "lockstep/profile_layout.h"

namespace lockstep::formats::kernel_profile {

struct LkpFile {
  LkpMeta meta{.producer = "test",
               .device = "H200",
               .arch = "sm_90",
               .timer_tick_ns = 32,
               .clock_ghz = 1.98,
               .events = {"load", "mma \"x\"", "store"},
               .kernels = {"gemm"}};
  std::vector<lkp::Launch> launches;
  std::vector<lkp::Lane> lanes;
  std::vector<lkp::Anchor> anchors;
  std::vector<lkp::Record> records;
  std::vector<lkp::Region> regions;

  [[nodiscard]] std::string bytes() const {
    io::MemorySink sink;
    EXPECT_TRUE(write_lkp({meta, launches, lanes, anchors, records, regions}, sink).ok());
    return sink.bytes();
  }
};

inline constexpr std::uint32_t kDone = profile::kFinalized;

// One launch; block 0 with markers, block 1 with regions.
inline LkpFile typical_lkp() {
  LkpFile file;
  file.launches = {{.id = 0,
                    .channel = 2,
                    .number = 5,
                    .kernel = 0,
                    .groups = 1,
                    .grid = {2, 1, 1},
                    .threads = {128, 1, 1},
                    .cluster = {0, 0, 0},
                    .flags = 0,
                    .lanes_expected = 2}};
  file.anchors = {{1000, 5000, 5010}, {2000, 9000, 9004}, {1032, 6000, 6006}, {2016, 8000, 8004}};
  file.records = {{5100, profile::make_tag(profile::kBegin, profile::kHasPayload, 0, 77)},
                  {5200, profile::make_tag(profile::kSwitch, 0, 1, 0)},
                  {5300, profile::make_tag(profile::kEnd, 0, 1, 0)},
                  {5400, profile::make_tag(profile::kInstant, 0, 2, 0)},
                  {5500, profile::make_tag(profile::kBegin, profile::kAsync, 2, 9)}};
  file.regions = {
      {6100, 6200, profile::make_tag(0, profile::kHasPayload, 1, 0), 123456},
      {6050, 6300, profile::make_tag(0, 0, 0, 0), 0},
      {6400, 6400, profile::make_tag(profile::kInstant, 0, 2, profile::kEdgeAmongRegions), 0}};
  lkp::Lane lane{};
  lane.sm_begin = lane.sm_end = 17;
  lane.flags = kDone;
  lane.seen = lane.written = 5;
  lane.capacity = 63;
  lane.anchors = 2;
  file.lanes.push_back(lane);
  lane.lane = 1;
  lane.block = 1;
  lane.sm_begin = lane.sm_end = 18;
  lane.flags = kDone | profile::kRegionRecords;
  lane.seen = lane.written = 3;
  lane.first_anchor = 2;
  file.lanes.push_back(lane);
  return file;
}

inline const char* const kTypicalLanes =
    "0/0: B0@5100=77 S1@5200=0 E1@5300 I2@5400 ~B2@5500=9\n"
    "1/0: -1@6100+100=123456 -0@6050+250 I2@6400\n";

inline Decoded read_bytes(const std::string& bytes) { return decode_for_test(bytes, {}); }
inline Decoded read_file(const LkpFile& file) {
  static std::vector<std::unique_ptr<std::string>> kept;  // the profile sees the bytes
  kept.push_back(std::make_unique<std::string>(file.bytes()));
  return read_bytes(*kept.back());
}

}  // namespace lockstep::formats::kernel_profile
