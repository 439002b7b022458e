// The characters of UTF-8: the one place that takes text apart into them. Here and not in a source,
// because all text that goes out passes through.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lockstep {

// Bytes of the first character of `text`, which is not empty, or 0 when it does not begin with a
// valid one.
[[nodiscard]] constexpr std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto continues = [&](std::size_t i) { return i < text.size() && (byte(i) & 0xC0) == 0x80; };
  const unsigned char b0 = byte(0);
  if (b0 < 0x80) return 1;
  if (b0 >= 0xC2 && b0 <= 0xDF) return continues(1) ? 2 : 0;
  if (b0 >= 0xE0 && b0 <= 0xEF) {
    if (!continues(1) || !continues(2)) return 0;
    if (b0 == 0xE0 && byte(1) < 0xA0) return 0;  // overlong
    if (b0 == 0xED && byte(1) > 0x9F) return 0;  // surrogate
    return 3;
  }
  if (b0 >= 0xF0 && b0 <= 0xF4) {
    if (!continues(1) || !continues(2) || !continues(3)) return 0;
    if (b0 == 0xF0 && byte(1) < 0x90) return 0;
    if (b0 == 0xF4 && byte(1) > 0x8F) return 0;
    return 4;
  }
  return 0;
}

// Whether a byte stands inside a character of valid text and not at its beginning.
[[nodiscard]] constexpr bool is_inside_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

// The longest beginning of valid text that has at most so many bytes and ends between characters.
[[nodiscard]] constexpr std::string_view cut_between_characters(std::string_view text,
                                                                std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && is_inside_character(text[bytes])) --bytes;
  return text.substr(0, bytes);
}

struct Utf8Character {
  std::size_t bytes = 1;
  std::uint32_t code = 0;
};

inline constexpr std::uint32_t kReplacementCode = 0xFFFD;

// The first one of `text`, which is not empty; a byte that begins none counts as U+FFFD.
[[nodiscard]] constexpr Utf8Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
  };
  const std::size_t bytes = utf8_length(text);
  if (bytes == 0) return {1, kReplacementCode};
  if (bytes == 1) return {1, byte(0)};
  std::uint32_t code = byte(0) & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) code = code << 6U | (byte(i) & 0x3FU);
  return {bytes, code};
}

// Calls `use` with each character and the bytes it is made of.
template <typename Use>
constexpr void for_each_character(std::string_view text, Use&& use) {
  while (!text.empty()) {
    const Utf8Character one = first_character(text);
    use(one, text.substr(0, one.bytes));
    text.remove_prefix(one.bytes);
  }
}

// Columns that a text takes where a character takes `width(character)` of them.
template <typename Width>
[[nodiscard]] constexpr std::size_t columns_of(std::string_view text, Width width) {
  std::size_t columns = 0;
  for_each_character(text, [&](Utf8Character one, std::string_view) { columns += width(one); });
  return columns;
}

// The end of `text` that is left once enough characters at its beginning are taken away.
template <typename Width>
[[nodiscard]] constexpr std::string_view end_within(std::string_view text, std::size_t columns,
                                                    Width width) {
  std::size_t taken = columns_of(text, width);
  while (taken > columns) {
    const Utf8Character one = first_character(text);
    taken -= width(one);
    text.remove_prefix(one.bytes);
  }
  return text;
}

}  // namespace lockstep
