// Reads (and inflates) on a second thread while the caller works on the chunks before.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/threads/bounded_queue.h"
#include "base/threads/on_threads.h"
#include "io/byte_source.h"

namespace lockstep::io {

class ReadAhead {
 public:
  // `source` must outlive this object and is used only by its thread until next() returned an
  // empty chunk or an error.
  ReadAhead(ByteSource& source, std::size_t chunk_bytes);
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  // Bytes that the caller may write in front of a chunk (to join it with the rest of the one
  // before, without copying it) and behind it (padding for parsers).
  static constexpr std::size_t kFront = 64 * 1024;
  static constexpr std::size_t kBack = 64;

  struct Chunk {
    std::vector<char> storage;  // kFront, the bytes, kBack
    std::size_t size = 0;
    [[nodiscard]] std::span<char> bytes() { return std::span(storage).subspan(kFront, size); }
  };

  // The next chunk; null at the end. Shared because what is parsed from a chunk refers to its text
  // until another thread is done with it; the last owner gives it back for reuse. What was thrown
  // on the second thread is thrown here, at the place of the chunk that it could not read.
  [[nodiscard]] Result<std::shared_ptr<Chunk>> next();

 private:
  using ChunkQueue = BoundedQueue<std::unique_ptr<Chunk>>;

  void read_all();

  ByteSource& source_;
  std::size_t chunk_bytes_;
  std::shared_ptr<ChunkQueue> free_;  // outlives this object while chunks are out
  ChunkQueue filled_;
  std::optional<Error> failure_;  // written before filled_ is closed, and read after
  PipelineThread thread_;
};

}  // namespace lockstep::io
