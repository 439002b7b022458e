// A part of a trace: some ranks, devices and kinds, a slice of time.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace lockstep::trace {

// What is not set selects everything.
struct Selection {
  // The slice [from, to), from the zero of a rank.
  struct Slice {
    std::optional<Time> from = {};
    std::optional<Time> to = {};
  };
  std::optional<Time> from = {};
  std::optional<Time> to = {};
  // By rank, where their clocks or steps differ; instead of from and to. A rank without a slice has
  // nothing selected.
  std::vector<std::optional<Slice>> slices = {};
  std::optional<std::set<std::int64_t>> ranks = {};
  std::optional<std::set<std::string>> devices = {};  // ids
  std::optional<std::bitset<kKindCount>> kinds = {};

  [[nodiscard]] bool is_everything() const;
};

// Forgets all events that are not selected, and the flows, steps, tracks, processes, devices and
// ranks that have none left.
//
// An event that reaches into the slice is kept whole. A host call outside of the slice is kept when
// it launched device work that is kept; one that launched only work on other devices is not.
void keep_only(Trace& trace, const Selection& selection);

}  // namespace lockstep::trace
