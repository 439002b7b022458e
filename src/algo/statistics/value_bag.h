// A great many values, most of them small, whose order statistics are wanted exactly: 4 bytes each.
#pragma once

#include <cstdint>
#include <vector>

#include "algo/statistics/statistics.h"

namespace lockstep::algo {

// Values from 0 to 2^32 - 1 take 4 bytes, others 8. Memory grows by pieces, so nothing is copied
// and little stands empty. The answer does not depend on the order in which values came.
class ValueBag {
 public:
  void add(std::int64_t value) {
    if (static_cast<std::uint64_t>(value) > UINT32_MAX) {
      wide_.push_back(value);
      return;
    }
    if (narrow_.empty() || narrow_.back().size() == narrow_.back().capacity()) add_piece();
    narrow_.back().push_back(static_cast<std::uint32_t>(value));
  }
  // Takes over what another bag holds.
  void absorb(ValueBag&& other);

  [[nodiscard]] std::uint64_t size() const;
  // As of a vector of the values; linear. The bag is not empty.
  [[nodiscard]] OrderStatistics order_statistics() const;

 private:
  void add_piece();

  std::vector<std::vector<std::uint32_t>> narrow_;
  std::vector<std::int64_t> wide_;
};

}  // namespace lockstep::algo
