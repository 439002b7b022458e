// Reads what a profiled kernel left in a channel's buffer and puts it in the shape of a .lkp file.
//
// Needs no driver: the bytes come from wherever they are. Nothing in them is trusted; what does not
// fit is counted or refused, never followed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "formats/kernel_profile/lkp/lkp_layout.h"

namespace lockstep::device {

// A buffer to copy from: device memory, or bytes at hand.
class BufferBytes {
 public:
  virtual ~BufferBytes() = default;
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  // `offset` + the size of `into` is at most size().
  [[nodiscard]] virtual Status read(std::uint64_t offset, std::span<std::byte> into) = 0;
};

class BytesAtHand final : public BufferBytes {
 public:
  explicit BytesAtHand(std::span<const std::byte> bytes) : bytes_(bytes) {}
  [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }
  [[nodiscard]] Status read(std::uint64_t offset, std::span<std::byte> into) override;

 private:
  std::span<const std::byte> bytes_;
};

// What a collection found.
struct CollectCounts {
  std::uint64_t launches = 0;  // with at least one lane
  std::uint64_t lanes = 0;
  std::uint64_t records = 0;
  std::uint64_t dropped_records = 0;       // passed by a program, but not kept
  std::uint64_t overwritten_launches = 0;  // older than the launches that are kept
  std::uint64_t stale_lanes = 0;           // left over from such launches
  std::uint64_t unfinished_lanes = 0;      // begun, but never finalized: without records
  std::uint64_t lost_leaders = 0;          // beyond the lanes that the channel was made for
  std::uint64_t mixed_lanes = 0;  // of a launch that shares its number with another: not advanced
};

// Channels, one after the other, as the sections of a .lkp file.
struct CollectedLanes {
  std::vector<formats::kernel_profile::lkp::Launch> launches;
  std::vector<formats::kernel_profile::lkp::Lane> lanes;  // by launch, block, group
  std::vector<formats::kernel_profile::lkp::Anchor> anchors;
  std::vector<formats::kernel_profile::lkp::Record> records;
  std::vector<formats::kernel_profile::lkp::Region> regions;
  CollectCounts counts;
};

// Adds the kept launches of one channel, oldest first. `kernel` indexes META's names of kernels.
// Errors: not the buffer of a channel, or one that is shorter than it says; `into` is of no use
// then.
[[nodiscard]] Status collect_channel(BufferBytes& buffer, std::uint32_t channel,
                                     std::uint32_t kernel, CollectedLanes& into);

}  // namespace lockstep::device
