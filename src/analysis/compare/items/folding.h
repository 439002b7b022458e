// Loops of unlike length against each other: an iteration of one may do the work of several of the
// other (every other pass has kernels of its own; a whole pass against its layers).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/compare/items/items.h"

namespace lockstep::analysis::compare {

// How many iterations of the shorter body may make one of the longer, best guess first; empty where
// the lengths are too near to each other, or no whole number comes near the longer one.
[[nodiscard]] std::vector<std::uint32_t> fold_counts(std::uint32_t shorter, std::uint32_t longer);

// Every `count` iterations of the loop that follow each other as one; those left over at the end of
// an instance are left out. Nothing for a segment, and where no instance has as many.
[[nodiscard]] std::optional<CompareItem> fold(const CompareItem& loop, std::uint32_t count);

}  // namespace lockstep::analysis::compare
