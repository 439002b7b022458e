// Joining of the rest of a window and the next chunk.
#include "formats/chrome_json/window_buffer.h"

#include <algorithm>

namespace lockstep::chrome_json {

Result<bool> WindowBuffer::fill() {
  if (ended_) return false;
  LOCKSTEP_ASSIGN_OR_RETURN(std::shared_ptr<ReadAhead::Chunk> next, chunks_.next());
  if (!next) {
    ended_ = true;
    return false;
  }
  const std::string_view rest = text();
  const std::span<char> bytes = next->bytes();
  if (rest.size() + kFront > ReadAhead::kFront) {
    // The rest does not fit in front of the chunk: both move to a block of their own.
    auto joined = std::make_shared<ReadAhead::Chunk>();
    joined->storage.resize(ReadAhead::kFront + rest.size() + bytes.size() + kBack);
    joined->size = rest.size() + bytes.size();
    std::ranges::copy(bytes, std::ranges::copy(rest, joined->bytes().data()).out);
    next = std::move(joined);
    begin_ = next->bytes().data();
  } else {
    std::ranges::copy(rest, bytes.data() - rest.size());
    begin_ = bytes.data() - rest.size();
  }
  end_ = next->bytes().data() + next->bytes().size();
  chunk_ = std::move(next);
  return true;
}

}  // namespace lockstep::chrome_json
