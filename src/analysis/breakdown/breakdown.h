// Where the time of a device goes: every moment of some windows (iterations, steps, the capture)
// belongs to one part, so that the parts of a window add up to its length, to the picosecond.
//
// Streams of a device run at once. A moment in which several parts run belongs to the first of them
// in the order of Part: computing before communication before copies. What is left to communication
// is therefore what no computing hides. Pure functions; `cycles` and `compare` build on them.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/kernels/role.h"
#include "base/time.h"
#include "trace/trace.h"

namespace lockstep::analysis::breakdown {

// In the order in which they take a moment that several of them share.
enum class Part : std::uint8_t {
  kGemm,
  kExpertGemm,
  kConvolution,
  kAttention,
  kNorm,
  kRope,
  kActivation,
  kMoeRouting,
  kOptimizer,
  kSampling,
  kReduction,
  kElementwise,
  kCopy,  // kernels that copy
  kOther,
  kCommunication,
  kMemcpy,  // copies and sets that are no kernels
  kIdle,    // nothing runs
};
inline constexpr std::size_t kPartCount = 17;

[[nodiscard]] constexpr std::size_t index_of(Part part) { return static_cast<std::size_t>(part); }
[[nodiscard]] std::string_view name_of(Part part);  // a kernel's role; "memcpy", "idle"
[[nodiscard]] Part part_of(kernels::KernelRole role);

// [start, end)
struct Window {
  Time start;
  Time end;
  friend bool operator==(const Window&, const Window&) = default;
};

struct PartTime {
  WideTime elapsed = 0;  // moments that are its own; those of all parts add up to the wall time
  WideTime running = 0;  // moments in which it runs, its own or not

  [[nodiscard]] WideTime hidden() const { return running - elapsed; }  // beside a part before it
  friend bool operator==(const PartTime&, const PartTime&) = default;
};

// Of several windows together.
struct Breakdown {
  std::uint64_t windows = 0;
  WideTime wall = 0;
  std::array<PartTime, kPartCount> parts{};

  void add(const Breakdown& other);  // of other windows
  [[nodiscard]] const PartTime& operator[](Part part) const { return parts[index_of(part)]; }
  [[nodiscard]] WideTime idle() const { return parts[index_of(Part::kIdle)].elapsed; }
  [[nodiscard]] WideTime busy() const { return wall - idle(); }
  friend bool operator==(const Breakdown&, const Breakdown&) = default;
};

// What each part takes of a mean window, in whole nanoseconds that add up to its floored wall time.
[[nodiscard]] std::array<std::int64_t, kPartCount> mean_ns(const Breakdown& breakdown);

// Work of a device.
struct PartSpan {
  Time start;
  Time end;
  Part part = Part::kOther;
};

// Which parts run on one device, moment by moment.
class Occupancy {
 public:
  Occupancy() = default;
  // Spans in any order; linear where they are sorted by start and few run at once.
  explicit Occupancy(std::vector<PartSpan> spans);

  // Linear in what lies in the windows, which may overlap; each is found by bisection.
  [[nodiscard]] Breakdown over(std::span<const Window> windows) const;

  // Lengths of the stretches in which nothing runs, window by window. A pause that reaches over a
  // border is two.
  [[nodiscard]] std::vector<Time> idle_stretches(std::span<const Window> windows) const;

 private:
  using PartSet = std::uint32_t;  // a bit a part
  static_assert(kPartCount <= 32);

  void begin_at(Time time, PartSet running);
  // Calls use(length, parts) for each stretch of the window in which the same parts run.
  template <typename Use>
  void walk(const Window& window, Use use) const;

  // From starts_[i] to the next one running_[i] run; nothing before the first and from the last on.
  std::vector<Time> starts_;
  std::vector<PartSet> running_;
};

// The devices of a trace, found in one pass over its events.
class DeviceOccupancy {
 public:
  explicit DeviceOccupancy(const trace::Trace& trace);

  // Of a device that did nothing it is empty.
  [[nodiscard]] const Occupancy& of(trace::RankId rank, trace::DeviceId device) const;

 private:
  std::map<std::pair<trace::RankId, trace::DeviceId>, Occupancy> devices_;
  Occupancy nothing_;
};

}  // namespace lockstep::analysis::breakdown
