// Numbers as SQLite writes them, the highest byte first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace lockstep::formats::sqlite {

[[nodiscard]] inline std::uint32_t number_at(std::span<const unsigned char> text, std::size_t at,
                                             std::size_t bytes = 4) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) value = value << 8 | text[at + i];
  return value;
}

[[nodiscard]] inline std::uint32_t number_at(std::span<const char> text, std::size_t at,
                                             std::size_t bytes = 4) {
  return number_at({reinterpret_cast<const unsigned char*>(text.data()), text.size()}, at, bytes);
}

}  // namespace lockstep::formats::sqlite
