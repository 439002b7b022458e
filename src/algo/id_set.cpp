// Building and asking of the two forms of IdSet.
#include "algo/id_set.h"

#include <algorithm>

namespace lockstep::algo {
namespace {

// A bitmap may take as much memory as the list of 64-bit ids would.
constexpr std::uint64_t kBitsPerId = 64;

}  // namespace

IdSet::IdSet(std::span<const std::int64_t> ids) {
  if (ids.empty()) return;
  const auto [lowest, highest] = std::ranges::minmax(ids);
  const std::uint64_t reach =
      static_cast<std::uint64_t>(highest) - static_cast<std::uint64_t>(lowest);
  lowest_ = lowest;
  if (reach / kBitsPerId < ids.size()) {
    bits_.resize(reach + 1);
    for (const std::int64_t id : ids) bits_[static_cast<std::uint64_t>(id - lowest)] = true;
    return;
  }
  sorted_.assign(ids.begin(), ids.end());
  std::ranges::sort(sorted_);
}

bool IdSet::contains(std::int64_t id) const {
  if (bits_.empty()) return std::ranges::binary_search(sorted_, id);
  if (id < lowest_) return false;
  const std::uint64_t at = static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(lowest_);
  return at < bits_.size() && bits_[at];
}

}  // namespace lockstep::algo
