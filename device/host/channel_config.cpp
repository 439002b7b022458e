// Checks a channel's sizes and lays out its buffer.
#include "host/channel_config.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <random>
#include <string>

#include <fmt/format.h>

#include "base/text.h"

namespace lockstep::device {
namespace {

constexpr std::uint32_t kLeastLaneBytes = 64;
constexpr std::uint64_t kMostLaneBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kMostKeptLanes = 0xFFFF'FFFF;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 46;  // beyond any device
constexpr std::uint32_t kMostGroups = 1024;                   // threads of a block
constexpr std::uint32_t kMostAnchors = 1U << 20;
constexpr std::uint32_t kMostSlots = 1U << 20;
constexpr std::uint64_t kPartAlignment = 64;

std::uint64_t aligned(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

Status check_sizes(const ChannelConfig& config) {
  if (config.groups == 0 || config.groups > kMostGroups) {
    return usage_error(
        fmt::format("a block has 1 to {} groups, not {}", kMostGroups, config.groups));
  }
  if (config.records == 0) return usage_error("a lane needs room for at least one record");
  if (!std::has_single_bit(config.launch_slots) || config.launch_slots > kMostSlots) {
    return usage_error(fmt::format("the launches kept must be a power of two up to {}, not {}",
                                   grouped(kMostSlots), config.launch_slots));
  }
  if (config.anchor_capacity > kMostAnchors) {
    return usage_error(fmt::format("a lane has at most {} interior anchors, not {}",
                                   grouped(kMostAnchors), config.anchor_capacity));
  }
  return {};
}

Status check_list(const ChannelConfig& config) {
  if (config.listed_blocks.empty()) return usage_error("the list of blocks is empty");
  std::vector<std::uint64_t> sorted = config.listed_blocks;
  std::ranges::sort(sorted);
  if (sorted.back() >= config.blocks) {
    return usage_error(fmt::format("block {} is listed, but the launch has {}", sorted.back(),
                                   counted(config.blocks, "block")));
  }
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end()) {
    return usage_error(fmt::format("block {} is listed twice", *twice));
  }
  return {};
}

Status check_selection(const ChannelConfig& config) {
  if (config.selection == profile::kOnePerSm) {
    if (config.multiprocessors != 0) return {};
    return usage_error("one block for each multiprocessor needs the number of multiprocessors");
  }
  if (config.blocks == 0) return usage_error("the number of blocks is missing");
  if (config.blocks >= profile::kNotSelected) {
    return usage_error(
        fmt::format("{} blocks are more than a launch can have", grouped(config.blocks)));
  }
  switch (config.selection) {
    case profile::kAllBlocks:
      return {};
    case profile::kEveryNth:
      if (config.selection_step != 0) return {};
      return usage_error("every 0th block cannot be selected");
    case profile::kListed:
      return check_list(config);
    default:
      return usage_error(fmt::format("there is no selection of blocks numbered {}",
                                     static_cast<std::uint32_t>(config.selection)));
  }
}

std::uint64_t selected_blocks(const ChannelConfig& config) {
  switch (config.selection) {
    case profile::kEveryNth:
      return (config.blocks + config.selection_step - 1) / config.selection_step;
    case profile::kListed:
      return config.listed_blocks.size();
    case profile::kOnePerSm:
      return config.multiprocessors;
    default:
      return config.blocks;
  }
}

std::uint64_t table_entry_bytes(const ChannelConfig& config) {
  switch (config.selection) {
    case profile::kListed:
      return sizeof(profile::u32);
    case profile::kOnePerSm:
      return sizeof(profile::u64);
    default:
      return 0;
  }
}

std::uint64_t table_entries(const ChannelConfig& config) {
  switch (config.selection) {
    case profile::kListed:
      return config.blocks;
    case profile::kOnePerSm:
      return config.multiprocessors;
    default:
      return 0;
  }
}

Error too_large() {
  return usage_error("the buffer would be larger than any device's memory",
                     "Record fewer blocks, records or launches");
}

}  // namespace

Result<BufferPlan> plan_buffer(const ChannelConfig& config, std::uint64_t address) {
  LOCKSTEP_RETURN_IF_ERROR(check_sizes(config));
  LOCKSTEP_RETURN_IF_ERROR(check_selection(config));
  if (address % kBufferAlignment != 0) {
    return usage_error(
        fmt::format("the buffer at {:#x} is not aligned to {} bytes", address, kBufferAlignment));
  }

  const std::uint64_t record_bytes =
      config.has_region_records ? sizeof(profile::Region) : sizeof(profile::Record);
  const std::uint64_t with_spare_slots = (std::uint64_t{config.records} + 2) * record_bytes;
  const std::uint64_t lane_bytes =
      std::bit_ceil(std::max<std::uint64_t>(with_spare_slots, kLeastLaneBytes));
  const std::uint64_t lanes = selected_blocks(config) * config.groups;
  // Lanes are counted in 32 bits over all kept launches. 2^32 lanes of 2^30 bytes, 2^20 launches:
  // the products are taken where they cannot wrap.
  if (lane_bytes > kMostLaneBytes || lanes > kMostKeptLanes / config.launch_slots ||
      lanes * config.launch_slots > kMostBytes / lane_bytes ||
      lanes * config.launch_slots >
          kMostBytes / (sizeof(profile::Anchor) * (config.anchor_capacity + std::uint64_t{1}))) {
    return too_large();
  }
  const std::uint64_t kept_lanes = lanes * config.launch_slots;

  BufferPlan plan;
  plan.lanes = static_cast<std::uint32_t>(lanes);
  plan.lane_bytes = static_cast<std::uint32_t>(lane_bytes);
  plan.table_entries = static_cast<std::uint32_t>(table_entries(config));
  plan.selection_offset = sizeof(profile::Control);
  plan.heads_offset = aligned(
      plan.selection_offset + plan.table_entries * table_entry_bytes(config), kPartAlignment);
  plan.anchors_offset = plan.heads_offset + kept_lanes * sizeof(profile::LaneHead);
  const std::uint64_t anchors_end =
      plan.anchors_offset + kept_lanes * config.anchor_capacity * sizeof(profile::Anchor);
  plan.records_offset = aligned(address + anchors_end, lane_bytes) - address;
  plan.total_bytes = plan.records_offset + kept_lanes * lane_bytes;
  return plan;
}

Result<std::uint64_t> required_bytes(const ChannelConfig& config) {
  LOCKSTEP_ASSIGN_OR_RETURN(const BufferPlan plan, plan_buffer(config, 0));
  // At address 0 the gap before the records may be nothing; elsewhere it is at most one lane.
  return plan.total_bytes + plan.lane_bytes;
}

Result<std::vector<std::byte>> first_bytes(const ChannelConfig& config, std::uint64_t address,
                                           std::uint32_t nonce) {
  LOCKSTEP_ASSIGN_OR_RETURN(const BufferPlan plan, plan_buffer(config, address));
  profile::Control control{};
  control.magic = profile::kMagic;
  control.version = profile::kVersion;
  control.session = nonce;
  control.launch_slots = config.launch_slots;
  control.enabled = 1;
  control.lanes = plan.lanes;
  control.groups = config.groups;
  control.selection = config.selection;
  control.selection_step = config.selection_step;
  control.table_entries = plan.table_entries;
  control.lane_bytes = plan.lane_bytes;
  control.anchor_capacity = config.anchor_capacity;
  control.anchor_interval = config.anchor_interval_ns;
  control.selection_offset = plan.selection_offset;
  control.heads_offset = plan.heads_offset;
  control.anchors_offset = plan.anchors_offset;
  control.records_offset = plan.records_offset;

  // A table of claims starts with a launch that never comes; that of a list is filled below.
  std::vector<std::byte> bytes(plan.heads_offset, std::byte{0xFF});
  std::memcpy(bytes.data(), &control, sizeof(control));
  if (config.selection == profile::kListed) {
    std::vector<profile::u32> slots(plan.table_entries, profile::kNotSelected);
    for (std::size_t slot = 0; slot < config.listed_blocks.size(); ++slot) {
      slots[config.listed_blocks[slot]] = static_cast<profile::u32>(slot);
    }
    std::memcpy(bytes.data() + plan.selection_offset, slots.data(),
                slots.size() * sizeof(slots[0]));
  }
  return bytes;
}

std::uint32_t random_nonce() {
  std::random_device device;
  std::uint32_t nonce = 0;
  while (nonce == 0) nonce = device();
  return nonce;
}

}  // namespace lockstep::device
