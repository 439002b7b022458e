// Values by the ids of the rows of a table, for joins in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lockstep {

// Profilers count ids up from 0 or 1: those lie in a vector whose size is in proportion to the
// number of rows. All others (a hash of a host name, a damaged id) go to a hash map.
template <typename T>
class IdTable {
 public:
  explicit IdTable(T missing) : missing_(std::move(missing)) {}

  // Of several rows with one id the last counts.
  void set(std::int64_t id, T value) {
    ++rows_;
    if (id < 0 || static_cast<std::uint64_t>(id) >= kSlack + kSpread * rows_) {
      sparse_.insert_or_assign(id, std::move(value));
      return;
    }
    const auto at = static_cast<std::size_t>(id);
    if (dense_.size() <= at) dense_.resize(at + 1, missing_);  // grows in steps of its own
    dense_[at] = std::move(value);
    if (!sparse_.empty()) sparse_.erase(id);
  }

  // The value of a row, or what stands for a missing one.
  [[nodiscard]] const T& find(std::int64_t id) const {
    if (!sparse_.empty()) {
      const auto known = sparse_.find(id);
      if (known != sparse_.end()) return known->second;
    }
    const bool is_dense = id >= 0 && static_cast<std::uint64_t>(id) < dense_.size();
    return is_dense ? dense_[static_cast<std::size_t>(id)] : missing_;
  }

 private:
  static constexpr std::uint64_t kSlack = 4096;
  static constexpr std::uint64_t kSpread = 4;

  T missing_;
  std::uint64_t rows_ = 0;
  std::vector<T> dense_;
  std::unordered_map<std::int64_t, T> sparse_;
};

}  // namespace lockstep
