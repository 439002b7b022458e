// Writes .lkp files; docs/formats/lkp.md says what every field means.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "formats/kernel_profile/lkp/lkp_layout.h"
#include "io/byte_sink.h"

namespace lockstep::formats::kernel_profile {

// What the collection of a profile found missing or mixed up in the device's memory.
struct LkpLosses {
  std::uint64_t overwritten_launches = 0;  // older than those that are kept
  std::uint64_t stale_lanes = 0;           // left over from such launches
  std::uint64_t lost_leaders = 0;          // beyond the lanes that there was memory for
  std::uint64_t mixed_lanes = 0;           // of launches that share a number
  [[nodiscard]] bool operator==(const LkpLosses&) const = default;
};

// What META says, as JSON:
//   {"producer", "device", "arch", "tick": {"timer_ns", "clock_ghz"}, "events": [], "kernels": [],
//    "losses": {"overwritten_launches", "stale_lanes", "lost_leaders", "mixed_lanes"}}
// Members that are empty or 0 are left out.
struct LkpMeta {
  std::string producer;
  std::string device;
  std::string arch;
  double timer_tick_ns = 0;          // step of the device's timer
  double clock_ghz = 0;              // nominal rate of the cycle counter
  std::vector<std::string> events;   // by event
  std::vector<std::string> kernels;  // by lkp::Launch::kernel
  LkpLosses losses = {};
};

// A profile as it lies in the file. Nothing is copied, so what the spans see must outlive the call.
//
// Records of a lane stand in the order of its program, whatever the lane was: a ring is unrolled
// before it is written (its oldest record first), and a lane that saturated has no spare slot.
// `first_record` counts in `regions` for lanes with profile::kRegionRecords, else in `records`.
// Anchors of a lane stand in order of time: those of its begin, interior ones, those of its end.
// `timer` of an anchor is always ns. Lanes with profile::kSteadyClock count steps of
// meta.timer_tick_ns in their records and in the clocks of their anchors.
struct LkpContents {
  LkpMeta meta;
  std::span<const lkp::Launch> launches;
  std::span<const lkp::Lane> lanes;
  std::span<const lkp::Anchor> anchors;
  std::span<const lkp::Record> records;
  std::span<const lkp::Region> regions;
};

[[nodiscard]] std::string meta_json(const LkpMeta& meta);

// Writes the whole file; closing the sink is left to the caller. Sections without items are left
// out, META is always there.
[[nodiscard]] Status write_lkp(const LkpContents& contents, io::ByteSink& sink);

}  // namespace lockstep::formats::kernel_profile
