// The rules of one lane: where it ends, what is stale, what wrapped.
#include "formats/kernel_profile/other_tools/strided_lane.h"

#include <algorithm>

namespace lockstep::formats::kernel_profile::strided {
namespace {

constexpr std::uint32_t kHalf = 1U << 31;
constexpr std::int64_t kWrap = std::int64_t{1} << 32;

// The slots up to and with the one that ends the lane. Behind finalize everything is stale. A lane
// without it ends where time steps back by less than half a wrap: a true wrap would mean that more
// than 2 s passed between two markers, an older launch is the likelier story.
std::span<const Slot> own_slots(std::span<const Slot> slots, bool has_finalize,
                                bool& is_finalized) {
  for (std::size_t i = 0; has_finalize && i < slots.size(); ++i) {
    if (type_of(slots[i].word) != kFinalizeType) continue;
    is_finalized = true;
    return slots.first(i + 1);
  }
  for (std::size_t i = 1; i < slots.size(); ++i) {
    const std::uint32_t back = time_of(slots[i - 1].word) - time_of(slots[i].word);
    if (back != 0 && back < kHalf && time_of(slots[i].word) < time_of(slots[i - 1].word)) {
      return slots.first(i);
    }
  }
  return slots;
}

// With empty slots between the records of the lane put back, or counted.
std::vector<Slot> with_empty_slots(std::span<const Slot> slots, std::uint64_t lane,
                                   const LaneRules& rules, StridedLane& out) {
  std::vector<Slot> whole;
  whole.reserve(slots.size());
  std::uint64_t next = 1 + lane;
  for (const Slot& slot : slots) {
    const std::uint64_t missing = slot.at > next ? (slot.at - next) / rules.stride : 0;
    if (!rules.can_be_zero) {
      out.holes += missing;
    } else if (missing > 0) {
      out.zero_records += missing;
      for (std::uint64_t i = 0; i < missing; ++i) whole.push_back({0, next + i * rules.stride});
    }
    whole.push_back(slot);
    next = slot.at + rules.stride;
  }
  return whole;
}

}  // namespace

StridedLane decode_lane(std::span<const Slot> slots, std::uint64_t lane, const LaneRules& rules) {
  StridedLane out;
  const std::span<const Slot> own = own_slots(slots, rules.has_finalize, out.is_finalized);
  out.stale = slots.size() - own.size();

  std::vector<Slot> whole;
  if (rules.stride != 0) {
    out.misplaced = static_cast<std::uint64_t>(std::ranges::count_if(own, [&](const Slot& slot) {
      return slot.at < 1 + lane || (slot.at - 1 - lane) % rules.stride != 0;
    }));
  }
  const bool is_regular = rules.stride != 0 && out.misplaced == 0;
  if (is_regular) whole = with_empty_slots(own, lane, rules, out);

  std::int64_t epoch = 0;
  std::uint32_t before = 0;
  for (const Slot& slot : is_regular ? std::span<const Slot>(whole) : own) {
    const std::uint32_t time = time_of(slot.word);
    if (time < before) {
      epoch += kWrap;
      ++out.wraps;
    }
    before = time;
    const std::uint32_t type = type_of(slot.word);
    if (type == kFinalizeType) {
      if (!rules.has_finalize) ++out.bad_type;
      out.end = epoch + time;
      continue;
    }
    out.records.push_back({.ticks = epoch + time,
                           .event = event_of(slot.word),
                           .type = static_cast<trace::RecordType>(type)});
  }
  return out;
}

std::uint64_t likely_stride(std::vector<std::uint64_t>& distances) {
  std::ranges::sort(distances);
  std::uint64_t best = 0;
  std::size_t best_count = 0;
  for (auto from = distances.begin(); from != distances.end();) {
    const auto to = std::upper_bound(from, distances.end(), *from);
    if (static_cast<std::size_t>(to - from) > best_count) {
      best = *from;
      best_count = static_cast<std::size_t>(to - from);
    }
    from = to;
  }
  return best;
}

std::optional<std::uint32_t> split_by_wrap(std::vector<std::uint32_t> begins) {
  std::ranges::sort(begins);
  for (std::size_t i = 1; i < begins.size(); ++i) {
    if (begins[i] - begins[i - 1] > kHalf) return begins[i];
  }
  return std::nullopt;
}

}  // namespace lockstep::formats::kernel_profile::strided
