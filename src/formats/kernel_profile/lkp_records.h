// The records of a .lkp file, unpacked lane by lane from where they lie.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "formats/kernel_profile/clock_path.h"
#include "formats/kernel_profile/item_view.h"
#include "formats/kernel_profile/lkp_layout.h"
#include "trace/kernel_profile.h"

namespace lockstep {

// What a look at all records of a lane found.
struct LaneCheck {
  std::uint64_t wraps = 0;
  std::uint64_t unnamed_events = 0;
  std::uint32_t first_unnamed = 0;
  std::uint64_t outside_anchors = 0;
  bool is_ambiguous = false;
  bool is_disordered = false;
};

// KernelLane::first_record counts in the records, and behind them in the regions: a lane whose
// first record is the number of records begins at the first region.
class LkpRecords final : public KernelRecords {
 public:
  // `step_ns` is the length of a tick of lanes that count the steady counter (LaneClock
  // kGlobalTimer); their ticks come out as ns. `owner` keeps what the views see.
  LkpRecords(ItemView<lkp::Record> records, ItemView<lkp::Region> regions, double step_ns,
             std::shared_ptr<const void> owner)
      : records_(records), regions_(regions), step_ns_(step_ns), owner_(std::move(owner)) {}

  [[nodiscard]] std::span<const KernelRecord> read(
      const KernelLane& lane, std::span<const KernelAnchor> anchors,
      std::vector<KernelRecord>& scratch) const override;

  // `names`: how many events have one.
  [[nodiscard]] LaneCheck check(const KernelLane& lane, std::span<const KernelAnchor> anchors,
                                std::size_t names) const;

 private:
  [[nodiscard]] bool has_regions(const KernelLane& lane) const {
    return lane.first_record >= records_.size();
  }
  [[nodiscard]] LaneClocks clocks_of(const KernelLane& lane) const;
  // A lone region that lasts longer than its clocks can tell. Its ticks of wraps, or 0.
  [[nodiscard]] std::int64_t stretch_of(const KernelLane& lane, const ClockPath& path) const;
  [[nodiscard]] ClockPath path_of(const KernelLane& lane,
                                  std::span<const KernelAnchor> anchors) const;

  ItemView<lkp::Record> records_;
  ItemView<lkp::Region> regions_;
  double step_ns_;
  std::shared_ptr<const void> owner_;
};

}  // namespace lockstep
