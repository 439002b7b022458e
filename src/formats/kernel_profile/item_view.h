// Items of a section or buffer as they lie: any alignment, items that may be longer than known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace lockstep::formats::kernel_profile {

// The value whose bytes begin at `at`; little-endian, as this machine is.
template <typename Value>
[[nodiscard]] inline Value load(const std::byte* at) {
  static_assert(std::is_trivially_copyable_v<Value>);
  Value value;
  std::memcpy(&value, at, sizeof(Value));
  return value;
}

template <typename Item>
class ItemView {
 public:
  ItemView() = default;
  // As many whole items as the bytes hold. `item_bytes` must not be smaller than Item.
  explicit ItemView(std::span<const std::byte> bytes, std::size_t item_bytes = sizeof(Item))
      : data_(bytes.data()), item_bytes_(item_bytes), size_(bytes.size() / item_bytes) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] bool is_dense() const { return item_bytes_ == sizeof(Item); }
  [[nodiscard]] std::size_t item_bytes() const { return item_bytes_; }
  [[nodiscard]] const std::byte* at(std::size_t index) const { return data_ + index * item_bytes_; }
  [[nodiscard]] Item operator[](std::size_t index) const { return load<Item>(at(index)); }

 private:
  const std::byte* data_ = nullptr;
  std::size_t item_bytes_ = sizeof(Item);
  std::size_t size_ = 0;
};

}  // namespace lockstep::formats::kernel_profile
