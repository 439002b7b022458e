// .lkp files on disk: read in pieces, shrinking and growing while they are read.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "formats/kernel_profile/kernel_findings.h"
#include "formats/kernel_profile/lkp/lkp_file_for_test.h"

namespace lockstep::formats::kernel_profile {
namespace {

class LkpOnDisk : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  Result<trace::KernelProfile> read(const std::string& bytes,
                                    RecordChecks checks = RecordChecks::kNow) {
    std::ofstream(path_, std::ios::binary) << bytes;
    return read_kernel_profile(path_, {.checks = checks}, findings_);
  }

  std::string path_ = testing::TempDir() + "lkp_on_disk_" + std::to_string(::getpid()) + ".lkp";
  Diagnostics findings_;
};

// Lanes from one record to more than is read at a time, in another order than their records, with
// near anchors and without any, of records and of regions.
LkpFile lanes_of_all_sizes() {
  LkpFile file = typical_lkp();
  file.lanes.clear();
  file.records.clear();
  file.regions.clear();
  file.anchors = {{1000, 100, 110}, {900'000'000, 1'000'000'000, 1'000'000'010}};
  const std::vector<std::uint32_t> sizes = {1, 20'000, 3, 500, 8'192, 2, 8'193, 100, 30'000, 7};
  for (std::uint32_t i = 0; i < sizes.size(); ++i) {
    const bool has_regions = i % 3 == 2;
    lkp::Lane lane{};
    lane.lane = i;
    lane.block = (i * 7) % sizes.size();
    lane.flags = kDone | (has_regions ? std::uint32_t{profile::kRegionRecords} : 0U);
    lane.first_record = has_regions ? file.regions.size() : file.records.size();
    lane.seen = lane.written = sizes[i];
    lane.anchors = i == 0 ? 2 : 0;
    for (std::uint32_t k = 0; k < sizes[i]; ++k) {
      const std::uint32_t clock = 200 + i + 10 * k;
      if (has_regions) {
        file.regions.push_back({clock, clock + 5, profile::make_tag(0, 0, k % 5, 0), 0});
      } else {
        file.records.push_back(
            {clock, profile::make_tag(k % 2 == 0 ? profile::kBegin : profile::kEnd, 0, k % 5, 0)});
      }
    }
    file.lanes.push_back(lane);
  }
  // Two long ones with anchors of their own: these are read in pieces.
  for (const std::size_t i : {1U, 8U}) {
    file.lanes[i].first_anchor = file.anchors.size();
    file.lanes[i].anchors = 2;
    file.anchors.push_back({1000, 100, 110});
    file.anchors.push_back({900'000, 250'000, 250'010});
  }
  return file;
}

TEST_F(LkpOnDisk, IsReadAsInMemory) {
  const std::string bytes = lanes_of_all_sizes().bytes();
  const Decoded decoded = read_bytes(bytes);
  const auto profile = read(bytes);
  ASSERT_TRUE(profile.ok());
  EXPECT_EQ(words_of(profile.value()), decoded.lanes());
  EXPECT_EQ(words_of(findings_), decoded.found());
  EXPECT_EQ(words_of(findings_), "event_without_name 26794, clock_outside_anchors 5020");
}

TEST_F(LkpOnDisk, ChecksOnReadingFindTheSame) {
  const std::string bytes = lanes_of_all_sizes().bytes();
  const auto profile = read(bytes, RecordChecks::kWhenRead);
  ASSERT_TRUE(profile.ok());
  EXPECT_EQ(words_of(findings_), "");
  const Decoded decoded = read_bytes(bytes);
  EXPECT_EQ(words_of(profile.value()), decoded.lanes());
  profile.value().records->report(profile.value(), findings_);
  EXPECT_EQ(words_of(findings_), decoded.found());
  for (std::size_t i = 0; i < findings_.entries().size(); ++i) {
    EXPECT_EQ(findings_.entries()[i].text(), decoded.findings.entries()[i].text());
  }
}

TEST_F(LkpOnDisk, ThatBecomesShorterIsAnErrorOfItsRecords) {
  const std::string bytes = lanes_of_all_sizes().bytes();
  const auto profile = read(bytes, RecordChecks::kWhenRead);
  ASSERT_TRUE(profile.ok());
  EXPECT_TRUE(profile.value().records->status().ok());
  std::filesystem::resize_file(path_, bytes.size() / 2);
  trace::RecordScratch scratch;
  for (const trace::KernelLane& lane : profile.value().lanes) {
    EXPECT_EQ(profile.value().records_of(lane, scratch).size(), lane.written);
  }
  EXPECT_EQ(profile.value().records->status().error().text(),
            path_ + ": became shorter while it was read. Read it again when nothing writes to it");
}

TEST_F(LkpOnDisk, ThatGrowsIsWhatItWas) {
  const std::string bytes = lanes_of_all_sizes().bytes();
  const auto profile = read(bytes, RecordChecks::kWhenRead);
  ASSERT_TRUE(profile.ok());
  std::ofstream(path_, std::ios::binary | std::ios::app) << bytes;
  EXPECT_EQ(words_of(profile.value()), read_bytes(bytes).lanes());
  EXPECT_TRUE(profile.value().records->status().ok());
}

}  // namespace
}  // namespace lockstep::formats::kernel_profile
