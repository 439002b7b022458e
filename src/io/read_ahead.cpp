// The ring of chunks between the reading thread and its caller.
#include "io/read_ahead.h"

namespace lockstep {

ReadAhead::ReadAhead(ByteSource& source, std::size_t chunk_bytes)
    : source_(source), chunks_(kChunks), thread_() {
  for (Chunk& chunk : chunks_) chunk.bytes.resize(chunk_bytes);
  thread_ = std::thread([this] { run(); });
}

ReadAhead::~ReadAhead() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool ReadAhead::wait_for_room() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return stopping_ || written_ - released_ < kChunks; });
  return !stopping_;
}

void ReadAhead::run() {
  while (wait_for_room()) {
    Chunk& chunk = chunks_[written_ % kChunks];
    auto got = source_.read(chunk.bytes);
    const std::lock_guard lock(mutex_);
    if (got.ok() && got.value() > 0) {
      chunk.size = got.value();
      ++written_;
    } else {
      if (!got.ok()) failure_ = got.error();
      ended_ = true;
    }
    changed_.notify_all();
    if (ended_) return;
  }
}

Result<std::string_view> ReadAhead::next() {
  std::unique_lock lock(mutex_);
  if (holding_) {
    ++released_;
    holding_ = false;
    changed_.notify_all();
  }
  changed_.wait(lock, [this] { return ended_ || released_ < written_; });
  if (released_ < written_) {
    holding_ = true;
    const Chunk& chunk = chunks_[released_ % kChunks];
    return std::string_view(chunk.bytes.data(), chunk.size);
  }
  if (failure_) return *failure_;
  return std::string_view{};
}

}  // namespace lockstep
