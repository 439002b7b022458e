// The records of a .lkp file, unpacked lane by lane from where they lie.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "formats/kernel_profile/clock_path.h"
#include "formats/kernel_profile/item_view.h"
#include "formats/kernel_profile/lkp/lkp_layout.h"
#include "formats/kernel_profile/lkp/lkp_sections.h"
#include "io/file_bytes.h"
#include "trace/kernel_profile.h"

namespace lockstep::formats::kernel_profile {

// What a look at all records of a lane found.
struct LaneCheck {
  std::uint64_t wraps = 0;
  std::uint64_t unnamed_events = 0;
  std::uint32_t first_unnamed = 0;
  std::uint64_t outside_anchors = 0;
  bool is_ambiguous = false;
  bool is_disordered = false;

  bool operator==(const LaneCheck&) const = default;
};

// KernelLane::first_record counts in the records, and behind them in the regions: a lane whose
// first record is the number of records begins at the first region.
class LkpRecords final : public trace::KernelRecords {
 public:
  // `names`: how many events have one. `step_ns` is the length of a tick of lanes that count the
  // steady counter (LaneClock kGlobalTimer); their ticks come out as ns.
  LkpRecords(LkpItems records, LkpItems regions, std::size_t names, double step_ns,
             std::shared_ptr<const io::FileBytes> file)
      : records_(records),
        regions_(regions),
        names_(names),
        step_ns_(step_ns),
        file_(std::move(file)) {}

  // Checks them, too.
  [[nodiscard]] std::span<const trace::KernelRecord> read(
      const trace::KernelLane& lane, std::span<const trace::KernelAnchor> anchors,
      trace::RecordScratch& scratch) const override;
  [[nodiscard]] Status status() const override { return file_->status(); }
  void report(const trace::KernelProfile& profile, Diagnostics& findings) const override;

  // Checks the records of a lane without unpacking them.
  void check(const trace::KernelLane& lane, std::span<const trace::KernelAnchor> anchors,
             trace::RecordScratch& scratch) const;
  // What checking this lane found, if it was checked.
  [[nodiscard]] LaneCheck found(const trace::KernelLane& lane) const;

 private:
  // Items of one lane: records, or regions.
  struct LaneItems {
    ItemView<lkp::Record> records;
    ItemView<lkp::Region> regions;

    [[nodiscard]] LaneClocks clocks() const;
  };
  // A lane that is gone through once.
  struct Reading {
    const trace::KernelLane& lane;
    std::span<const trace::KernelAnchor> anchors;
    trace::RecordScratch& scratch;
  };

  [[nodiscard]] bool has_regions(const trace::KernelLane& lane) const {
    return lane.first_record >= records_.size;
  }
  [[nodiscard]] std::span<const std::byte> bytes_at(std::uint64_t offset, std::size_t count,
                                                    trace::RecordScratch& scratch) const;
  [[nodiscard]] LaneItems items_of(const Reading& reading, std::uint64_t first,
                                   std::uint64_t count) const;
  [[nodiscard]] ClockPath path_of(const Reading& reading) const;
  // A lone region that lasts longer than its clocks can tell. Its ticks of wraps, or 0.
  [[nodiscard]] std::int64_t stretch_of(const Reading& reading, const ClockPath& path) const;
  // The lane in pieces, or as a whole where one record needs the one before it: use(first, items).
  template <typename Use>
  void for_each_piece(const Reading& reading, const ClockPath& path, const Use& use) const;
  [[nodiscard]] LaneCheck begun_check(const ClockPath& path, std::int64_t stretch) const;
  void note(const trace::KernelLane& lane, const LaneCheck& check) const;

  LkpItems records_;
  LkpItems regions_;
  std::size_t names_;
  double step_ns_;
  std::shared_ptr<const io::FileBytes> file_;
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::uint64_t, LaneCheck>
      found_;  // by first record: what is not right
};

}  // namespace lockstep::formats::kernel_profile
