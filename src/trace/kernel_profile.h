// What was recorded inside kernels: launches, lanes (one block and group each), their records and
// the anchors that tie a lane's clock to time. The vocabulary of `kernel decode`; every in-kernel
// format is decoded into it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"

namespace lockstep::trace {

// What the ticks of records count.
enum class LaneClock : std::uint8_t {
  kGlobalTimer,  // ns of one clock of the whole device
  kCycles,  // cycles of the lane's multiprocessor; anchors, where there are any, tie them to ns
  kStampedCycles,  // KernelLane::stamp_ns, and the cycles since then
};
[[nodiscard]] constexpr bool counts_cycles(LaneClock clock) {
  return clock != LaneClock::kGlobalTimer;
}

enum class RecordType : std::uint8_t { kBegin, kEnd, kInstant, kSwitch, kRegion };

// Numbers of events are below it, whatever the format.
inline constexpr std::uint32_t kMaxKernelEvents = 1U << 16;

// One marker, in the order of the lane's program, with wraps undone.
struct KernelRecord {
  std::int64_t ticks = 0;     // of the lane's clock; of a region: its begin
  std::uint32_t length = 0;   // of a region, in ticks
  std::uint32_t event = 0;    // of a switch: the event that begins
  std::uint32_t payload = 0;  // async: the token; switch: the event that ends
  RecordType type = RecordType::kBegin;
  bool is_async = false;
  bool has_payload = false;
};

// The device's timer stepped to `timer_ns` while the lane's cycle counter was in [before, after].
struct KernelAnchor {
  std::int64_t timer_ns = 0;
  std::int64_t clock_before = 0;
  std::int64_t clock_after = 0;
};

struct Extent3 {
  std::uint32_t x = 0;
  std::uint32_t y = 0;
  std::uint32_t z = 0;
  [[nodiscard]] std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};

struct KernelLaunch {
  std::uint32_t id = 0;       // dense
  std::uint32_t channel = 0;  // launches of one channel never overlapped
  std::uint64_t number = 0;   // in its channel, from 1; 0: not known
  std::string kernel;         // empty: not known
  Extent3 grid;               // zeros: not known
  Extent3 threads;
  Extent3 cluster;  // zeros: none
  std::uint32_t groups = 0;
  std::uint64_t lanes_expected = 0;  // 0: not known
};

struct KernelLane {
  std::uint32_t launch = 0;  // index into launches
  std::uint64_t block = 0;   // linear
  std::uint32_t group = 0;   // warp, warp group or whatever the kernel's author chose
  std::int32_t sm = -1;      // at its begin; -1: not known
  std::int32_t sm_end = -1;  // differs from sm: the lane migrated
  std::uint32_t cluster_rank = 0;
  std::uint32_t leader_thread = 0;
  std::uint64_t seen = 0;     // events that the program passed
  std::uint64_t written = 0;  // those kept
  std::uint64_t capacity = 0;
  bool is_finalized = false;
  bool is_ring = false;     // the last `written` are kept, else the first
  bool is_elected = false;  // several threads wrote: clocks may step back a little
  LaneClock clock = LaneClock::kGlobalTimer;
  std::int64_t stamp_ns = 0;       // of stamped cycles: what the timer showed where they begin
  std::uint64_t first_record = 0;  // in the store; `written` of them
  std::uint64_t first_anchor = 0;  // in KernelProfile::anchors
  std::uint32_t anchor_count = 0;  // in order of time
  std::string name{};              // of the group, where the format has one
};

// Memory for the records of one lane after the other.
struct RecordScratch {
  std::vector<KernelRecord> records;
  // A piece of the file that they come from, if they come from one.
  std::vector<std::byte> bytes;
  std::uint64_t from = 0;  // where in the file it begins
  std::uint64_t to = 0;    // and ends
};

struct KernelProfile;

// Where the records of lanes are. read() gives those of one lane, decoded into `scratch` or as they
// lie; it may be called from several threads with a scratch each.
class KernelRecords {
 public:
  virtual ~KernelRecords() = default;
  [[nodiscard]] virtual std::span<const KernelRecord> read(const KernelLane& lane,
                                                           std::span<const KernelAnchor> anchors,
                                                           RecordScratch& scratch) const = 0;
  // What was wrong in the lanes that were read so far, for formats that look at records only then.
  virtual void report(const KernelProfile&, Diagnostics&) const {}
  // An error where what was read so far was not there: a file may become shorter meanwhile. What
  // was made of it is of no use then.
  [[nodiscard]] virtual Status status() const { return {}; }
};

// Records that were decoded as a whole.
class DecodedRecords final : public KernelRecords {
 public:
  explicit DecodedRecords(std::vector<KernelRecord> records) : records_(std::move(records)) {}
  [[nodiscard]] std::span<const KernelRecord> read(const KernelLane& lane,
                                                   std::span<const KernelAnchor>,
                                                   RecordScratch&) const override {
    return std::span(records_).subspan(lane.first_record, lane.written);
  }

 private:
  std::vector<KernelRecord> records_;
};

struct KernelProfile {
  std::string format;    // "lkp", "tvm", ...
  std::string producer;  // what wrote it, where known
  std::string device;
  std::string arch;
  double timer_tick_ns = 0;              // step of the device's timer; 0: not known
  double clock_ghz = 0;                  // nominal rate of the cycle counter; 0: not known
  std::vector<std::string> event_names;  // by event; may be shorter than the highest event
  std::vector<KernelLaunch> launches;
  std::vector<KernelLane> lanes;  // by launch, block, group
  std::vector<KernelAnchor> anchors;
  std::shared_ptr<const KernelRecords> records;

  [[nodiscard]] std::span<const KernelAnchor> anchors_of(const KernelLane& lane) const {
    return std::span(anchors).subspan(lane.first_anchor, lane.anchor_count);
  }
  [[nodiscard]] std::span<const KernelRecord> records_of(const KernelLane& lane,
                                                         RecordScratch& scratch) const {
    return records->read(lane, anchors_of(lane), scratch);
  }
  // The given name, or "event 7".
  [[nodiscard]] std::string event_name(std::uint32_t event) const {
    if (event < event_names.size() && !event_names[event].empty()) return event_names[event];
    return "event " + std::to_string(event);
  }
};

}  // namespace lockstep::trace
