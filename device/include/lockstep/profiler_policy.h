// How markers record, as policies, and the room in shared memory that they record into.
#ifndef LOCKSTEP_PROFILER_POLICY_H
#define LOCKSTEP_PROFILER_POLICY_H

namespace lockstep {

// What happens to records beyond the capacity.
enum class Overflow {
  kStop,  // the first ones are kept and the rest is counted; never outside the lane
  kRing,  // the last ones are kept; never outside the lane. Records must be a power of two
  kNone,  // not checked: a lane that overflows writes into what follows
};

// A policy is a struct of these members; derive and hide the ones to change.
struct DefaultPolicy {
  static constexpr bool kEnabled = true;  // false: the markers compile to nothing
  static constexpr Overflow kOverflow = Overflow::kStop;
  static constexpr bool kRegions = false;          // one 16-byte record for begin and end
  static constexpr bool kElected = false;          // the lowest active lane writes (divergent code)
  static constexpr bool kStrict = false;           // fences, as CudaProfiler has them
  static constexpr bool kInteriorAnchors = false;  // tie the clock to time also between the ends
  static constexpr bool kOverlapsPrevious = false;  // programmatic dependent launch
};
struct DisabledPolicy : DefaultPolicy {
  static constexpr bool kEnabled = false;
};
struct UncheckedPolicy : DefaultPolicy {
  static constexpr Overflow kOverflow = Overflow::kNone;
};
struct RingPolicy : DefaultPolicy {
  static constexpr Overflow kOverflow = Overflow::kRing;
};
struct RegionPolicy : DefaultPolicy {
  static constexpr bool kRegions = true;
};
struct ElectedPolicy : DefaultPolicy {
  static constexpr bool kElected = true;
};
struct StrictPolicy : DefaultPolicy {
  static constexpr bool kStrict = true;
};
struct OverlappedPolicy : DefaultPolicy {
  static constexpr bool kOverlapsPrevious = true;
};
struct AnchoredPolicy : DefaultPolicy {
  static constexpr bool kInteriorAnchors = true;
};

// Room for the records of a block in shared memory, static or dynamic. Its size is a multiple of
// 1024 bytes, so that what follows it keeps the alignment that tensor copies ask for.
template <unsigned Groups, unsigned Records>
struct alignas(1024) Staging {
  static_assert(Groups > 0 && Records > 1, "a staging has groups and records");
  static constexpr unsigned kGroups = Groups;
  static constexpr unsigned kRecords = Records;
  static constexpr unsigned kSpare = (Records * 8 + 15) / 16 * 16;  // where the overflow goes
  static constexpr unsigned kState = kSpare + 16;  // what the end needs of the begin
  static constexpr unsigned kLaneBytes = kState + 96;
  unsigned char bytes[Groups * kLaneBytes];
};

}  // namespace lockstep

#endif  // LOCKSTEP_PROFILER_POLICY_H
