// The fields of an event that are read, and the fast way from a key to its field.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace lockstep::formats::chrome_json {

enum class Field : std::uint8_t {
  kPhase,
  kName,
  kCategory,
  kPid,
  kTid,
  kTime,
  kDuration,
  kId,
  kBindPoint,
  kArguments,
  kOther,
};
inline constexpr std::size_t kFieldCount = 10;   // without kOther
inline constexpr std::size_t kScalarFields = 9;  // without kArguments either

inline constexpr std::array<std::string_view, kFieldCount> kFieldKeys = {
    "ph", "name", "cat", "pid", "tid", "ts", "dur", "id", "bp", "args"};

namespace internal {

// Keys are told apart by a hash of their first two characters, then compared whole: no chain of
// branches that the processor would guess wrong on every other field.
inline constexpr std::uint32_t kHashFactor = 873;
inline constexpr unsigned kHashBits = 4;

constexpr std::size_t hash_of(unsigned char first, unsigned char second) {
  const std::uint32_t both = first | (static_cast<std::uint32_t>(second) << 8);
  return ((both * kHashFactor) & 0xFFFF) >> (16 - kHashBits);
}

struct KeyEntry {
  std::uint64_t mask = 0;
  std::uint64_t expected = ~std::uint64_t{0};  // never equal to anything under an empty mask
  Field field = Field::kOther;
};

constexpr std::array<KeyEntry, 1U << kHashBits> make_key_table() {
  std::array<KeyEntry, 1U << kHashBits> table{};
  for (std::size_t f = 0; f < kFieldCount; ++f) {
    const std::string_view key = kFieldKeys[f];
    KeyEntry& entry =
        table[hash_of(static_cast<unsigned char>(key[0]), static_cast<unsigned char>(key[1]))];
    if (entry.field != Field::kOther) throw "two keys share a hash: choose another factor";
    entry.field = static_cast<Field>(f);
    entry.expected = 0;
    for (std::size_t i = 0; i <= key.size(); ++i) {  // the closing quote belongs to it
      const auto byte = static_cast<unsigned char>(i < key.size() ? key[i] : '"');
      entry.expected |= static_cast<std::uint64_t>(byte) << (8 * i);
      entry.mask |= std::uint64_t{0xFF} << (8 * i);
    }
  }
  return table;
}

inline constexpr auto kKeyTable = make_key_table();

}  // namespace internal

// `key` points behind the opening quote of a key; eight bytes from there must be readable.
[[nodiscard]] inline Field field_of(const char* key) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, key, sizeof bytes);
  const auto& entry = internal::kKeyTable[internal::hash_of(static_cast<unsigned char>(key[0]),
                                                            static_cast<unsigned char>(key[1]))];
  return (bytes & entry.mask) == entry.expected ? entry.field : Field::kOther;
}

}  // namespace lockstep::formats::chrome_json
