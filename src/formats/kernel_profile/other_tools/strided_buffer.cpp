// The whole of a strided buffer: its shape, and which words are of which lane.
#include "formats/kernel_profile/other_tools/strided_buffer.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "formats/kernel_profile/item_view.h"
#include "formats/kernel_profile/kernel_findings.h"
#include "formats/kernel_profile/other_tools/strided_lane.h"
#include "formats/kernel_profile/profile_builder.h"

namespace lockstep::formats::kernel_profile {
namespace {

using strided::Slot;
using strided::StridedLane;

// Threads of a block; it cannot have more groups.
constexpr std::uint32_t kMaxGroups = 1024;
constexpr std::uint32_t kFlashInferBlocks = 1U << 12;  // numbers of block[23:12]

// lockstep/cuda_profiler.h sets these in the header where it refused to write.
constexpr std::uint64_t kRefusedStride = std::uint64_t{1} << 63;
constexpr std::uint64_t kRefusedLanes = std::uint64_t{1} << 62;

struct Shape {
  std::uint64_t blocks = 0;  // 0: not known
  std::uint32_t groups = 1;
  [[nodiscard]] std::uint64_t lanes() const { return blocks * groups; }
};

struct Refusals {
  bool of_stride = false;
  bool of_lanes = false;
};

// Takes the bits off a header that makes sense without them; others are damage.
Refusals take_refusals(std::uint64_t& header) {
  const std::uint64_t rest = header & ~(kRefusedStride | kRefusedLanes);
  const std::uint64_t groups = rest >> 32;
  if (groups == 0 || groups > kMaxGroups) return {};
  const Refusals refusals{(header & kRefusedStride) != 0, (header & kRefusedLanes) != 0};
  header = rest;
  return refusals;
}

Shape strided_shape(std::uint64_t header, std::uint64_t slots, const KernelDecodeOptions& options,
                    Diagnostics& findings) {
  const auto header_blocks = static_cast<std::uint32_t>(header);
  const auto header_groups = static_cast<std::uint32_t>(header >> 32);
  const Shape stated{options.blocks != 0 ? options.blocks : header_blocks,
                     options.groups != 0 ? options.groups : header_groups};
  const std::string words = fmt::format("{} blocks, {} groups", stated.blocks, stated.groups);
  const bool has_groups = stated.groups != 0 && stated.groups <= kMaxGroups;
  const Shape of_records{0, has_groups ? stated.groups : 1};
  if (stated.blocks == 0 || stated.groups == 0) {
    findings.add(kHeaderMissing, Place::byte(0), words);
    return of_records;
  }
  // The first slots of all lanes are there, whatever they hold.
  if (!has_groups || stated.blocks > (slots - 1) / stated.groups) {
    findings.add(kHeaderImplausible, Place::byte(0), fmt::format("{}, {} slots", words, slots));
    return of_records;
  }
  return stated;
}

class StridedDecoder {
 public:
  StridedDecoder(ItemView<std::uint64_t> words, KernelFormat format, Shape shape, Refusals refused,
                 Diagnostics& findings)
      : words_(words), format_(format), shape_(shape), refused_(refused), findings_(findings) {
    // Without the number of lanes FlashInfer's tags tell blocks only.
    if (!has_lane_tag() && shape.blocks == 0) shape_.groups = 1;
  }

  trace::KernelProfile run(const KernelDecodeOptions& options) {
    report_overflow();
    sort_by_lane();
    stride_ = stride();
    if (shape_.blocks != 0 && stride_ != 0 && stride_ < shape_.lanes()) {
      findings_.add(kStrideBelowLanes, Place::none(),
                    fmt::format("stride {}, {} lanes", stride_, shape_.lanes()));
    }
    builder_.profile.format = name_of(format_);
    builder_.profile.event_names = options.names;
    builder_.profile.timer_tick_ns = timer_step_ns(time_bits_, slots_.size());
    builder_.profile.launches.push_back(launch());
    for (std::size_t lane = 0; lane + 1 < first_slot_.size(); ++lane) add_lane(lane);
    put_wrapped_lanes_later();
    return builder_.finish(format_ == KernelFormat::kTvm, findings_);
  }

 private:
  [[nodiscard]] bool has_lane_tag() const { return format_ != KernelFormat::kFlashInfer; }

  void report_overflow() {
    const std::string lanes = fmt::format("{} lanes", shape_.lanes());
    if (refused_.of_stride) findings_.add(kStrideRefused, Place::byte(0), lanes);
    if (refused_.of_lanes) return findings_.add(kLanesRefused, Place::byte(0), lanes);
    const bool is_over =
        has_lane_tag() ? shape_.lanes() > strided::kLaneNumbers : shape_.blocks > kFlashInferBlocks;
    if (!is_over) return;
    findings_.add(kLaneIdOverflow, Place::byte(0),
                  has_lane_tag() ? lanes : fmt::format("{} blocks", shape_.blocks));
  }

  [[nodiscard]] trace::KernelLaunch launch() const {
    trace::KernelLaunch launch;
    launch.groups = shape_.groups;
    launch.lanes_expected = shape_.lanes();
    if (shape_.blocks != 0) launch.grid = {static_cast<std::uint32_t>(shape_.blocks), 1, 1};
    return launch;
  }

  // FlashInfer's tag holds the block alone, in 12 bits; its stride is the number of lanes, so the
  // place of a word tells block and group.
  [[nodiscard]] std::uint64_t lane_of(std::uint64_t word, std::uint64_t at) const {
    if (has_lane_tag()) return strided::lane_field(word);
    if (shape_.blocks != 0) return (at - 1) % shape_.lanes();
    return strided::lane_field(word) & (kFlashInferBlocks - 1);
  }
  // A lane's first slot is behind its number, so its number is below that of any of its slots.
  [[nodiscard]] bool is_in_range(std::uint64_t lane, std::uint64_t at) const {
    return shape_.blocks != 0 ? lane < shape_.lanes() : lane < at;
  }

  void sort_by_lane() {
    std::vector<std::uint64_t> counts;
    for (std::uint64_t at = 1; at < words_.size(); ++at) {
      const std::uint64_t word = words_[at];
      if (word == 0) continue;
      const std::uint64_t lane = lane_of(word, at);
      if (!is_in_range(lane, at)) {
        findings_.add(kLaneOutOfRange, Place::byte(at * sizeof(word)),
                      fmt::format("lane {}", lane));
        continue;
      }
      time_bits_ |= strided::time_of(word);
      if (counts.size() <= lane) counts.resize(lane + 1);
      ++counts[lane];
    }
    first_slot_.assign(counts.size() + 1, 0);
    for (std::size_t lane = 0; lane < counts.size(); ++lane) {
      first_slot_[lane + 1] = first_slot_[lane] + counts[lane];
    }
    slots_.resize(first_slot_.back());
    std::vector<std::uint64_t> next = first_slot_;
    for (std::uint64_t at = 1; at < words_.size(); ++at) {
      const std::uint64_t word = words_[at];
      if (word == 0) continue;
      const std::uint64_t lane = lane_of(word, at);
      if (is_in_range(lane, at)) slots_[next[lane]++] = {word, at};
    }
  }

  [[nodiscard]] std::span<const Slot> slots_of(std::size_t lane) const {
    return std::span(slots_).subspan(first_slot_[lane], first_slot_[lane + 1] - first_slot_[lane]);
  }

  [[nodiscard]] std::uint64_t stride() const {
    if (format_ != KernelFormat::kTvm) return shape_.lanes();
    std::vector<std::uint64_t> distances;
    for (std::size_t lane = 0; lane + 1 < first_slot_.size(); ++lane) {
      const std::span<const Slot> slots = slots_of(lane);
      for (std::size_t i = 1; i < slots.size(); ++i) {
        distances.push_back(slots[i].at - slots[i - 1].at);
      }
    }
    return strided::likely_stride(distances);
  }

  void add_lane(std::size_t number) {
    const std::span<const Slot> slots = slots_of(number);
    if (slots.empty()) return;
    StridedLane decoded = strided::decode_lane(slots, number,
                                               {.has_finalize = format_ == KernelFormat::kTvm,
                                                .stride = stride_,
                                                .can_be_zero = number == 0});
    LaneDraft& draft = builder_.add_lane(0, number / shape_.groups,
                                         static_cast<std::uint32_t>(number % shape_.groups));
    draft.lane.is_finalized = decoded.is_finalized;
    if (stride_ != 0) draft.lane.capacity = (words_.size() - 2 - number) / stride_ + 1;
    if (!has_lane_tag()) check_flashinfer_tags(slots, number, draft);
    report(decoded, slots.front().at);
    draft.records = std::move(decoded.records);
    // The lane goes on to there.
    if (decoded.is_finalized && !draft.records.empty()) {
      draft.anchors = {{decoded.end, decoded.end, decoded.end}};
    }
  }

  // The multiprocessor, unless block numbers have spilled into it.
  void check_flashinfer_tags(std::span<const Slot> slots, std::size_t number, LaneDraft& draft) {
    const std::uint64_t block = number / shape_.groups;
    if (shape_.blocks <= kFlashInferBlocks) {
      draft.lane.sm = static_cast<std::int32_t>(strided::tag_of(slots.front().word) >> 24);
    }
    for (const Slot& slot : slots) {
      const std::uint32_t tagged = strided::lane_field(slot.word) & (kFlashInferBlocks - 1);
      if (tagged == (block & (kFlashInferBlocks - 1))) continue;
      findings_.add(kMisplacedRecord, Place::byte(slot.at * sizeof(slot.word)),
                    fmt::format("block {} in a slot of block {}", tagged, block));
    }
  }

  void report(const StridedLane& lane, std::uint64_t first_at) {
    const Place place = Place::byte(first_at * sizeof(std::uint64_t));
    const auto add = [&](const DiagnosticKind& kind, std::uint64_t count) {
      if (count == 0) return;
      const trace::KernelLane& where = builder_.lanes().back().lane;
      findings_.add(kind, place, fmt::format("block {}, group {}", where.block, where.group),
                    count);
    };
    add(kStaleRecords, lane.stale);
    add(kWrapped, lane.wraps);
    add(kZeroRecord, lane.zero_records);
    add(kRecordHole, lane.holes);
    add(kMisplacedRecord, lane.misplaced);
    add(kBadRecord, lane.bad_type);
  }

  void put_wrapped_lanes_later() {
    std::vector<std::uint32_t> begins;
    for (const LaneDraft& draft : builder_.lanes()) {
      if (draft.records.empty()) continue;
      begins.push_back(static_cast<std::uint32_t>(draft.records.front().ticks));
    }
    const std::optional<std::uint32_t> split = strided::split_by_wrap(std::move(begins));
    if (!split) return;
    for (LaneDraft& draft : builder_.lanes()) {
      if (draft.records.empty() || draft.records.front().ticks >= *split) continue;
      constexpr std::int64_t kWrap = std::int64_t{1} << 32;
      for (trace::KernelRecord& record : draft.records) record.ticks += kWrap;
      for (trace::KernelAnchor& anchor : draft.anchors) {
        anchor = {anchor.timer_ns + kWrap, anchor.clock_before + kWrap, anchor.clock_after + kWrap};
      }
      findings_.add(kWrapped, Place::none(),
                    fmt::format("block {}, group {}", draft.lane.block, draft.lane.group));
    }
  }

  ItemView<std::uint64_t> words_;
  KernelFormat format_;
  Shape shape_;
  Refusals refused_;
  Diagnostics& findings_;
  ProfileBuilder builder_;
  std::vector<std::uint64_t> first_slot_;  // by lane, into slots_
  std::vector<Slot> slots_;
  std::uint64_t time_bits_ = 0;
  std::uint64_t stride_ = 0;
};

}  // namespace

Result<trace::KernelProfile> decode_strided(std::span<const std::byte> bytes, KernelFormat format,
                                            const KernelDecodeOptions& options,
                                            Diagnostics& findings) {
  const ItemView<std::uint64_t> words(bytes);
  if (words.empty()) return input_error({}, "has no word of 8 bytes, let alone a header");
  if (bytes.size() % sizeof(std::uint64_t) != 0) {
    findings.add(kTruncatedProfile, Place::byte(bytes.size()), "the last word is cut");
  }
  std::uint64_t header = words[0];
  const Refusals refused = format == KernelFormat::kTvm ? take_refusals(header) : Refusals{};
  const Shape shape = strided_shape(header, words.size(), options, findings);
  return StridedDecoder(words, format, shape, refused, findings).run(options);
}

}  // namespace lockstep::formats::kernel_profile
