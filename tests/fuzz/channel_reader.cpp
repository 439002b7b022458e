// Any bytes as the buffer of a channel, as they are and with a sound start put before them: no
// crash, and lanes that lie inside what was read, or a sentence.
#include "host/channel_reader.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "fuzz_check.h"
#include "lockstep/profile_layout.h"

namespace lockstep {
namespace {

void check(std::span<const std::byte> buffer) {
  device::BytesAtHand bytes(buffer);
  device::CollectedLanes all;
  if (!device::collect_channel(bytes, 0, 0, all).ok()) return;
  for (const formats::kernel_profile::lkp::Lane& lane : all.lanes) {
    const bool is_region = (lane.flags & profile::kRegionRecords) != 0;
    const std::uint64_t items = is_region ? all.regions.size() : all.records.size();
    LOCKSTEP_FUZZ_CHECK(lane.launch < all.launches.size());
    LOCKSTEP_FUZZ_CHECK(lane.written <= lane.seen);
    LOCKSTEP_FUZZ_CHECK(lane.first_record <= items && lane.written <= items - lane.first_record);
    LOCKSTEP_FUZZ_CHECK(lane.first_anchor + lane.anchors <= all.anchors.size());
  }
  LOCKSTEP_FUZZ_CHECK(all.counts.lanes == all.lanes.size());
  LOCKSTEP_FUZZ_CHECK(all.counts.launches == all.launches.size());
  LOCKSTEP_FUZZ_CHECK((all.records.size() + all.regions.size()) *
                          sizeof(formats::kernel_profile::lkp::Record) <=
                      buffer.size());
}

// Two lanes in each of two slots, right behind the control.
profile::Control sound_control() {
  profile::Control control{};
  control.magic = profile::kMagic;
  control.version = profile::kVersion;
  control.session = 1;
  control.launch = 2;
  control.launch_slots = 2;
  control.enabled = 1;
  control.lanes = 2;
  control.groups = 2;
  control.lane_bytes = 64;
  control.anchor_capacity = 1;
  control.heads_offset = sizeof(control);
  control.anchors_offset = control.heads_offset + 4 * sizeof(profile::LaneHead);
  control.records_offset = control.anchors_offset + 4 * sizeof(profile::Anchor);
  return control;
}

}  // namespace
}  // namespace lockstep

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  check(bytes);

  const profile::Control control = sound_control();
  std::vector<std::byte> buffer(control.records_offset + 4 * control.lane_bytes);
  std::memcpy(buffer.data(), &control, sizeof(control));
  if (size != 0)
    std::memcpy(buffer.data() + sizeof(control), data,
                std::min(size, buffer.size() - sizeof(control)));
  check(buffer);
  return 0;
}
