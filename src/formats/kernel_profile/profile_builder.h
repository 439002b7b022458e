// Collects what the decoders of foreign formats find, lane by lane, and makes a profile of it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "trace/kernel_profile.h"

namespace lockstep::formats::kernel_profile {

struct LaneDraft {
  trace::KernelLane lane;  // seen, written, first_record and anchors are filled by finish()
  std::vector<trace::KernelRecord> records;
  std::vector<trace::KernelAnchor> anchors;
  std::uint64_t dropped = 0;
};

class ProfileBuilder {
 public:
  trace::KernelProfile profile;  // what is known of the whole; launches are added here

  // The lane of this block and group, made when it is asked for first. The reference holds until
  // the next call.
  [[nodiscard]] LaneDraft& lane(std::uint32_t launch, std::uint64_t block, std::uint32_t group);
  // One more lane, whether or not its block and group have one.
  [[nodiscard]] LaneDraft& add_lane(std::uint32_t launch, std::uint64_t block, std::uint32_t group);
  [[nodiscard]] std::span<LaneDraft> lanes() { return drafts_; }

  // The number of the event with this name, the next free one when it is new; none where all
  // kMaxKernelEvents are taken.
  [[nodiscard]] std::optional<std::uint32_t> event_named(std::string_view name);

  // Sorts the lanes, reports what report_lanes() finds and unnamed events, and gives the profile.
  // `has_ends`: lanes of this format have a mark of their end.
  [[nodiscard]] trace::KernelProfile finish(bool has_ends, Diagnostics& findings);

 private:
  struct Key {
    std::uint32_t launch;
    std::uint64_t block;
    std::uint32_t group;
    auto operator<=>(const Key&) const = default;
  };
  std::vector<LaneDraft> drafts_;
  std::map<Key, std::size_t> index_;
  std::map<std::string, std::uint32_t, std::less<>> event_numbers_;
};

// A region of any length: one record, or two where its length has no room in one.
void add_region(std::vector<trace::KernelRecord>& records, std::int64_t begin, std::int64_t end,
                trace::KernelRecord record);

// The step that all times of a 32 or 64-bit timer share: 1024, 32 or a smaller power of two, from
// the union of their bits; 0 where there are too few to tell.
[[nodiscard]] double timer_step_ns(std::uint64_t bits, std::uint64_t times);

}  // namespace lockstep::formats::kernel_profile
