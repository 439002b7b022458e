// .lkp files: written and read back, cut, and with one wrong field each.
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "formats/kernel_profile/decoding_for_test.h"
#include "formats/kernel_profile/lkp_layout.h"
#include "formats/kernel_profile/lkp_reader.h"
#include "formats/kernel_profile/lkp_writer.h"
#include "lockstep/profile_layout.h"

namespace lockstep {
namespace {

using profile::make_tag;

// A file as vectors, so that tests can change it.
struct File {
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
    MemorySink sink;
    EXPECT_TRUE(write_lkp({meta, launches, lanes, anchors, records, regions}, sink).ok());
    return sink.bytes();
  }
};

constexpr std::uint32_t kDone = profile::kFinalized;

// One launch; block 0 with markers, block 1 with regions.
File typical() {
  File file;
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
  file.records = {{5100, make_tag(profile::kBegin, profile::kHasPayload, 0, 77)},
                  {5200, make_tag(profile::kSwitch, 0, 1, 0)},
                  {5300, make_tag(profile::kEnd, 0, 1, 0)},
                  {5400, make_tag(profile::kInstant, 0, 2, 0)},
                  {5500, make_tag(profile::kBegin, profile::kAsync, 2, 9)}};
  file.regions = {{6100, 6200, make_tag(0, profile::kHasPayload, 1, 0), 123456},
                  {6050, 6300, make_tag(0, 0, 0, 0), 0},
                  {6400, 6400, make_tag(profile::kInstant, 0, 2, profile::kEdgeAmongRegions), 0}};
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

const char* const kTypicalLanes =
    "0/0: B0@5100=77 S1@5200=0 E1@5300 I2@5400 ~B2@5500=9\n"
    "1/0: -1@6100+100=123456 -0@6050+250 I2@6400\n";

Decoded read(const std::string& bytes) { return decode_for_test(bytes, {}); }
Decoded read(const File& file) {
  static std::vector<std::unique_ptr<std::string>> kept;  // the profile sees the bytes
  kept.push_back(std::make_unique<std::string>(file.bytes()));
  return read(*kept.back());
}

TEST(Lkp, IsReadAsItWasWritten) {
  const Decoded decoded = read(typical());
  EXPECT_EQ(decoded.lanes(), kTypicalLanes);
  EXPECT_EQ(decoded.found(), "");
  const KernelProfile& profile = decoded.profile;
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
  const KernelLane& lane = profile.lanes[1];
  EXPECT_EQ(lane.sm, 18);
  EXPECT_EQ(lane.capacity, 63U);
  EXPECT_TRUE(lane.is_finalized);
  EXPECT_EQ(lane.clock, LaneClock::kCycles);
  ASSERT_EQ(profile.anchors_of(lane).size(), 2U);
  EXPECT_EQ(profile.anchors_of(lane)[1].timer_ns, 2016);
  EXPECT_EQ(profile.anchors_of(lane)[1].clock_after, 8004);
}

TEST(Lkp, AnEmptyProfileIsAFileToo) {
  File file;
  file.meta = {};
  const Decoded decoded = read(file);
  EXPECT_EQ(decoded.lanes(), "");
  EXPECT_EQ(decoded.found(), "");
}

TEST(Lkp, GivenNamesStandForThoseOfTheFile) {
  const std::string bytes = typical().bytes();
  const Decoded decoded = decode_for_test(bytes, {.names = {"a", "b"}});
  EXPECT_EQ(decoded.profile.event_name(1), "b");
  EXPECT_EQ(decoded.found(), "event_without_name 3");
}

TEST(Lkp, LanesComeOutByLaunchBlockAndGroup) {
  File file = typical();
  std::swap(file.lanes[0], file.lanes[1]);
  EXPECT_EQ(read(file).lanes(), kTypicalLanes);
}

TEST(Lkp, SectionsStandAtMultiplesOf64AndTheFileSaysItsSize) {
  const std::string bytes = typical().bytes();
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

TEST(Lkp, ACutAnywhereIsSafe) {
  const std::string bytes = typical().bytes();
  expect_all_cuts_are_safe(bytes, {.format = KernelFormat::kLkp});
  EXPECT_EQ(read(bytes.substr(0, 63)).error, "the file ends inside its header (63 of 64 bytes)");
  // The last region is gone.
  const std::string cut = bytes.substr(0, bytes.size() - 1);
  const Decoded decoded = read(cut);
  EXPECT_EQ(decoded.lanes(),
            "0/0: B0@5100=77 S1@5200=0 E1@5300 I2@5400 ~B2@5500=9\n"
            "1/0: -1@6100+100=123456 -0@6050+250\n");
  EXPECT_EQ(decoded.found(), "truncated 2, bad_lane 1");
}

TEST(Lkp, BytesBehindTheEndAreIgnoredAndReported) {
  const std::string bytes = typical().bytes() + "garbage";
  const Decoded decoded = read(bytes);
  EXPECT_EQ(decoded.lanes(), kTypicalLanes);
  EXPECT_EQ(decoded.found(), "bytes_after_profile 7");
}

// The typical file with some bytes changed.
class Patched {
 public:
  Patched() : bytes_(typical().bytes()) {}
  template <typename Value>
  Patched& at(std::size_t offset, Value value) {
    std::memcpy(bytes_.data() + offset, &value, sizeof(value));
    return *this;
  }
  // A member of the entry of a section.
  template <typename Value>
  Patched& section(lkp::SectionKind kind, std::size_t member, Value value) {
    return at(
        sizeof(lkp::Header) + (static_cast<std::size_t>(kind) - 1) * sizeof(lkp::Section) + member,
        value);
  }
  [[nodiscard]] Decoded read() const { return decode_for_test(bytes_, {}); }

 private:
  std::string bytes_;
};

TEST(Lkp, AnotherVersionIsRefused) {
  EXPECT_EQ(
      Patched().at(offsetof(lkp::Header, version), 2U).read().error,
      "version 2 of .lkp is not known. This lockstep reads version 1; a newer one may read it");
}

TEST(Lkp, AHeaderThatIsTooShortIsRefused) {
  EXPECT_EQ(Patched().at(offsetof(lkp::Header, header_bytes), 8U).read().error,
            "a header of 8 bytes is too short");
}

TEST(Lkp, AHeaderBehindTheEndLeavesNoSections) {
  const Decoded decoded = Patched().at(offsetof(lkp::Header, header_bytes), UINT32_MAX).read();
  EXPECT_EQ(decoded.lanes(), "");
  EXPECT_EQ(decoded.found(), "truncated 1");
}

TEST(Lkp, AnUnknownSectionIsSkipped) {
  const Decoded decoded =
      Patched().section(lkp::SectionKind::kRegion, offsetof(lkp::Section, kind), 99U).read();
  EXPECT_EQ(decoded.found(), "unknown_section 1, bad_lane 1");
}

TEST(Lkp, ImpossibleSectionsAreNotRead) {
  constexpr auto kRecord = lkp::SectionKind::kRecord;
  for (const auto& [patched, why] : std::vector<std::pair<Patched, std::string>>{
           {Patched().section(kRecord, offsetof(lkp::Section, item_bytes), 7U),
            "section 5 has items of 7 bytes, 8 are needed"},
           {Patched().section(kRecord, offsetof(lkp::Section, item_bytes), 0U),
            "section 5 has items of 0 bytes, 8 are needed"},
           {Patched().section(kRecord, offsetof(lkp::Section, offset), std::uint64_t{704 + 8}),
            "section 5 begins at byte 712, no multiple of 64"},
           {Patched().section(kRecord, offsetof(lkp::Section, offset), std::uint64_t{0}),
            "section 5 lies in the header"},
           {Patched().section(kRecord, offsetof(lkp::Section, kind), 4U),
            "section 4 has items of 8 bytes, 24 are needed"},
           {Patched()
                .section(kRecord, offsetof(lkp::Section, kind), 4U)
                .section(kRecord, offsetof(lkp::Section, item_bytes), 24U),
            "section 4 is there twice"},
           {Patched().section(lkp::SectionKind::kMeta, offsetof(lkp::Section, item_bytes), 2U),
            "section 1 is text, and has items of more than one byte"}}) {
    const Decoded decoded = patched.read();
    ASSERT_FALSE(decoded.findings.entries().empty()) << why;
    EXPECT_EQ(decoded.findings.entries()[0].kind->name, "bad_section");
    EXPECT_EQ(decoded.findings.entries()[0].example, why);
  }
}

TEST(Lkp, HugeNumbersInTheSectionTableAreCutToTheFile) {
  for (const std::uint64_t huge : {UINT64_MAX, UINT64_MAX / 8, std::uint64_t{1} << 40}) {
    const Decoded decoded =
        Patched().section(lkp::SectionKind::kRecord, offsetof(lkp::Section, items), huge).read();
    EXPECT_EQ(decoded.findings.entries()[0].kind->name, "truncated");
    EXPECT_EQ(decoded.lanes(), kTypicalLanes);
  }
  const std::uint64_t far = UINT64_MAX / 64 * 64;
  const Decoded decoded =
      Patched().section(lkp::SectionKind::kRecord, offsetof(lkp::Section, offset), far).read();
  EXPECT_EQ(decoded.found(), "truncated 1, bad_lane 1");
}

TEST(Lkp, ATableOfVeryManySectionsIsLookedAtInPart) {
  std::string bytes = typical().bytes();
  bytes.resize(300'000);
  const std::uint32_t many = UINT32_MAX;
  std::memcpy(bytes.data() + offsetof(lkp::Header, sections), &many, sizeof(many));
  const Decoded decoded = read(bytes);
  EXPECT_EQ(decoded.error, "");
  EXPECT_EQ(decoded.lanes(), kTypicalLanes);
}

TEST(Lkp, ItemsMayBeLongerThanKnown) {
  const File file = typical();
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
  const Decoded decoded = read(bytes);
  EXPECT_EQ(decoded.lanes(), kTypicalLanes);
  EXPECT_EQ(decoded.found(), "");
}

TEST(Lkp, MetaThatIsNoJsonIsReportedAndTheRestRead) {
  std::string bytes = typical().bytes();
  bytes[256] = 'x';
  const Decoded decoded = read(bytes);
  EXPECT_EQ(decoded.found(), "bad_meta 1");
  EXPECT_EQ(decoded.lanes(), kTypicalLanes);
  EXPECT_EQ(decoded.profile.event_name(0), "event 0");
}

TEST(Lkp, LanesThatClaimTheRecordsOfOthersGetNone) {
  File file = typical();
  file.lanes[0].flags |= profile::kRegionRecords;  // both claim regions 0 to 2
  file.lanes[0].written = file.lanes[0].seen = 3;
  const Decoded decoded = read(file);
  EXPECT_EQ(decoded.profile.lanes[0].written, 3U);
  EXPECT_EQ(decoded.profile.lanes[1].written, 0U);
  EXPECT_EQ(decoded.found(), "bad_lane 1");
}

TEST(Lkp, LanesThatClaimMoreThanThereIsGetWhatIsThere) {
  for (const std::uint64_t first : {std::uint64_t{4}, std::uint64_t{5}, UINT64_MAX}) {
    File file = typical();
    file.lanes[0].first_record = first;
    file.lanes[0].seen = file.lanes[0].written = UINT64_MAX - 1;
    const Decoded decoded = read(file);
    EXPECT_EQ(decoded.profile.lanes[0].written, first == 4 ? 1U : 0U);
    EXPECT_EQ(decoded.found(), "bad_lane 1");
  }
}

TEST(Lkp, ALaneOfNoLaunchIsDropped) {
  File file = typical();
  file.lanes[1].launch = 8;
  const Decoded decoded = read(file);
  EXPECT_EQ(decoded.profile.lanes.size(), 1U);
  EXPECT_EQ(decoded.found(), "bad_lane 1");
}

TEST(Lkp, LaunchesAreFoundByTheirId) {
  File file = typical();
  file.launches[0].id = 44;
  file.lanes[0].launch = file.lanes[1].launch = 44;
  EXPECT_EQ(read(file).lanes(), kTypicalLanes);
}

TEST(Lkp, DropsMigrationMissingEndsAndTwinsAreFindings) {
  File file = typical();
  file.lanes[0].seen = 9;
  file.lanes[0].sm_end = 3;
  file.lanes[1].flags &= ~kDone;
  file.lanes[1].block = 0;
  const Decoded decoded = read(file);
  EXPECT_EQ(decoded.found(), "dropped 4, migrated 1, not_finalized 1, duplicate_lane 1");
  EXPECT_EQ(decoded.findings.entries()[1].example,
            "launch 0, block 0, group 0, from SM 17 to SM 3");
}

TEST(Lkp, AnUnknownMultiprocessorIsNoMigration) {
  File file = typical();
  file.lanes[0].sm_end = profile::kNoSm;
  const Decoded decoded = read(file);
  EXPECT_EQ(decoded.found(), "");
  EXPECT_EQ(decoded.profile.lanes[0].sm_end, -1);
}

TEST(Lkp, AnchorsThatCannotBeAreLeftOut) {
  File file = typical();
  file.anchors[1].clock_after = 0;               // ends before it begins
  file.anchors[2].timer = UINT64_MAX;            // out of range
  file.anchors[3].clock_after = UINT64_MAX / 2;  // out of range
  const Decoded decoded = read(file);
  EXPECT_EQ(decoded.found(), "bad_anchor 3");
  EXPECT_EQ(decoded.profile.anchors_of(decoded.profile.lanes[0]).size(), 1U);
  EXPECT_EQ(decoded.profile.anchors_of(decoded.profile.lanes[1]).size(), 0U);
}

TEST(Lkp, ClocksOutsideTheAnchorsAreCounted) {
  File file = typical();
  file.records[0].clock = 4000;
  file.records[4].clock = 9005;
  EXPECT_EQ(read(file).found(), "clock_outside_anchors 2");
}

TEST(Lkp, WrapsAreUndoneAndReported) {
  File file = typical();
  file.anchors[0] = {1000, 0x5'FFFF'F000, 0x5'FFFF'F004};
  file.anchors[1] = {2000, 0x6'0000'3000, 0x6'0000'3004};
  file.records[0].clock = 0xFFFF'F010;
  for (std::uint32_t i = 1; i < 5; ++i) file.records[i].clock = 0x10 * i;
  const Decoded decoded = read(file);
  EXPECT_EQ(decoded.found(), "wrapped 1");
  std::vector<KernelRecord> scratch;
  const auto records = decoded.profile.records_of(decoded.profile.lanes[0], scratch);
  EXPECT_EQ(records[0].ticks, 0x5'FFFF'F010);
  EXPECT_EQ(records[4].ticks, 0x6'0000'0040);
}

TEST(Lkp, WrapsThatNoRecordShowsAreAmbiguous) {
  File file = typical();
  file.anchors[1] = {90'000'000'000, 0x3'0000'9000, 0x3'0000'9004};
  EXPECT_EQ(read(file).found(), "wrap_ambiguous 1");
}

TEST(Lkp, ARegionAcrossAWrapKeepsItsLength) {
  File file = typical();
  file.lanes[1].anchors = 0;
  file.regions[0] = {0xFFFF'FF00, 0x100, make_tag(0, 0, 1, 0), 0};
  file.regions[1] = {0x50, 0x110, make_tag(0, 0, 0, 0), 0};
  const Decoded decoded = read(file);
  std::vector<KernelRecord> scratch;
  const auto records = decoded.profile.records_of(decoded.profile.lanes[1], scratch);
  EXPECT_EQ(records[0].length, 0x200U);
  EXPECT_EQ(records[0].ticks, records[1].ticks - 0x150);
}

TEST(Lkp, ALoneRegionLongerThanAWrapBecomesABeginAndAnEnd) {
  File file = typical();
  file.lanes[1].written = file.lanes[1].seen = 1;
  file.anchors[3] = {9'000'000'000, 0x2'0000'1800, 0x2'0000'1804};
  file.regions = {{6100, 6200, make_tag(0, profile::kHasPayload, 1, 0), 5}};
  const Decoded decoded = read(file);
  EXPECT_TRUE(decoded.lanes().ends_with("1/0: B1@6100=5 E1@4294973496=5\n")) << decoded.lanes();
  EXPECT_EQ(decoded.found(), "wrapped 1");
}

TEST(Lkp, SteadyLanesComeOutInNanoseconds) {
  File file = typical();
  file.meta.timer_tick_ns = 10;
  file.lanes[0].flags |= profile::kSteadyClock;
  file.lanes[1].flags |= profile::kSteadyClock;
  const Decoded decoded = read(file);
  EXPECT_EQ(decoded.lanes(),
            "0/0: B0@51000=77 S1@52000=0 E1@53000 I2@54000 ~B2@55000=9\n"
            "1/0: -1@61000+1000=123456 -0@60500+2500 I2@64000\n");
  EXPECT_EQ(decoded.found(), "");
  EXPECT_EQ(decoded.profile.lanes[0].clock, LaneClock::kGlobalTimer);
  EXPECT_EQ(decoded.profile.anchors[0].clock_before, 50000);
}

TEST(Lkp, WithoutAStepSteadyLanesAreTakenFor100Megahertz) {
  File file = typical();
  file.meta.timer_tick_ns = 0;
  file.lanes[0].flags |= profile::kSteadyClock;
  const Decoded decoded = read(file);
  EXPECT_EQ(decoded.found(), "tick_unknown 1");
  EXPECT_TRUE(decoded.lanes().starts_with("0/0: B0@51000"));
}

TEST(LkpMeta, EveryNameSurvives) {
  LkpMeta meta;
  meta.events = {"", "a\nb", "\"\\\"", "\xff", "ü"};
  const std::string json = meta_json(meta);
  Diagnostics findings;
  const LkpMeta read = parse_lkp_meta(as_span(json), findings);
  EXPECT_EQ(read.events, (std::vector<std::string>{"", "a\nb", "\"\\\"", "\uFFFD", "ü"}));
  EXPECT_EQ(words_of(findings), "");
}

// Any lanes, with their own stretches of records and regions, in any order.
File any_file() {
  File file;
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

void check_lane(const lkp::Lane& raw, const File& file, std::span<const KernelRecord> records) {
  RC_ASSERT(records.size() == raw.written);
  for (std::size_t i = 0; i < records.size(); ++i) {
    const KernelRecord& record = records[i];
    if ((raw.flags & profile::kRegionRecords) != 0) {
      const lkp::Region& region = file.regions[raw.first_record + i];
      RC_ASSERT(record.type == RecordType::kRegion && record.ticks == region.t0);
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
  const File file = any_file();
  const std::string bytes = file.bytes();
  const Decoded decoded = read(bytes);
  RC_ASSERT(decoded.error.empty() && decoded.found().empty());
  RC_ASSERT(decoded.profile.lanes.size() == file.lanes.size());
  std::vector<KernelRecord> scratch;
  for (std::size_t i = 0; i < file.lanes.size(); ++i) {
    const KernelLane& lane = decoded.profile.lanes[i];
    RC_ASSERT(lane.block == file.lanes[i].block && lane.group == file.lanes[i].group);
    check_lane(file.lanes[i], file, decoded.profile.records_of(lane, scratch));
  }
}

RC_GTEST_PROP(Lkp, AnyByteMayBeWrong, ()) {
  std::string bytes = typical().bytes();
  const auto changes = *rc::gen::inRange(1, 5);
  for (int i = 0; i < changes; ++i) {
    bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = *rc::gen::arbitrary<char>();
  }
  const Decoded decoded = read(bytes);
  (void)decoded.lanes();
}

}  // namespace
}  // namespace lockstep
