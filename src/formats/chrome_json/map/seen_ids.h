// Remembers ids and tells when one comes a second time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <vector>

namespace lockstep::formats::chrome_json {

// Profilers number from 1 up, so a bitmap holds them; others go to a hash set.
class SeenIds {
 public:
  // False when it was there already.
  bool insert(std::int64_t id) {
    if (id < 0 || static_cast<std::uint64_t>(id) >= kBitmapIds) return others_.insert(id).second;
    const auto at = static_cast<std::size_t>(id);
    if (bitmap_.size() <= at) bitmap_.resize(std::max(at + 1, std::min(kBitmapIds, at * 2)));
    if (bitmap_[at]) return false;
    bitmap_[at] = true;
    return true;
  }

 private:
  static constexpr std::size_t kBitmapIds = std::size_t{1} << 26;
  std::vector<bool> bitmap_;
  std::unordered_set<std::int64_t> others_;
};

}  // namespace lockstep::formats::chrome_json
