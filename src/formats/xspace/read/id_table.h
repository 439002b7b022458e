// Values by the 64-bit ids of an XSpace, which are small and dense in practice and anything at all
// in a hostile file.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lockstep::formats::xspace {

template <typename T>
class IdTable {
 public:
  // A later value of an id replaces an earlier one, as protobuf's maps have it.
  void set(std::int64_t id, T value) {
    const auto next = static_cast<std::uint32_t>(values_.size());
    std::uint32_t& slot = slot_of(id);
    if (slot == kNone) {
      slot = next;
      values_.push_back(std::move(value));
    } else {
      values_[slot] = std::move(value);
    }
  }

  [[nodiscard]] T* find(std::int64_t id) {
    std::uint32_t at = kNone;
    if (static_cast<std::uint64_t>(id) < dense_.size()) {
      at = dense_[static_cast<std::size_t>(id)];
    } else if (!sparse_.empty()) {
      const auto found = sparse_.find(id);
      if (found != sparse_.end()) at = found->second;
    }
    return at == kNone ? nullptr : &values_[at];
  }

  [[nodiscard]] std::vector<T>& values() { return values_; }

 private:
  static constexpr std::uint32_t kNone = 0xFFFF'FFFF;
  static constexpr std::uint64_t kAlwaysDense = 4096;

  // Dense as long as the table stays in proportion to what is in it.
  std::uint32_t& slot_of(std::int64_t id) {
    const auto at = static_cast<std::uint64_t>(id);
    if (at < dense_.size()) return dense_[at];
    const auto known = sparse_.find(id);
    if (known != sparse_.end()) return known->second;
    if (at >= kAlwaysDense + 8 * values_.size())
      return sparse_.try_emplace(id, kNone).first->second;
    grow(at + 1 + at / 2);
    return dense_[at];
  }

  void grow(std::size_t size) {
    dense_.resize(size, kNone);
    for (auto it = sparse_.begin(); it != sparse_.end();) {
      const auto at = static_cast<std::uint64_t>(it->first);
      if (at < dense_.size()) {
        dense_[at] = it->second;
        it = sparse_.erase(it);
      } else {
        ++it;
      }
    }
  }

  std::vector<T> values_;
  std::vector<std::uint32_t> dense_;
  std::unordered_map<std::int64_t, std::uint32_t> sparse_;
};

}  // namespace lockstep::formats::xspace
