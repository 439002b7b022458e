// The memory that a profiled kernel writes and the host reads: one layout, included by both sides.
//
// A buffer serves one channel: launches that never overlap each other (one stream, one kernel of a
// programmatic dependent chain). It holds, in this order, a Control, what the selection of blocks
// needs, the heads of all lanes, their anchors and their records. A launch has lanes (selected
// block x group); the buffer keeps the last `launch_slots` launches. Nothing needs zeroing: a lane
// is of a launch only if its head carries the session's nonce and that launch's number.
//
// C++17, no other header, so that NVRTC and HIP can compile it.
#ifndef LOCKSTEP_PROFILE_LAYOUT_H
#define LOCKSTEP_PROFILE_LAYOUT_H

namespace lockstep {
namespace profile {

using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;

constexpr u64 kMagic = 0x3152'4c4b'5053'4b4cULL;  // "LKSPKLR1"
constexpr u32 kVersion = 1;
constexpr u32 kNoSm = 0xFFFF'FFFFU;

// Which blocks have lanes.
enum Selection : u32 {
  kAllBlocks = 0,  // block b has slot b
  kEveryNth = 1,   // block b has slot b / n where n divides it
  kListed = 2,     // u32 table at selection_offset, by block: its slot or kNotSelected
  kOnePerSm = 3,   // the first block to come to a multiprocessor has that one's slot; u64 table at
                   // selection_offset, by SM: {launch, block + 1}
};
constexpr u32 kNotSelected = 0xFFFF'FFFFU;

// At the start of the buffer. The host writes it once; only `launch`, `lost_leaders` and the tables
// change afterwards.
struct Control {
  // What every leader reads, in one piece.
  u32 launch;        // number of the launch that runs now, from 1; advanced on the device
  u32 launch_slots;  // a power of two: launch n is kept in slot n & (launch_slots - 1)
  u32 lanes;         // of one launch: selected blocks x groups; lanes x launch_slots < 2^32
  u32 session;       // nonce of this session
  // 16
  u32 groups;      // of one block
  u32 selection;   // Selection
  u32 lane_bytes;  // records of one lane with two spare slots: a power of two, at least 64
  u32 enabled;     // 0: nothing is written to lanes
  // 32: offsets from the start of the buffer
  u64 heads_offset;
  u64 records_offset;  // records of lane i of slot s at + (s * lanes + i) * lane_bytes; aligned to
                       // lane_bytes as an address, so that no lane crosses a 4 GiB line
  // 48
  u32 selection_step;   // n of kEveryNth
  u32 table_entries;    // of the table of kListed (blocks) or kOnePerSm (multiprocessors)
  u32 anchor_capacity;  // interior anchors of a lane; may be 0
  u32 anchor_interval;  // ns between interior anchors; 0: none but those asked for by hand
  // 64
  u64 selection_offset;
  u64 anchors_offset;
  // 80
  u64 magic;
  u32 version;
  u32 lost_leaders;  // leaders that found no lane though their block is selected
  // 96
  u32 reserved[8];
};
static_assert(sizeof(Control) == 128, "layout");

// The global timer stepped to `timer` (0: never seen) while the cycle counter was in [clock_before,
// clock_after].
struct Anchor {
  u64 timer;  // ns (steady-counter ticks on AMD)
  u64 clock_before;
  u64 clock_after;
};
static_assert(sizeof(Anchor) == 24, "layout");

enum LaneFlags : u32 {
  kFinalized = 1,      // finalize ran: seen, sm_end and the end anchors are true
  kRegionRecords = 2,  // 16-byte Region, else 8-byte Record
  kRing = 4,           // the last records are kept, else the first
  kElected = 8,        // several threads of a warp wrote
  kUnchecked = 16,     // no bound was checked
  kStrict = 32,        // fences around every marker
  kSteadyClock = 64,   // records hold the steady counter (AMD gfx11), not cycles
  kStaged = 128,       // through shared memory
  kNested = 256,       // reserved
};

// One per lane and kept launch. Written by the leader at finalize (in global memory the begin
// anchor and sm_begin at init); whoever never finalizes leaves the head of an older launch.
struct LaneHead {
  u32 session;  // written last
  u32 launch;
  u32 lane;
  u32 group;
  u64 block;  // linear: (z * grid.y + y) * grid.x + x
  u32 sm_begin;
  u32 leader_thread;  // linear in the block
  // 32
  u32 grid[3];
  u32 cluster;  // x | y << 8 | z << 16; 0: no clusters
  u32 threads[3];
  u32 cluster_rank;
  // 64
  u64 grid_id;
  u32 flags;
  u32 sm_end;
  u64 seen;           // events that the lane's program passed, kept or not
  u32 capacity;       // records that fit
  u32 anchors_taken;  // interior ones; those beyond the capacity were not written
  // 96
  Anchor begin;
  Anchor end;
};
static_assert(sizeof(LaneHead) == 144, "layout");

// What a marker writes. tag = type[31:30] flags[29:28] event[27:16] payload[15:0].
struct Record {
  u32 clock;
  u32 tag;
};
static_assert(sizeof(Record) == 8, "layout");

// Begin and end of a region in one record; the payload is wide, and the tag's low 16 bits are 0, or
// kEdgeAmongRegions: then this is a single event of the tag's type at t0, and not a region.
struct Region {
  u32 t0;
  u32 t1;
  u32 tag;
  u32 payload;
};
static_assert(sizeof(Region) == 16, "layout");

constexpr u32 kEdgeAmongRegions = 1;

enum RecordType : u32 {
  kBegin = 0,
  kEnd = 1,
  kInstant = 2,
  kSwitch = 3,  // ends the event in payload[11:0] and begins the one in event[27:16]
};
// Flags of a record.
constexpr u32 kAsync = 1;       // begin or end of work that another lane may end; payload = token
constexpr u32 kHasPayload = 2;  // the payload was given by the user

constexpr u32 kEventBits = 12;
constexpr u32 kEvents = 1U << kEventBits;

#if !defined(__CUDACC_RTC__)  // which takes no function of the host
constexpr u32 make_tag(u32 type, u32 flags, u32 event, u32 payload) {
  return type << 30 | flags << 28 | (event & (kEvents - 1)) << 16 | (payload & 0xFFFFU);
}
#endif

}  // namespace profile
}  // namespace lockstep

#endif  // LOCKSTEP_PROFILE_LAYOUT_H
