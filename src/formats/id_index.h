// From the ids of a table to the positions of its rows: a vector for ids that count up, a hash map
// for the rest.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace lockstep {

class IdIndex {
 public:
  static constexpr std::uint32_t kNone = 0xFFFF'FFFF;

  // False when the id is there already: the first one counts.
  bool add(std::int64_t id, std::uint32_t position) {
    if (find(id) != kNone) return false;
    const auto at = static_cast<std::uint64_t>(id);
    ++count_;
    if (at < dense_.size() || at < 2 * count_ + kSlack) {
      if (dense_.size() <= at) dense_.resize(at + at / 2 + 1, kNone);
      dense_[at] = position;
    } else {
      sparse_.emplace(id, position);
    }
    return true;
  }

  [[nodiscard]] std::uint32_t find(std::int64_t id) const {
    const auto at = static_cast<std::uint64_t>(id);
    if (at < dense_.size() && dense_[at] != kNone) return dense_[at];
    if (sparse_.empty()) return kNone;
    const auto found = sparse_.find(id);
    return found == sparse_.end() ? kNone : found->second;
  }

 private:
  static constexpr std::uint64_t kSlack = 1U << 20;  // how far ahead of the count an id may be

  std::uint64_t count_ = 0;
  std::vector<std::uint32_t> dense_;
  std::unordered_map<std::int64_t, std::uint32_t> sparse_;
};

}  // namespace lockstep
