// A read-only set of integers that are mostly dense, as correlation ids are: a bitmap where that is
// small, a sorted list otherwise.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lockstep::algo {

class IdSet {
 public:
  IdSet() = default;
  explicit IdSet(std::span<const std::int64_t> ids);

  [[nodiscard]] bool contains(std::int64_t id) const;
  [[nodiscard]] bool is_empty() const { return bits_.empty() && sorted_.empty(); }

 private:
  std::int64_t lowest_ = 0;
  std::vector<bool> bits_;  // from lowest_ on; unused when ids are sparse
  std::vector<std::int64_t> sorted_;
};

}  // namespace lockstep::algo
