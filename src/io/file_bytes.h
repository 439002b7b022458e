// The bytes of an input for formats whose records are read where they lie, in any order.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "io/compress/decompress.h"

namespace lockstep::io {

// A plain file stays where it is and is read piece by piece; pipes and compressed files are read
// into memory. Nothing is mapped: a mapped file that becomes shorter ends the program with a
// signal, here it is an error. One that grows is as long as it was when it was opened.
class FileBytes {
 public:
  // "-" is standard input. What decompression had to say goes to `findings`.
  [[nodiscard]] static Result<std::shared_ptr<const FileBytes>> open(const std::string& path,
                                                                     Diagnostics& findings);
  // Bytes that somebody else keeps for as long as this lives.
  [[nodiscard]] static std::shared_ptr<const FileBytes> over(std::span<const std::byte> bytes);
  ~FileBytes();
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] Compression compression() const { return compression_; }  // of the file on disk
  // All bytes, where they are in memory; else empty.
  [[nodiscard]] std::span<const std::byte> in_memory() const { return memory_; }

  // Fills `into` with the bytes from `offset` on, which lie inside the file. What cannot be read is
  // zeros, and status() tells why. Several threads may read at once.
  void read(std::uint64_t offset, std::span<std::byte> into) const;
  // The same bytes as they lie in memory, or else read into `kept`.
  [[nodiscard]] std::span<const std::byte> read(std::uint64_t offset, std::size_t count,
                                                std::vector<std::byte>& kept) const;
  // The first reading that failed: the file has become shorter, or its disk does not answer.
  [[nodiscard]] Status status() const;

 private:
  FileBytes() = default;
  void note_failure(int reason) const;

  std::string path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  Compression compression_ = Compression::kNone;
  std::string held_;
  std::span<const std::byte> memory_;
  mutable std::atomic<int> failure_ = 0;  // of read(): an errno, or kShorter
};

}  // namespace lockstep::io
