// Reads the heads of a channel's lanes, then the anchors and records of those that are kept.
#include "host/channel_reader.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <tuple>

#include <fmt/format.h>

#include "host/grouped_copies.h"
#include "lockstep/profile_layout.h"

namespace lockstep::device {
namespace {

using profile::Control;
using profile::LaneHead;

// Whether [offset, offset + count * bytes) lies inside the buffer.
bool fits(std::uint64_t size, std::uint64_t offset, std::uint64_t count, std::uint64_t bytes) {
  return offset <= size && (bytes == 0 || count <= (size - offset) / bytes);
}

Error does_not_fit(const BufferBytes& buffer) {
  return input_error({},
                     fmt::format("the channel's parts do not fit in its {} bytes", buffer.size()),
                     "Copy the whole buffer");
}

Result<Control> read_control(BufferBytes& buffer) {
  Control control{};
  if (buffer.size() < sizeof(control)) {
    return input_error(
        {}, fmt::format("a buffer of {} bytes is too short for a channel", buffer.size()));
  }
  LOCKSTEP_RETURN_IF_ERROR(buffer.read(0, std::as_writable_bytes(std::span(&control, 1))));
  if (control.magic != profile::kMagic) {
    return input_error({}, "the buffer does not start as a channel does",
                       "It was never prepared, or something has written over it");
  }
  if (control.version != profile::kVersion) {
    return input_error({}, fmt::format("the channel has version {}, this library reads {}",
                                       control.version, profile::kVersion));
  }
  const std::uint64_t kept = std::uint64_t{control.lanes} * control.launch_slots;
  const std::uint64_t anchor_bytes =
      std::uint64_t{control.anchor_capacity} * sizeof(profile::Anchor);
  if (!std::has_single_bit(control.launch_slots) || control.groups == 0 || control.lanes == 0 ||
      control.lane_bytes == 0 ||
      !fits(buffer.size(), control.heads_offset, kept, sizeof(LaneHead)) ||
      !fits(buffer.size(), control.anchors_offset, kept, anchor_bytes) ||
      !fits(buffer.size(), control.records_offset, kept, control.lane_bytes)) {
    return does_not_fit(buffer);
  }
  return control;
}

// The blocks of a list, in order; empty for other selections.
Result<std::vector<std::uint64_t>> read_listed_blocks(BufferBytes& buffer, const Control& control) {
  std::vector<std::uint64_t> blocks;
  if (control.selection != profile::kListed) return blocks;
  if (!fits(buffer.size(), control.selection_offset, control.table_entries, sizeof(profile::u32))) {
    return does_not_fit(buffer);
  }
  std::vector<profile::u32> table(control.table_entries);
  LOCKSTEP_RETURN_IF_ERROR(
      buffer.read(control.selection_offset, std::as_writable_bytes(std::span(table))));
  for (std::size_t block = 0; block < table.size(); ++block) {
    if (table[block] != profile::kNotSelected) blocks.push_back(block);
  }
  return blocks;
}

// Lanes that a launch of this grid should have; 0: not known beforehand.
std::uint64_t expected_lanes(const Control& control, std::span<const std::uint64_t> listed,
                             const LaneHead& head) {
  const std::uint64_t blocks = std::uint64_t{head.grid[0]} * head.grid[1] * head.grid[2];
  const std::uint64_t step = std::max<std::uint64_t>(control.selection_step, 1);
  switch (control.selection) {
    case profile::kAllBlocks:
      return blocks * control.groups;
    case profile::kEveryNth:
      return (blocks / step + (blocks % step != 0 ? 1 : 0)) * control.groups;
    case profile::kListed:
      return static_cast<std::uint64_t>(std::ranges::lower_bound(listed, blocks) - listed.begin()) *
             control.groups;
    default:
      return 0;
  }
}

template <typename Item>
void append_items(std::span<const std::byte> bytes, std::vector<Item>& items) {
  if (bytes.empty()) return;
  const std::size_t before = items.size();
  items.resize(before + bytes.size() / sizeof(Item));
  std::memcpy(items.data() + before, bytes.data(), bytes.size());
}

// The lane of a head as far as the head alone tells it.
formats::kernel_profile::lkp::Lane lane_of(const LaneHead& head, std::uint32_t launch,
                                           const Control& control) {
  const bool is_finalized = (head.flags & profile::kFinalized) != 0;
  const std::uint64_t record_bytes = (head.flags & profile::kRegionRecords) != 0
                                         ? sizeof(formats::kernel_profile::lkp::Region)
                                         : sizeof(formats::kernel_profile::lkp::Record);
  formats::kernel_profile::lkp::Lane lane{};
  lane.launch = launch;
  lane.lane = head.lane;
  lane.block = head.block;
  lane.group = head.group;
  lane.sm_begin = head.sm_begin;
  lane.sm_end = is_finalized ? head.sm_end : profile::kNoSm;
  lane.cluster_rank = head.cluster_rank;
  lane.leader_thread = head.leader_thread;
  lane.flags = head.flags;
  // Of a lane that never ended, the rest of the head is from an earlier launch.
  if (is_finalized) {
    lane.capacity = std::min<std::uint64_t>(head.capacity, control.lane_bytes / record_bytes);
    lane.seen = head.seen;
    lane.written = std::min(lane.seen, lane.capacity);
  }
  return lane;
}

formats::kernel_profile::lkp::Launch launch_of(const LaneHead& head, std::uint32_t id,
                                               std::uint32_t channel, std::uint32_t kernel,
                                               std::uint32_t groups) {
  formats::kernel_profile::lkp::Launch launch{};
  launch.id = id;
  launch.channel = channel;
  launch.number = head.launch;
  launch.kernel = kernel;
  launch.groups = groups;
  std::ranges::copy(head.grid, launch.grid.begin());
  std::ranges::copy(head.threads, launch.threads.begin());
  if (head.cluster != 0) {
    launch.cluster = {head.cluster & 0xFF, head.cluster >> 8 & 0xFF, head.cluster >> 16 & 0xFF};
  }
  return launch;
}

// The lanes of one kept launch.
class SlotReader {
 public:
  SlotReader(BufferBytes& buffer, const Control& control, std::uint32_t slot, CollectedLanes& into)
      : buffer_(buffer),
        control_(control),
        first_index_(std::uint64_t{slot} * control.lanes),
        into_(into) {}

  // `number`: of the launch that the slot holds, if the lane is not older.
  Status read_heads(std::uint32_t number) {
    heads_.resize(control_.lanes);
    LOCKSTEP_RETURN_IF_ERROR(buffer_.read(control_.heads_offset + first_index_ * sizeof(LaneHead),
                                          std::as_writable_bytes(std::span(heads_))));
    for (std::uint32_t i = 0; i < control_.lanes; ++i) {
      if (heads_[i].session != control_.session) continue;
      if (heads_[i].launch == number && heads_[i].lane == i && heads_[i].group < control_.groups) {
        kept_.push_back(i);
      } else {
        ++into_.counts.stale_lanes;
      }
    }
    return {};
  }

  [[nodiscard]] bool is_empty() const { return kept_.empty(); }

  Status read_lanes(std::uint32_t channel, std::uint32_t kernel,
                    std::span<const std::uint64_t> listed) {
    const LaneHead& first = heads_[kept_.front()];
    const auto id = static_cast<std::uint32_t>(into_.launches.size());
    formats::kernel_profile::lkp::Launch launch =
        launch_of(first, id, channel, kernel, control_.groups);
    launch.lanes_expected = expected_lanes(control_, listed, first);
    into_.launches.push_back(launch);
    ++into_.counts.launches;
    for (const std::uint32_t i : kept_) {
      lanes_.push_back(lane_of(heads_[i], id, control_));
      count(heads_[i], lanes_.back(), first.grid_id);
    }
    LOCKSTEP_RETURN_IF_ERROR(read_anchors());
    LOCKSTEP_RETURN_IF_ERROR(read_records());
    std::ranges::stable_sort(lanes_, {}, [](const formats::kernel_profile::lkp::Lane& lane) {
      return std::tuple(lane.block, lane.group);
    });
    into_.lanes.insert(into_.lanes.end(), lanes_.begin(), lanes_.end());
    return {};
  }

 private:
  void count(const LaneHead& head, const formats::kernel_profile::lkp::Lane& lane,
             std::uint64_t grid_id) {
    CollectCounts& counts = into_.counts;
    ++counts.lanes;
    counts.records += lane.written;
    counts.dropped_records += lane.seen - lane.written;
    if ((head.flags & profile::kFinalized) == 0) ++counts.unfinished_lanes;
    if (head.grid_id != grid_id) ++counts.mixed_lanes;
  }

  Status read_anchors() {
    std::vector<CopyRange> ranges;
    for (const std::uint32_t i : kept_) {
      const bool is_finalized = (heads_[i].flags & profile::kFinalized) != 0;
      const std::uint64_t taken =
          is_finalized ? std::min(heads_[i].anchors_taken, control_.anchor_capacity) : 0;
      ranges.push_back({control_.anchors_offset +
                            (first_index_ + i) * control_.anchor_capacity * sizeof(profile::Anchor),
                        taken * sizeof(profile::Anchor)});
    }
    return copy_grouped(buffer_, ranges, [&](std::size_t k, std::span<const std::byte> bytes) {
      const LaneHead& head = heads_[kept_[k]];
      std::vector<formats::kernel_profile::lkp::Anchor>& anchors = into_.anchors;
      const std::size_t first = anchors.size();
      add_edge_anchor(head.begin);
      append_items(bytes, anchors);
      if ((head.flags & profile::kFinalized) != 0) add_edge_anchor(head.end);
      std::ranges::stable_sort(anchors.begin() + static_cast<std::ptrdiff_t>(first), anchors.end(),
                               {}, &formats::kernel_profile::lkp::Anchor::clock_before);
      lanes_[k].first_anchor = first;
      lanes_[k].anchors = static_cast<std::uint32_t>(anchors.size() - first);
    });
  }

  void add_edge_anchor(const profile::Anchor& anchor) {
    if (anchor.timer == 0) return;  // the timer was never seen to step
    into_.anchors.push_back({anchor.timer, anchor.clock_before, anchor.clock_after});
  }

  Status read_records() {
    std::vector<CopyRange> ranges;
    for (std::size_t k = 0; k < kept_.size(); ++k) {
      const std::uint64_t bytes = is_region(lanes_[k])
                                      ? sizeof(formats::kernel_profile::lkp::Region)
                                      : sizeof(formats::kernel_profile::lkp::Record);
      ranges.push_back({control_.records_offset + (first_index_ + kept_[k]) * control_.lane_bytes,
                        lanes_[k].written * bytes});
    }
    return copy_grouped(buffer_, ranges, [&](std::size_t k, std::span<const std::byte> bytes) {
      if (is_region(lanes_[k])) {
        append(lanes_[k], bytes, into_.regions);
      } else {
        append(lanes_[k], bytes, into_.records);
      }
    });
  }

  static bool is_region(const formats::kernel_profile::lkp::Lane& lane) {
    return (lane.flags & profile::kRegionRecords) != 0;
  }

  // In program order: a ring that went round starts in its middle.
  template <typename Item>
  static void append(formats::kernel_profile::lkp::Lane& lane, std::span<const std::byte> bytes,
                     std::vector<Item>& items) {
    lane.first_record = items.size();
    if (lane.written == 0) return;
    append_items(bytes, items);
    const auto start = items.begin() + static_cast<std::ptrdiff_t>(lane.first_record);
    if ((lane.flags & profile::kRing) != 0 && lane.seen > lane.capacity) {
      std::rotate(start, start + static_cast<std::ptrdiff_t>(lane.seen % lane.capacity),
                  items.end());
    }
  }

  BufferBytes& buffer_;
  const Control& control_;
  std::uint64_t first_index_;
  CollectedLanes& into_;
  std::vector<LaneHead> heads_;
  std::vector<std::uint32_t> kept_;  // lanes of the slot's launch, in the order of memory
  std::vector<formats::kernel_profile::lkp::Lane> lanes_;  // the same as `kept_`
};

Status read_slots(BufferBytes& buffer, const Control& control, std::uint32_t channel,
                  std::uint32_t kernel, CollectedLanes& into) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<std::uint64_t> listed,
                            read_listed_blocks(buffer, control));
  const std::uint32_t kept = std::min(control.launch_slots - 1, control.launch) + 1;
  for (std::uint32_t age = kept; age-- > 0;) {
    const std::uint32_t number = control.launch - age;
    SlotReader slot(buffer, control, number & (control.launch_slots - 1), into);
    LOCKSTEP_RETURN_IF_ERROR(slot.read_heads(number));
    if (!slot.is_empty()) LOCKSTEP_RETURN_IF_ERROR(slot.read_lanes(channel, kernel, listed));
  }
  // Number 0 is what runs before the first advance, if anything does.
  into.counts.overwritten_launches +=
      control.launch > control.launch_slots ? control.launch - control.launch_slots : 0;
  into.counts.lost_leaders += control.lost_leaders;
  return {};
}

}  // namespace

Status BytesAtHand::read(std::uint64_t offset, std::span<std::byte> into) {
  std::ranges::copy(bytes_.subspan(offset, into.size()), into.begin());
  return {};
}

Status collect_channel(BufferBytes& buffer, std::uint32_t channel, std::uint32_t kernel,
                       CollectedLanes& into) {
  LOCKSTEP_ASSIGN_OR_RETURN(const Control control, read_control(buffer));
  return read_slots(buffer, control, channel, kernel, into);
}

}  // namespace lockstep::device
