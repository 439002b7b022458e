// Blocks and warps of a Proton scratch buffer.
#include "formats/kernel_profile/other_tools/proton_buffer.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "formats/kernel_profile/item_view.h"
#include "formats/kernel_profile/kernel_findings.h"
#include "formats/kernel_profile/other_tools/proton_tokens.h"
#include "formats/kernel_profile/profile_builder.h"

namespace lockstep::formats::kernel_profile {
namespace {

constexpr std::uint64_t kWordBytes = 4;
constexpr std::uint64_t kEntryBytes = 8;
constexpr std::uint32_t kHeaderWords = 10;
constexpr std::uint32_t kShortHeaderWords = 4;  // of versions without times
constexpr std::uint32_t kMaxWarps = 64;
constexpr std::uint32_t kClockBits = 43;
constexpr std::int64_t kMaxTicks = std::int64_t{1} << 61;

std::uint64_t aligned(std::uint64_t bytes) { return (bytes + 7) / 8 * 8; }

struct ProtonShape {
  std::uint32_t header_words = kHeaderWords;
  std::uint32_t warps = 0;
  std::vector<std::uint32_t> selected;
  std::uint64_t block_bytes = 0;
  std::uint32_t clock_bits = kClockBits;
};

bool has_preamble(std::span<const std::byte> bytes, std::uint64_t at) {
  return at + kWordBytes <= bytes.size() &&
         load<std::uint32_t>(bytes.data() + at) == kProtonPreamble;
}

std::optional<std::uint64_t> next_preamble(std::span<const std::byte> bytes, std::uint64_t from) {
  for (std::uint64_t at = from; at < bytes.size(); at += kWordBytes) {
    if (has_preamble(bytes, at)) return at;
  }
  return std::nullopt;
}

// Where --meta does not tell: counts are what lies between the header and the records, and a part
// is as long as the way to the next preamble.
void infer_shape(std::span<const std::byte> bytes, ProtonShape& shape) {
  const std::uint64_t header = shape.header_words * kWordBytes;
  const auto records = load<std::uint32_t>(bytes.data() + 3 * kWordBytes);
  if (shape.warps != 0 && shape.block_bytes == 0) {
    // Parts may be padded to 8 bytes.
    const std::uint64_t exact = header + shape.warps * kWordBytes + records;
    const bool is_dense = exact == bytes.size() || has_preamble(bytes, exact);
    shape.block_bytes = is_dense ? exact : aligned(exact);
  }
  if (shape.block_bytes == 0) {
    const std::uint64_t least = aligned(header + kWordBytes + records);
    shape.block_bytes = next_preamble(bytes, least).value_or(bytes.size());
  }
  if (shape.warps != 0 || shape.block_bytes <= header + records) return;
  // Triton's blocks have a power of two of warps; two words may be one warp and a word of padding.
  const std::uint64_t words = (shape.block_bytes - header - records) / kWordBytes;
  if (std::has_single_bit(words) && words > 2 && words <= kMaxWarps) {
    shape.warps = static_cast<std::uint32_t>(words);
  }
}

// clock32 leaves the upper bits 0; a 64-bit counter below 2^32 would be of the first seconds.
std::uint32_t clock_bits_of(std::span<const std::byte> bytes, const ProtonShape& shape) {
  const std::uint64_t skip = (shape.header_words + shape.warps) * kWordBytes;
  for (std::uint64_t block = 0; block < bytes.size(); block += shape.block_bytes) {
    const std::uint64_t end = std::min(block + shape.block_bytes, bytes.size());
    for (std::uint64_t at = block + skip; at + kEntryBytes <= end; at += kEntryBytes) {
      if ((load<std::uint32_t>(bytes.data() + at) & 0x7FF) != 0) return kClockBits;
    }
  }
  return 32;
}

std::vector<std::uint32_t> all_warps(std::uint32_t count) {
  std::vector<std::uint32_t> warps(count);
  std::iota(warps.begin(), warps.end(), 0U);
  return warps;
}

Result<ProtonShape> proton_shape(std::span<const std::byte> bytes,
                                 const KernelDecodeOptions& options, const ProfileMeta& meta) {
  ProtonShape shape;
  if (meta.header_words != 0) shape.header_words = meta.header_words;
  if (shape.header_words != kHeaderWords && shape.header_words != kShortHeaderWords) {
    return input_error({}, "\"header_words\" of --meta must be 10 or 4");
  }
  if (bytes.size() < shape.header_words * kWordBytes) {
    return input_error({}, "ends inside the header of the first block");
  }
  if (load<std::uint32_t>(bytes.data()) != kProtonPreamble) {
    return input_error({}, "does not begin with Proton's preamble 0xdeadbeef");
  }
  shape.warps = options.groups != 0 ? options.groups : meta.groups;
  shape.block_bytes = meta.block_bytes;
  infer_shape(bytes, shape);
  if (shape.warps == 0 || shape.warps > kMaxWarps) {
    return input_error({}, "how many warps a block has is not known",
                       "Say \"groups\" (warps of a block) in --meta, or --groups");
  }
  const std::uint64_t front = (shape.header_words + shape.warps) * kWordBytes;
  if (shape.block_bytes < front || shape.block_bytes % kWordBytes != 0) {
    return input_error(
        {}, fmt::format("parts of {} bytes have no room for their header", shape.block_bytes));
  }
  shape.selected = meta.selected.empty() ? all_warps(shape.warps) : meta.selected;
  if (shape.selected.size() > shape.warps || std::ranges::max(shape.selected) >= shape.warps) {
    return input_error({}, "\"selected\" of --meta names warps that the block does not have");
  }
  shape.clock_bits =
      meta.clock_bits != 0 ? std::min(meta.clock_bits, kClockBits) : clock_bits_of(bytes, shape);
  return shape;
}

class ProtonDecoder {
 public:
  ProtonDecoder(std::span<const std::byte> bytes, const ProtonShape& shape, const ProfileMeta& meta,
                Diagnostics& findings)
      : bytes_(bytes), shape_(shape), meta_(meta), findings_(findings) {}

  trace::KernelProfile run(std::span<const std::string> names) {
    builder_.profile.format = name_of(KernelFormat::kProton);
    describe(builder_.profile, meta_, names);
    const std::uint64_t blocks = bytes_.size() / shape_.block_bytes;
    if (bytes_.size() % shape_.block_bytes != 0) {
      findings_.add(kTruncatedProfile, Place::byte(bytes_.size()), "the last block is cut");
    }
    trace::KernelLaunch& launch = builder_.profile.launches.front();
    launch.groups = shape_.warps;
    launch.lanes_expected = blocks * shape_.selected.size();
    for (std::uint64_t i = 0; i < blocks; ++i) add_block(i * shape_.block_bytes);
    return builder_.finish(shape_.header_words == kHeaderWords, findings_);
  }

 private:
  [[nodiscard]] std::uint32_t word(std::uint64_t block, std::uint64_t index) const {
    return load<std::uint32_t>(bytes_.data() + block + index * kWordBytes);
  }
  [[nodiscard]] std::uint64_t long_word(std::uint64_t block, std::uint64_t index) const {
    return load<std::uint64_t>(bytes_.data() + block + index * kWordBytes);
  }

  void add_block(std::uint64_t at) {
    const std::uint64_t front = (shape_.header_words + shape_.warps) * kWordBytes;
    const std::uint32_t stated = word(at, 3);
    if (word(at, 0) != kProtonPreamble) {
      findings_.add(kBlockDamaged, Place::byte(at), "no preamble");
      return;
    }
    if (stated > shape_.block_bytes - front) {
      findings_.add(kBlockDamaged, Place::byte(at),
                    fmt::format("block {} tells of {} bytes of records", word(at, 1), stated));
      return;
    }
    const std::uint64_t segment = stated / shape_.selected.size() / kEntryBytes * kEntryBytes;
    const std::uint64_t spacing = stated / shape_.selected.size();
    const std::size_t first_lane = builder_.lanes().size();
    for (std::size_t i = 0; i < shape_.selected.size(); ++i) {
      add_warp(at, shape_.selected[i], at + front + i * spacing, segment);
    }
    pair_proton_async(builder_.lanes().subspan(first_lane), next_token_);
  }

  void add_warp(std::uint64_t block, std::uint32_t warp, std::uint64_t segment_at,
                std::uint64_t segment_bytes) {
    const std::uint64_t passed = word(block, shape_.header_words + warp) / 2;
    const std::uint64_t room = segment_bytes / kEntryBytes;
    const std::uint64_t kept = std::min(passed, room);
    LaneDraft& draft = builder_.add_lane(0, word(block, 1), warp);
    trace::KernelLane& lane = draft.lane;
    lane.clock = trace::LaneClock::kCycles;
    lane.is_ring = true;
    lane.capacity = room;
    if (word(block, 2) <= INT32_MAX) lane.sm = static_cast<std::int32_t>(word(block, 2));
    draft.dropped = passed - kept;
    // The oldest entry is the next to be overwritten.
    const std::uint64_t oldest = passed > room && room > 0 ? passed % room : 0;
    for (std::uint64_t i = 0; i < kept; ++i) {
      add_entry(segment_at + (oldest + i) % room * kEntryBytes, draft);
    }
    if (shape_.header_words == kHeaderWords) add_times(block, draft);
  }

  void add_entry(std::uint64_t at, LaneDraft& draft) {
    const auto tag = load<std::uint32_t>(bytes_.data() + at);
    const std::uint64_t raw =
        std::uint64_t{tag & 0x7FF} << 32 | load<std::uint32_t>(bytes_.data() + at + kWordBytes);
    const std::uint64_t width = std::uint64_t{1} << shape_.clock_bits;
    std::int64_t ticks = static_cast<std::int64_t>(raw % width);
    if (!draft.records.empty()) {
      const std::int64_t before = draft.records.back().ticks;
      ticks += before - before % static_cast<std::int64_t>(width);
      if (ticks < before && before > kMaxTicks) {
        findings_.add(kBadRecord, Place::byte(at), "more wraps than there can be");
        return;
      }
      if (ticks < before) {
        ticks += static_cast<std::int64_t>(width);
        findings_.add(kWrapped, Place::byte(at),
                      fmt::format("block {}, warp {}", draft.lane.block, draft.lane.group));
      }
    }
    draft.records.push_back(
        {.ticks = ticks,
         .event = tag >> 23 & 0xFF,
         .type = tag >> 31 != 0 ? trace::RecordType::kEnd : trace::RecordType::kBegin,
         .is_async = (tag >> 22 & 1) != 0});
  }

  // The timer was read before the first record and after the last one, without the cycle counter.
  // With a rate that the counter does not exceed, the time left over bounds where it was.
  void add_times(std::uint64_t block, LaneDraft& draft) const {
    const std::uint64_t init = long_word(block, 4);
    const std::uint64_t final = long_word(block, 6);
    draft.lane.is_finalized = final != 0;
    constexpr std::uint64_t kMaxTime = std::uint64_t{1} << 62;
    const bool has_rate = meta_.clock_ghz > 0 && meta_.clock_ghz < 1000;
    if (draft.records.empty() || !has_rate) return;
    if (init == 0 || final <= init || final > kMaxTime) return;
    const double elapsed = static_cast<double>(final - init) + meta_.timer_tick_ns;
    const std::int64_t first = draft.records.front().ticks;
    const std::int64_t last = draft.records.back().ticks;
    const double slack = std::ceil(elapsed * meta_.clock_ghz) - static_cast<double>(last - first);
    if (slack < 0 || slack > 1e18) return;
    const auto cycles = static_cast<std::int64_t>(slack);
    draft.anchors = {{static_cast<std::int64_t>(init), first - cycles, first},
                     {static_cast<std::int64_t>(final), last, last + cycles}};
  }

  std::span<const std::byte> bytes_;
  const ProtonShape& shape_;
  const ProfileMeta& meta_;
  Diagnostics& findings_;
  ProfileBuilder builder_;
  std::uint32_t next_token_ = 0;
};

}  // namespace

Result<trace::KernelProfile> decode_proton(std::span<const std::byte> bytes,
                                           const KernelDecodeOptions& options,
                                           const ProfileMeta& meta, Diagnostics& findings) {
  LOCKSTEP_ASSIGN_OR_RETURN(const ProtonShape shape, proton_shape(bytes, options, meta));
  return ProtonDecoder(bytes, shape, meta, findings).run(options.names);
}

}  // namespace lockstep::formats::kernel_profile
