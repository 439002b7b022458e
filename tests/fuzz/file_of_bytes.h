// Bytes as a file, for what reads nothing else, and the bytes of which a target makes its choices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "fuzz_check.h"
#include "io/temporary_folder.h"

namespace lockstep {

// The path of a file with these bytes, until the next call. It goes away with the program.
inline const std::string& file_of(std::string_view bytes) {
  static const std::unique_ptr<io::TemporaryFolder> folder = io::TemporaryFolder::make().value();
  static const std::string path = folder->reserve("bytes");
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  LOCKSTEP_FUZZ_CHECK(file.good());
  return path;
}

// Any bytes, one after the other; zeros when they are used up.
class Choices {
 public:
  explicit Choices(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  std::uint8_t byte() {
    if (bytes_.empty()) return 0;
    const std::uint8_t first = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return first;
  }
  std::uint32_t number() {
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i) value = value << 8 | byte();
    return value;
  }
  // Text of this length that repeats what is left, without zeros and bytes above 0x7F: it holds no
  // mark of a file format by chance.
  [[nodiscard]] std::string text(std::size_t size) const {
    std::string out(size, 'x');
    for (std::size_t i = 0; i < size && !bytes_.empty(); ++i) {
      out[i] = static_cast<char>((bytes_[i % bytes_.size()] & 0x7F) | 1);
    }
    return out;
  }
  [[nodiscard]] std::string_view rest() const {
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

// What targets of databases' logs do with their bytes: an odd first byte says that the
// others are choices of what a writer wrote, an even one that they are the file itself.
template <typename CheckMade, typename CheckAny>
void check_made_or_any(std::span<const std::uint8_t> bytes, CheckMade check_made,
                       CheckAny check_any) {
  Choices choices(bytes);
  if ((choices.byte() & 1) != 0) {
    check_made(choices);
  } else {
    check_any(choices.rest());
  }
}

// What can happen to a file that a writer made: it is whole as it is, and cut short or with one
// wrong bit just where the format can no longer tell, as `made` says.
template <typename Made, typename IsWhole>
void check_damage(const Made& made, std::uint8_t what, std::uint32_t place, IsWhole is_whole) {
  std::string bytes = made.bytes();
  LOCKSTEP_FUZZ_CHECK(is_whole(file_of(bytes)));
  const std::size_t at = place % bytes.size();
  if (what % 2 == 0) {
    LOCKSTEP_FUZZ_CHECK(is_whole(file_of(bytes.substr(0, at))) == made.is_whole_when_cut_to(at));
  } else {
    const unsigned bit = what / 2 % 8;
    bytes[at] = static_cast<char>(bytes[at] ^ 1 << bit);
    LOCKSTEP_FUZZ_CHECK(is_whole(file_of(bytes)) == made.is_whole_with_wrong_bit(at, bit));
  }
}

// Four bytes, the highest first.
inline std::string big(std::uint32_t value) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xFF);
  return out;
}

}  // namespace lockstep
