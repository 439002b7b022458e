// Which kernels of one body stand against which of the other: one against one, several against one,
// or alone.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/compare/compare.h"
#include "analysis/compare/kernel_book.h"

namespace lockstep::analysis::compare {

// The kernels of one iteration in order, with the time that each takes on average.
struct Body {
  std::vector<KernelClass> kernels;
  std::vector<std::int64_t> mean_ps;

  [[nodiscard]] std::size_t size() const { return kernels.size(); }
};

// Positions of kernels that one row compares; ascending.
struct KernelGroup {
  RowKind kind = RowKind::kSame;
  std::vector<std::uint32_t> a;
  std::vector<std::uint32_t> b;
};

struct BodyPairing {
  std::vector<KernelGroup> groups;  // every kernel of both bodies once, in the order of a
  std::uint32_t rotation = 0;       // position of b that stands against position 0 of a
  bool by_name = false;             // too long to align: a group is all kernels of one name
  double similarity = 0;            // share of time and count in groups of both, 0 to 1
};

// A loop's body may begin anywhere, so it may be turned; a segment's may not.
[[nodiscard]] BodyPairing pair_bodies(const KernelBook& book, const Body& a, const Body& b,
                                      bool may_turn);

}  // namespace lockstep::analysis::compare
