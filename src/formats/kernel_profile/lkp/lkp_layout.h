// The .lkp file, little-endian, as structs: a header, section entries, then 64-aligned sections.
// docs/formats/lkp.md has the same table for people.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace lockstep::formats::kernel_profile::lkp {

inline constexpr std::array<char, 8> kMagic = {'L', 'K', 'P', '1', '\r', '\n', '\x1a', '\n'};
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::uint64_t kSectionAlignment = 64;

struct Header {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t header_bytes;  // section entries begin here
  std::uint64_t file_bytes;
  std::uint32_t sections;
  std::array<std::uint32_t, 9> zeros;
};
static_assert(sizeof(Header) == 64);
static_assert(offsetof(Header, file_bytes) == 16 && offsetof(Header, sections) == 24);

enum class SectionKind : std::uint32_t {
  kMeta = 1,  // JSON text; items are bytes
  kLaunch = 2,
  kLane = 3,
  kAnchor = 4,
  kRecord = 5,
  kRegion = 6,
};

struct Section {
  std::uint32_t kind;
  std::uint32_t item_bytes;  // may be larger than the struct known here: the rest is skipped
  std::uint64_t offset;
  std::uint64_t items;
};
static_assert(sizeof(Section) == 24);

struct Launch {
  std::uint32_t id;
  std::uint32_t channel;
  std::uint64_t number;
  std::uint32_t kernel;  // index into META's kernels; 0xFFFFFFFF: not known
  std::uint32_t groups;
  std::array<std::uint32_t, 3> grid;
  std::array<std::uint32_t, 3> threads;
  std::array<std::uint32_t, 3> cluster;
  std::uint32_t flags;  // 0
  std::uint64_t lanes_expected;
};
static_assert(sizeof(Launch) == 72 && offsetof(Launch, lanes_expected) == 64);

struct Lane {
  std::uint32_t launch;
  std::uint32_t lane;
  std::uint64_t block;
  std::uint32_t group;
  std::uint32_t sm_begin;
  std::uint32_t sm_end;
  std::uint32_t cluster_rank;
  std::uint32_t leader_thread;
  std::uint32_t flags;         // profile::LaneFlags
  std::uint64_t first_record;  // of the RECORD section, or of REGION with kRegionRecords
  std::uint64_t seen;
  std::uint64_t written;
  std::uint64_t capacity;
  std::uint64_t first_anchor;
  std::uint32_t anchors;
  std::uint32_t zero;
};
static_assert(sizeof(Lane) == 88 && offsetof(Lane, first_record) == 40 &&
              offsetof(Lane, first_anchor) == 72);

struct Anchor {
  std::uint64_t timer;
  std::uint64_t clock_before;
  std::uint64_t clock_after;
};
static_assert(sizeof(Anchor) == 24);

struct Record {
  std::uint32_t clock;
  std::uint32_t tag;  // type[31:30] flags[29:28] event[27:16] payload[15:0]
};
static_assert(sizeof(Record) == 8);

struct Region {
  std::uint32_t t0;
  std::uint32_t t1;
  std::uint32_t tag;
  std::uint32_t payload;
};
static_assert(sizeof(Region) == 16);

}  // namespace lockstep::formats::kernel_profile::lkp
