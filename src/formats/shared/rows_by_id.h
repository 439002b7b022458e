// Values of any sort by their ids, in the order in which they came.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "formats/shared/id_index.h"

namespace lockstep::formats::shared {

// For values that are larger than an id or have none that could stand for a missing one. Any id
// that a file may hold is good; memory stays in proportion to the number of values.
template <typename T>
class RowsById {
 public:
  // A later value of an id takes the place of an earlier one.
  void set(std::int64_t id, T value) {
    const std::uint32_t row = index_.find(id);
    if (row != IdIndex::kNone) {
      values_[row] = std::move(value);
    } else {
      index_.set(id, static_cast<std::uint32_t>(values_.size()));
      values_.push_back(std::move(value));
    }
  }

  // Null when there is none. Another set() may move it.
  [[nodiscard]] T* find(std::int64_t id) {
    const std::uint32_t row = index_.find(id);
    return row == IdIndex::kNone ? nullptr : &values_[row];
  }

  [[nodiscard]] std::vector<T>& values() { return values_; }

 private:
  IdIndex index_;
  std::vector<T> values_;
};

}  // namespace lockstep::formats::shared
