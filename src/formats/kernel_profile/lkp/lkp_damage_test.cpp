// .lkp files that are cut, or have a wrong field.
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "formats/kernel_profile/decoding_for_test.h"
#include "formats/kernel_profile/lkp/lkp_file_for_test.h"
#include "formats/kernel_profile/lkp/lkp_layout.h"
#include "lockstep/profile_layout.h"

namespace lockstep::formats::kernel_profile {
namespace {

using testing::HasSubstr;

TEST(Lkp, ACutAnywhereIsSafe) {
  const std::string bytes = typical_lkp().bytes();
  expect_all_cuts_are_safe(bytes, {.format = KernelFormat::kLkp});
  EXPECT_EQ(read_bytes(bytes.substr(0, 63)).error,
            "the file ends inside its header (63 of 64 bytes)");
  // The last region is gone.
  const std::string cut = bytes.substr(0, bytes.size() - 1);
  const Decoded decoded = read_bytes(cut);
  EXPECT_EQ(decoded.lanes(),
            "0/0: B0@5100=77 S1@5200=0 E1@5300 I2@5400 ~B2@5500=9\n"
            "1/0: -1@6100+100=123456 -0@6050+250\n");
  EXPECT_EQ(decoded.found(), "truncated 2, bad_lane 1");
}

TEST(Lkp, BytesBehindTheEndAreIgnoredAndReported) {
  const std::string bytes = typical_lkp().bytes() + "garbage";
  const Decoded decoded = read_bytes(bytes);
  EXPECT_EQ(decoded.lanes(), kTypicalLanes);
  EXPECT_EQ(decoded.found(), "bytes_after_profile 7");
}

// The typical file with some bytes changed.
class Patched {
 public:
  Patched() : bytes_(typical_lkp().bytes()) {}
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

// Zeroes in place of what was recorded, as storage that lost a page leaves them.
TEST(Lkp, ZeroedHeadersAndEntriesAreLosses) {
  EXPECT_EQ(Patched().at(offsetof(lkp::Header, sections), 0U).read().found(), "bad_section 1");
  EXPECT_EQ(Patched().at(offsetof(lkp::Header, file_bytes), std::uint64_t{0}).read().found(),
            "bad_section 1");
  const Decoded without_meta =
      Patched().section(lkp::SectionKind::kMeta, offsetof(lkp::Section, kind), 0U).read();
  ASSERT_EQ(without_meta.found(), "bad_section 1");
  EXPECT_EQ(without_meta.findings.entries()[0].example, "section 0 is none");
}

TEST(Lkp, RecordsOfNoLaneAreALoss) {
  LkpFile file = typical_lkp();
  file.lanes[0].seen = file.lanes[0].written = 0;
  const Decoded decoded = read_file(file);
  EXPECT_EQ(decoded.found(), "unclaimed_records 5");
  EXPECT_EQ(decoded.findings.entries()[0].example, "5 of 5 records");
  file = typical_lkp();
  file.lanes[1].written = file.lanes[1].seen = 1;
  EXPECT_EQ(read_file(file).found(), "unclaimed_records 2");
}

TEST(Lkp, AnUnknownSectionIsSkipped) {
  const Decoded decoded =
      Patched().section(lkp::SectionKind::kRegion, offsetof(lkp::Section, kind), 99U).read();
  EXPECT_EQ(decoded.found(), "unknown_section 1, bad_lane 1");
}

TEST(Lkp, AnUnknownSectionInThePlaceOfAKnownOneIsALoss) {
  using enum lkp::SectionKind;
  for (const auto kind : {kMeta, kLaunch, kLane}) {
    const Decoded decoded = Patched().section(kind, offsetof(lkp::Section, kind), 99U).read();
    EXPECT_THAT(decoded.found(), HasSubstr("bad_section 1")) << static_cast<int>(kind);
  }
}

TEST(Lkp, AnUnknownSectionThatCannotBeOneIsALoss) {
  using enum lkp::SectionKind;
  const auto patched = [](std::size_t field, std::uint32_t value) {
    return Patched()
        .section(kRegion, field, value)
        .section(kRegion, offsetof(lkp::Section, kind), 99U)
        .read()
        .found();
  };
  EXPECT_THAT(patched(offsetof(lkp::Section, item_bytes), 0), HasSubstr("bad_section 1"));
  EXPECT_THAT(patched(offsetof(lkp::Section, offset), 65), HasSubstr("bad_section 1"));
  EXPECT_THAT(patched(offsetof(lkp::Section, offset), 1 << 30), HasSubstr("truncated 1"));
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
  std::string bytes = typical_lkp().bytes();
  bytes.resize(300'000);
  const std::uint32_t many = UINT32_MAX;
  std::memcpy(bytes.data() + offsetof(lkp::Header, sections), &many, sizeof(many));
  const Decoded decoded = read_bytes(bytes);
  EXPECT_EQ(decoded.error, "");
  EXPECT_EQ(decoded.lanes(), kTypicalLanes);
}

TEST(Lkp, MetaThatIsNoJsonIsReportedAndTheRestRead) {
  std::string bytes = typical_lkp().bytes();
  bytes[256] = 'x';
  const Decoded decoded = read_bytes(bytes);
  EXPECT_EQ(decoded.found(), "bad_meta 1");
  EXPECT_EQ(decoded.lanes(), kTypicalLanes);
  EXPECT_EQ(decoded.profile.event_name(0), "event 0");
}

TEST(Lkp, NamesWithoutEndAreCut) {
  LkpFile file = typical_lkp();
  file.meta.events.assign(100'000, "x");
  file.meta.events[1] = std::string(65'535, 'y') + "\u00E9z";  // the cut would halve a character
  file.meta.producer = std::string(1'000'000, 'p');
  const std::string bytes = file.bytes();
  const Decoded decoded = read_bytes(bytes);
  EXPECT_EQ(decoded.profile.event_names.size(), trace::kMaxKernelEvents);
  EXPECT_EQ(decoded.profile.event_names[1], std::string(65'535, 'y'));
  EXPECT_EQ(decoded.profile.producer.size(), 65'536U);
}

TEST(Lkp, LanesThatClaimTheRecordsOfOthersGetNone) {
  LkpFile file = typical_lkp();
  file.lanes[0].flags |= profile::kRegionRecords;  // both claim regions 0 to 2
  file.lanes[0].written = file.lanes[0].seen = 3;
  const Decoded decoded = read_file(file);
  EXPECT_EQ(decoded.profile.lanes[0].written, 3U);
  EXPECT_EQ(decoded.profile.lanes[1].written, 0U);
  EXPECT_EQ(decoded.found(), "bad_lane 1");
}

TEST(Lkp, LanesThatClaimMoreThanThereIsGetWhatIsThere) {
  for (const std::uint64_t first : {std::uint64_t{4}, std::uint64_t{5}, UINT64_MAX}) {
    LkpFile file = typical_lkp();
    file.lanes[0].first_record = first;
    file.lanes[0].seen = file.lanes[0].written = UINT64_MAX - 1;
    const Decoded decoded = read_file(file);
    EXPECT_EQ(decoded.profile.lanes[0].written, first == 4 ? 1U : 0U);
    EXPECT_EQ(decoded.found(), "bad_lane 1");
  }
}

// Of a lane that was not finished the device never wrote what it saw.
TEST(Lkp, ALaneThatSawLessThanItWroteIsBadOnceItIsFinished) {
  LkpFile file = typical_lkp();
  file.lanes[0].seen = file.lanes[0].written - 1;
  file.lanes[0].flags |= profile::kFinalized;
  const Decoded finished = read_file(file);
  EXPECT_EQ(finished.found(), "bad_lane 1");
  EXPECT_EQ(finished.findings.entries()[0].example,
            "lane entry 0 has 5 records and says that it saw 4");
  EXPECT_EQ(finished.lanes(), kTypicalLanes) << "what is there is read";
  file.lanes[0].flags &= ~profile::kFinalized;
  EXPECT_EQ(read_file(file).found().find("bad_lane"), std::string::npos);
}

TEST(Lkp, ALaneOfNoLaunchIsDropped) {
  LkpFile file = typical_lkp();
  file.lanes[1].launch = 8;
  const Decoded decoded = read_file(file);
  EXPECT_EQ(decoded.profile.lanes.size(), 1U);
  EXPECT_EQ(decoded.found(), "bad_lane 1");
}

TEST(Lkp, AnchorsThatCannotBeAreLeftOut) {
  LkpFile file = typical_lkp();
  file.anchors[1].clock_after = 0;               // ends before it begins
  file.anchors[2].timer = UINT64_MAX;            // out of range
  file.anchors[3].clock_after = UINT64_MAX / 2;  // out of range
  const Decoded decoded = read_file(file);
  EXPECT_EQ(decoded.found(), "bad_anchor 3");
  EXPECT_EQ(decoded.profile.anchors_of(decoded.profile.lanes[0]).size(), 1U);
  EXPECT_EQ(decoded.profile.anchors_of(decoded.profile.lanes[1]).size(), 0U);
}

RC_GTEST_PROP(Lkp, WrongBytesMakeNoRecordsOutOfProportion, ()) {
  std::string bytes = typical_lkp().bytes();
  const auto changes = *rc::gen::inRange(1, 5);
  for (int i = 0; i < changes; ++i) {
    bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = *rc::gen::arbitrary<char>();
  }
  const Decoded decoded = read_bytes(bytes);
  RC_ASSERT(decoded.error.empty() || decoded.profile.lanes.empty());
  RC_ASSERT(records_in(decoded.profile) * sizeof(lkp::Record) <= bytes.size());
}

}  // namespace
}  // namespace lockstep::formats::kernel_profile
