// The tables of docs/formats/lkp.md and in-kernel.md against the structs and kinds in the code.
#include <array>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "formats/kernel_profile/kernel_findings.h"
#include "formats/kernel_profile/lkp/lkp_layout.h"
#include "lockstep/profile_layout.h"

namespace lockstep::formats::kernel_profile {
namespace {

std::string page(const std::string& name) {
  std::ifstream file(std::string(LOCKSTEP_SOURCE_DIR) + "/docs/formats/" + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Rows of the table behind a mark, each "offset bytes name".
std::string rows_behind(const std::string& text, const std::string& mark) {
  std::string rows;
  std::size_t at = text.find(mark);
  at = text.find("|---|---|---|---|\n", at == std::string::npos ? 0 : at);
  if (at == std::string::npos) return rows;
  for (at = text.find('\n', at) + 1; at < text.size() && text[at] == '|';
       at = text.find('\n', at) + 1) {
    unsigned offset = 0;
    unsigned bytes = 0;
    std::array<char, 40> name{};
    if (std::sscanf(text.c_str() + at, "| %u | %u | `%39[^`]`", &offset, &bytes, name.data()) ==
        3) {
      rows += fmt::format("{} {} {}\n", offset, bytes, name.data());
    }
  }
  return rows;
}

#define ROW(Struct, member) \
  fmt::format("{} {} {}\n", offsetof(lkp::Struct, member), sizeof(lkp::Struct::member), #member)

TEST(LkpPage, OffsetsAreThoseOfTheStructs) {
  const std::string text = page("lkp.md");
  EXPECT_EQ(rows_behind(text, "layout: Header"),
            ROW(Header, magic) + ROW(Header, version) + ROW(Header, header_bytes) +
                ROW(Header, file_bytes) + ROW(Header, sections) + ROW(Header, zeros));
  EXPECT_EQ(rows_behind(text, "layout: Section"), ROW(Section, kind) + ROW(Section, item_bytes) +
                                                      ROW(Section, offset) + ROW(Section, items));
  EXPECT_EQ(rows_behind(text, "layout: Launch"),
            ROW(Launch, id) + ROW(Launch, channel) + ROW(Launch, number) + ROW(Launch, kernel) +
                ROW(Launch, groups) + ROW(Launch, grid) + ROW(Launch, threads) +
                ROW(Launch, cluster) + ROW(Launch, flags) + ROW(Launch, lanes_expected));
  EXPECT_EQ(rows_behind(text, "layout: Lane"),
            ROW(Lane, launch) + ROW(Lane, lane) + ROW(Lane, block) + ROW(Lane, group) +
                ROW(Lane, sm_begin) + ROW(Lane, sm_end) + ROW(Lane, cluster_rank) +
                ROW(Lane, leader_thread) + ROW(Lane, flags) + ROW(Lane, first_record) +
                ROW(Lane, seen) + ROW(Lane, written) + ROW(Lane, capacity) +
                ROW(Lane, first_anchor) + ROW(Lane, anchors) + ROW(Lane, zero));
  EXPECT_EQ(rows_behind(text, "layout: Anchor"),
            ROW(Anchor, timer) + ROW(Anchor, clock_before) + ROW(Anchor, clock_after));
  EXPECT_EQ(rows_behind(text, "layout: Record"), ROW(Record, clock) + ROW(Record, tag));
  EXPECT_EQ(rows_behind(text, "layout: Region"),
            ROW(Region, t0) + ROW(Region, t1) + ROW(Region, tag) + ROW(Region, payload));
}
#undef ROW

TEST(LkpPage, FlagsAreThoseOfTheDevice) {
  EXPECT_NE(
      page("lkp.md").find(fmt::format(
          "{} finalized, {} regions (else records), {} ring, {} elected, {} unchecked, "
          "{} strict, {} steady clock, {} staged",
          unsigned{profile::kFinalized}, unsigned{profile::kRegionRecords},
          unsigned{profile::kRing}, unsigned{profile::kElected}, unsigned{profile::kUnchecked},
          unsigned{profile::kStrict}, unsigned{profile::kSteadyClock}, unsigned{profile::kStaged})),
      std::string::npos);
}

TEST(LkpPage, RecordsOfTheFileAreThoseOfTheDevice) {
  static_assert(sizeof(lkp::Record) == sizeof(profile::Record) &&
                sizeof(lkp::Region) == sizeof(profile::Region) &&
                sizeof(lkp::Anchor) == sizeof(profile::Anchor));
  static_assert(offsetof(lkp::Record, tag) == offsetof(profile::Record, tag) &&
                offsetof(lkp::Region, tag) == offsetof(profile::Region, tag) &&
                offsetof(lkp::Anchor, clock_after) == offsetof(profile::Anchor, clock_after));
}

TEST(InKernelPage, ListsEveryFindingWithItsSeverity) {
  std::string listed;
  for (const DiagnosticKind* kind : {&kHeaderMissing,    &kHeaderImplausible,
                                     &kTruncatedProfile, &kBytesAfterProfile,
                                     &kBadSection,       &kUnknownSection,
                                     &kBadMeta,          &kTickUnknown,
                                     &kClockRateAssumed, &kBadLane,
                                     &kUnclaimedRecords, &kDuplicateLane,
                                     &kLaneOutOfRange,   &kLaneIdOverflow,
                                     &kStrideBelowLanes, &kStrideRefused,
                                     &kLanesRefused,     &kLostLeaders,
                                     &kMixedLaunches,    &kLaunchMayBeSeveral,
                                     &kLaunchesNotTold,  &kOverwrittenLaunches,
                                     &kStaleLanes,       &kNotFinalized,
                                     &kMigrated,         &kDropped,
                                     &kRingOverwritten,  &kBadAnchor,
                                     &kBlockDamaged,     &kWrapped,
                                     &kWrapAmbiguous,    &kClockOutsideAnchors,
                                     &kClockDisorder,    &kStaleRecords,
                                     &kZeroRecord,       &kRecordHole,
                                     &kMisplacedRecord,  &kBadRecord,
                                     &kEventWithoutName, &kLongName}) {
    listed += fmt::format("| `{}` | {} |\n", kind->name, name_of(kind->severity));
  }
  const std::string text = page("in-kernel.md");
  const std::string begin = "<!-- findings: begin -->\n";
  const std::size_t from = text.find(begin);
  ASSERT_NE(from, std::string::npos);
  const std::string table =
      text.substr(from + begin.size(), text.find("<!-- findings: end -->") - from - begin.size());
  std::string shown;
  for (std::size_t at = 0; at < table.size(); at = table.find('\n', at) + 1) {
    // Up to the third bar.
    std::size_t end = at;
    for (int bars = 0; bars < 3; ++end) bars += table[end] == '|' ? 1 : 0;
    shown += table.substr(at, end - at) + "\n";
  }
  EXPECT_EQ(shown, listed);
}

}  // namespace
}  // namespace lockstep::formats::kernel_profile
