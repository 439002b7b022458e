// Warp groups of a Mosaic buffer.
#include "formats/kernel_profile/other_tools/mosaic_buffer.h"

#include <algorithm>

#include <fmt/format.h>

#include "formats/kernel_profile/item_view.h"
#include "formats/kernel_profile/kernel_findings.h"
#include "formats/kernel_profile/profile_builder.h"

namespace lockstep::formats::kernel_profile {
namespace {

constexpr std::uint64_t kHeadWords = 3;
constexpr std::uint64_t kRecordWords = 2;
constexpr std::uint32_t kExit = 1U << 31;
constexpr std::uint32_t kThreadsOfGroup = 128;

struct MosaicShape {
  std::uint64_t lane_words = 0;
  std::uint32_t groups = 1;
};

Result<MosaicShape> mosaic_shape(std::uint64_t words, const KernelDecodeOptions& options,
                                 const ProfileMeta& meta) {
  MosaicShape shape;
  const std::uint64_t threads = meta.threads.count();
  const std::uint64_t stated = options.groups != 0 ? options.groups
                               : meta.groups != 0  ? meta.groups
                                                   : threads / kThreadsOfGroup;
  shape.groups = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(stated, 1, UINT32_MAX));
  const std::uint64_t blocks = options.blocks != 0 ? options.blocks : meta.grid.count();
  shape.lane_words = meta.lane_words;
  if (shape.lane_words == 0 && blocks != 0 && blocks <= words / shape.groups) {
    shape.lane_words = words / (blocks * shape.groups);
  }
  if (shape.lane_words < kHeadWords) {
    return input_error({}, "how many words a warp group has is not known",
                       "Say \"lane_words\" (entries_per_warpgroup) in --meta, or --blocks and "
                       "--groups");
  }
  return shape;
}

// Blocks are counted with z fastest there, with x fastest here.
std::uint64_t linear_block(std::uint64_t index, const trace::Extent3& grid) {
  if (grid.count() == 0 || index >= grid.count()) return index;
  const std::uint64_t z = index % grid.z;
  const std::uint64_t y = index / grid.z % grid.y;
  const std::uint64_t x = index / grid.z / grid.y;
  return (z * grid.y + y) * grid.x + x;
}

struct MosaicLane {
  std::uint64_t wraps = 0;
  std::uint64_t bad_names = 0;
};

// Records in the order of the program, wraps of the 32-bit clock undone.
MosaicLane add_records(ItemView<std::uint32_t> words, std::uint64_t first, std::uint64_t count,
                       std::vector<trace::KernelRecord>& records) {
  MosaicLane lane;
  std::uint32_t before = 0;
  records.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint32_t tag = words[first + i * kRecordWords];
    const std::uint32_t clock = words[first + i * kRecordWords + 1];
    if ((tag & ~kExit) >= trace::kMaxKernelEvents) {
      ++lane.bad_names;
      continue;
    }
    if (clock < before) ++lane.wraps;
    before = clock;
    records.push_back(
        {.ticks = static_cast<std::int64_t>(lane.wraps << 32) + clock,
         .event = tag & ~kExit,
         .type = (tag & kExit) != 0 ? trace::RecordType::kEnd : trace::RecordType::kBegin});
  }
  return lane;
}

// The warp group whose words begin at `at`; its head is written when it is done.
void add_records(ItemView<std::uint32_t> words, std::uint64_t at, std::uint64_t room,
                 LaneDraft& draft, Diagnostics& findings) {
  const Place place = Place::byte(at * sizeof(std::uint32_t));
  const std::uint32_t used = words[at + 2];
  trace::KernelLane& lane = draft.lane;
  lane.clock = trace::LaneClock::kCycles;
  lane.capacity = room;
  lane.is_finalized = true;
  if (words[at + 1] <= INT32_MAX) lane.sm = static_cast<std::int32_t>(words[at + 1]);
  if (used % kRecordWords != 0) {
    findings.add(kBadRecord, place, fmt::format("{} words used, an odd number", used));
  }
  const std::uint64_t passed = used / kRecordWords;
  const std::uint64_t kept = std::min(passed, room);
  draft.dropped = passed - kept;
  const MosaicLane found = add_records(words, at + kHeadWords, kept, draft.records);
  const std::string where = fmt::format("block {}, group {}", lane.block, lane.group);
  findings.add(kWrapped, place, where, found.wraps);
  findings.add(kBadRecord, place, where + ": no such name", found.bad_names);
}

}  // namespace

Result<trace::KernelProfile> decode_mosaic(std::span<const std::byte> bytes,
                                           const KernelDecodeOptions& options,
                                           const ProfileMeta& meta, Diagnostics& findings) {
  const ItemView<std::uint32_t> words(bytes);
  LOCKSTEP_ASSIGN_OR_RETURN(const MosaicShape shape, mosaic_shape(words.size(), options, meta));
  if (bytes.size() % (shape.lane_words * sizeof(std::uint32_t)) != 0) {
    findings.add(kTruncatedProfile, Place::byte(bytes.size()), "the last warp group is cut");
  }
  ProfileBuilder builder;
  builder.profile.format = name_of(KernelFormat::kMosaic);
  describe(builder.profile, meta, options.names);
  const std::uint64_t lanes = words.size() / shape.lane_words;
  const std::uint64_t room = (shape.lane_words - kHeadWords) / kRecordWords;
  builder.profile.launches.front().groups = shape.groups;
  builder.profile.launches.front().lanes_expected = lanes;

  for (std::uint64_t i = 0; i < lanes; ++i) {
    const std::uint64_t at = i * shape.lane_words;
    if (words[at] == 0 && words[at + 2] == 0) continue;  // never written
    LaneDraft& draft = builder.add_lane(0, linear_block(i / shape.groups, meta.grid),
                                        static_cast<std::uint32_t>(i % shape.groups));
    add_records(words, at, room, draft, findings);
  }
  return builder.finish(true, findings);
}

}  // namespace lockstep::formats::kernel_profile
