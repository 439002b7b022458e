// The part of the stream that is being looked at: contiguous, growing at its end, consumed from its
// front, with room before and behind it for a parser that wants padding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/read_ahead.h"

namespace lockstep::formats::chrome_json {

class WindowBuffer {
 public:
  explicit WindowBuffer(io::ReadAhead& chunks) : chunks_(chunks) {}

  // Bytes that may be written in front of data() and behind data() + size().
  static constexpr std::size_t kFront = 64;
  static constexpr std::size_t kBack = io::ReadAhead::kBack;

  [[nodiscard]] char* data() { return begin_; }
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(end_ - begin_); }
  [[nodiscard]] std::string_view text() const { return {begin_, size()}; }
  [[nodiscard]] std::uint64_t offset() const { return offset_; }  // of data() in the stream
  [[nodiscard]] bool ended() const { return ended_; }
  // Whoever holds this may go on reading what data() shows now.
  [[nodiscard]] std::shared_ptr<const void> owner() const { return chunk_; }

  // Forgets the first `count` bytes; positions relative to data() shrink by as much.
  void consume(std::size_t count) {
    begin_ += count;
    offset_ += count;
  }

  // Appends the next chunk; false at the end of the stream. Positions stay, pointers do not.
  [[nodiscard]] Result<bool> fill();

 private:
  void append(std::span<const char> bytes);

  io::ReadAhead& chunks_;
  std::shared_ptr<io::ReadAhead::Chunk> chunk_;
  char* begin_ = nullptr;
  char* end_ = nullptr;
  std::uint64_t offset_ = 0;
  bool ended_ = false;
};

}  // namespace lockstep::formats::chrome_json
