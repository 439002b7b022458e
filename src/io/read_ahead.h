// Reads (and inflates) on a second thread while the caller works on the chunk before.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "base/result.h"
#include "io/byte_source.h"

namespace lockstep {

class ReadAhead {
 public:
  // `source` must outlive this object and is used only by its thread until next() returned an
  // empty chunk or an error.
  ReadAhead(ByteSource& source, std::size_t chunk_bytes);
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  // The next chunk, valid until the next call; empty at the end.
  [[nodiscard]] Result<std::string_view> next();

 private:
  static constexpr std::size_t kChunks = 4;

  struct Chunk {
    std::vector<char> bytes;
    std::size_t size = 0;
  };

  void run();
  [[nodiscard]] bool wait_for_room();

  ByteSource& source_;
  std::vector<Chunk> chunks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t written_ = 0;   // chunks filled so far
  std::size_t released_ = 0;  // chunks that the caller has done with
  bool holding_ = false;      // the caller works on chunk `released_`
  bool ended_ = false;
  bool stopping_ = false;
  std::optional<Error> failure_;
  std::thread thread_;  // last: it starts when everything above is ready
};

}  // namespace lockstep
