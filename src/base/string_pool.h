// Interned strings: every distinct string is stored once and named by a dense 32-bit id.
//
// Id 0 is the empty string. Views stay valid for the life of the pool. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace lockstep {

enum class StringId : std::uint32_t {};
inline constexpr StringId kEmptyString{0};

class StringPool {
 public:
  StringPool();

  StringId intern(std::string_view text);
  // The id of a string that may not be there.
  [[nodiscard]] std::optional<StringId> find(std::string_view text) const;
  [[nodiscard]] std::string_view view(StringId id) const {
    return views_[static_cast<std::uint32_t>(id)];
  }
  [[nodiscard]] std::size_t size() const { return views_.size(); }

 private:
  struct Slot {
    std::uint32_t tag = 0;  // upper half of the hash, so that most misses need no string compare
    std::uint32_t id_plus_one = 0;
  };

  [[nodiscard]] std::size_t find_slot(std::uint64_t hash, std::string_view text) const;
  std::string_view store(std::string_view text);
  void grow();

  std::vector<Slot> slots_;  // power of two, linear probing, at most half full
  std::vector<std::string_view> views_;
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t block_left_ = 0;
  char* block_next_ = nullptr;
};

}  // namespace lockstep
