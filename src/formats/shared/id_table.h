// Values by the ids of the rows of a table, for joins in memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lockstep::formats::shared {

// Profilers count ids up from 0 or 1: those lie in a vector whose size is in proportion to the
// number of rows. All others (a hash of a host name, a damaged id) go to a hash map. An id that the
// vector reaches lies in the vector only.
template <typename T>
class IdTable {
 public:
  explicit IdTable(T missing) : missing_(std::move(missing)) {}

  // Of several rows with one id the last counts.
  void set(std::int64_t id, T value) { place_of(id) = std::move(value); }

  // Of several rows with one id the first counts: false when one is there already. A row whose
  // value is that of a missing one is as good as none.
  bool add(std::int64_t id, T value) {
    T& place = place_of(id);
    if (place != missing_) return false;
    place = std::move(value);
    return true;
  }

  // The value of a row, or what stands for a missing one.
  [[nodiscard]] const T& find(std::int64_t id) const {
    const auto at = static_cast<std::uint64_t>(id);
    if (at < dense_.size()) return dense_[at];
    if (sparse_.empty()) return missing_;
    const auto known = sparse_.find(id);
    return known == sparse_.end() ? missing_ : known->second;
  }

 private:
  static constexpr std::uint64_t kSlack = 4096;
  static constexpr std::uint64_t kSpread = 4;

  [[nodiscard]] T& place_of(std::int64_t id) {
    ++rows_;
    const auto at = static_cast<std::uint64_t>(id);  // one below 0 is beyond all limits
    if (at >= dense_.size()) {
      if (at >= kSlack + kSpread * rows_) return sparse_.try_emplace(id, missing_).first->second;
      grow_to(std::max(at + 1, dense_.size() * 3 / 2));
    }
    return dense_[at];
  }

  void grow_to(std::size_t size) {
    dense_.resize(size, missing_);
    for (auto entry = sparse_.begin(); entry != sparse_.end();) {
      const auto at = static_cast<std::uint64_t>(entry->first);
      if (at < size) dense_[at] = std::move(entry->second);
      entry = at < size ? sparse_.erase(entry) : std::next(entry);
    }
  }

  T missing_;
  std::uint64_t rows_ = 0;
  std::vector<T> dense_;
  std::unordered_map<std::int64_t, T> sparse_;
};

}  // namespace lockstep::formats::shared
