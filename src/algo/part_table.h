// Values for a part of the ids from 0 on. Where the part may be a fair share of all ids it is a
// plain array, else a hash map: thousands of tables, each over a few of the same millions of ids,
// take no more room and time than what is put into them.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

namespace lockstep::algo {

template <typename Value>
class PartTable {
 public:
  // Of `all` ids about `used` will be asked for; what was never set is `none`.
  PartTable(std::size_t all, std::size_t used, Value none) : none_(none) {
    if (all / kFairShare <= used) dense_.assign(all, none);
  }

  // `id` is below `all`. References stay valid.
  [[nodiscard]] Value& operator[](std::size_t id) {
    return dense_.empty() ? sparse_.try_emplace(id, none_).first->second : dense_[id];
  }

  // How many values it holds room for.
  [[nodiscard]] std::size_t slots() const { return dense_.size() + sparse_.size(); }

 private:
  // A hashed value takes about as long as so many that lie in a row.
  static constexpr std::size_t kFairShare = 64;

  Value none_;
  std::vector<Value> dense_;
  std::unordered_map<std::size_t, Value> sparse_;
};

}  // namespace lockstep::algo
