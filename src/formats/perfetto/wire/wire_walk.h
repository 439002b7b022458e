// A tolerant look at protobuf bytes that may be cut off or something else entirely: for telling
// formats apart and for finding packets again after damage. It never throws.
#pragma once

#include <cstdint>
#include <string_view>

namespace lockstep::formats::perfetto {

enum class WireType : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

struct WireField {
  std::uint64_t number = 0;
  WireType type{};
  std::uint64_t value = 0;  // of a varint; the length of bytes
  std::string_view bytes;   // as far as they are there
};

class WireWalk {
 public:
  explicit WireWalk(std::string_view bytes) : rest_(bytes) {}

  // False at the end, where the bytes are cut off, and where they are no field.
  [[nodiscard]] bool next(WireField& field) {
    std::uint64_t tag = 0;
    if (rest_.empty() || !varint(tag)) return false;
    field.number = tag >> 3;
    field.type = static_cast<WireType>(tag & 7);
    field.value = 0;
    field.bytes = {};
    if (field.number == 0 || field.number >= (1U << 29)) return fail();
    switch (field.type) {
      case WireType::kVarint:
        return varint(field.value);
      case WireType::kFixed64:
        return take(8, field);
      case WireType::kFixed32:
        return take(4, field);
      case WireType::kBytes:
        return varint(field.value) && take(field.value, field);
    }
    return fail();
  }

  [[nodiscard]] bool is_broken() const { return is_broken_; }  // no protobuf
  [[nodiscard]] bool is_cut() const { return is_cut_; }        // more bytes would be needed

 private:
  bool fail() {
    is_broken_ = true;
    return false;
  }

  bool varint(std::uint64_t& value) {
    value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
      if (rest_.empty()) {
        is_cut_ = true;
        return false;
      }
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      if (shift < 64) value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return true;
    }
    return fail();
  }

  // A field that is cut off is still shown once, with what there is of it.
  bool take(std::uint64_t size, WireField& field) {
    is_cut_ = size > rest_.size();
    const auto there = is_cut_ ? rest_.size() : static_cast<std::size_t>(size);
    field.bytes = rest_.substr(0, there);
    rest_.remove_prefix(there);
    return true;
  }

  std::string_view rest_;
  bool is_broken_ = false;
  bool is_cut_ = false;
};

}  // namespace lockstep::formats::perfetto
