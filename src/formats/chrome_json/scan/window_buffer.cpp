// Joining of the rest of a window and the next chunk.
#include "formats/chrome_json/scan/window_buffer.h"

#include <algorithm>
#include <span>

namespace lockstep::formats::chrome_json {

Result<bool> WindowBuffer::fill() {
  if (ended_) return false;
  LOCKSTEP_ASSIGN_OR_RETURN(std::shared_ptr<io::ReadAhead::Chunk> next, chunks_.next());
  if (!next) {
    ended_ = true;
    return false;
  }
  const std::string_view rest = text();
  const std::span<char> bytes = next->bytes();
  if (rest.size() + kFront > io::ReadAhead::kFront) {
    append(bytes);
    return true;
  }
  std::ranges::copy(rest, bytes.data() - rest.size());
  begin_ = bytes.data() - rest.size();
  end_ = bytes.data() + bytes.size();
  chunk_ = std::move(next);
  return true;
}

// The rest does not fit in front of the chunk: both move to a block of their own, which has room
// for as much again, so that a window of any size is moved only as often as it doubles.
void WindowBuffer::append(std::span<const char> bytes) {
  const std::vector<char>& block = chunk_->storage;
  if (static_cast<std::size_t>(block.data() + block.size() - end_) < bytes.size() + kBack) {
    const std::string_view rest = text();
    auto larger = std::make_shared<io::ReadAhead::Chunk>();
    larger->storage.resize(kFront + 2 * (rest.size() + bytes.size()) + kBack);
    begin_ = larger->storage.data() + kFront;
    end_ = std::ranges::copy(rest, begin_).out;
    chunk_ = std::move(larger);
  }
  end_ = std::ranges::copy(bytes, end_).out;
}

}  // namespace lockstep::formats::chrome_json
