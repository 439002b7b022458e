// Moving and growing of the window.
#include "formats/chrome_json/window_buffer.h"

#include <algorithm>
#include <cstring>

namespace lockstep::chrome_json {

Result<bool> WindowBuffer::fill() {
  if (ended_) return false;
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string_view chunk, chunks_.next());
  if (chunk.empty()) {
    ended_ = true;
    return false;
  }
  make_room(chunk.size());
  std::memcpy(storage_.data() + end_, chunk.data(), chunk.size());
  end_ += chunk.size();
  return true;
}

void WindowBuffer::make_room(std::size_t bytes) {
  if (end_ + bytes + kBack <= storage_.size()) return;
  std::memmove(storage_.data() + kFront, storage_.data() + begin_, size());
  end_ -= begin_ - kFront;
  begin_ = kFront;
  const std::size_t needed = end_ + bytes + kBack;
  if (needed > storage_.size()) storage_.resize(std::max(needed, storage_.size() * 2));
}

}  // namespace lockstep::chrome_json
