// Buffers of TVM and FlashInfer, made by tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/kernel_profile/decoding_for_test.h"

namespace lockstep::formats::kernel_profile {

// The types of records.
inline constexpr std::uint32_t kBegin = 0;
inline constexpr std::uint32_t kEnd = 1;
inline constexpr std::uint32_t kInstant = 2;
inline constexpr std::uint32_t kFinal = 3;

// Writes as the device does: every lane has a cursor that goes on by the stride.
class StridedBuffer {
 public:
  StridedBuffer(std::uint32_t blocks, std::uint32_t groups, std::size_t slots)
      : groups_(groups), stride_(blocks * groups), words_(slots) {
    words_[0] = std::uint64_t{groups} << 32 | blocks;
  }
  StridedBuffer& stride(std::uint64_t stride) {
    stride_ = stride;
    return *this;
  }
  void put(std::uint64_t lane, std::uint32_t type, std::uint32_t event, std::uint64_t time) {
    put_tagged(lane, static_cast<std::uint32_t>(lane << 12), type, event, time);
  }
  void put_flashinfer(std::uint32_t block, std::uint32_t group, std::uint32_t sm,
                      std::uint32_t type, std::uint32_t event, std::uint64_t time) {
    put_tagged(block * groups_ + group, sm << 24 | block << 12, type, event, time);
  }
  std::uint64_t& operator[](std::size_t slot) { return words_[slot]; }
  [[nodiscard]] std::string bytes() const { return bytes_of_items(words_); }

 private:
  void put_tagged(std::uint64_t lane, std::uint32_t tag, std::uint32_t type, std::uint32_t event,
                  std::uint64_t time) {
    if (cursors_.size() <= lane) cursors_.resize(lane + 1);
    const std::uint64_t slot = 1 + lane + cursors_[lane]++ * stride_;
    words_.at(slot) = (time & 0xFFFF'FFFF) << 32 | tag | event << 2 | type;
  }

  std::uint32_t groups_;
  std::uint64_t stride_;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> cursors_;
};

inline Decoded decode(const std::string& bytes, KernelFormat format = KernelFormat::kTvm,
                      std::uint32_t groups = 0, std::uint64_t blocks = 0) {
  return decode_for_test(
      bytes, {.format = format, .names = {}, .groups = groups, .blocks = blocks, .meta_path = {}});
}

}  // namespace lockstep::formats::kernel_profile
