// An input of a command: a file or a pipe, opened, its compression found from its content, its
// first bytes at hand for telling formats apart.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/byte_source.h"
#include "io/compress/decompress.h"

namespace lockstep::io {

// Formats are told apart by this many inflated bytes.
inline constexpr std::size_t kSniffBytes = 64 * 1024;

class Input : public ByteSource {
 public:
  // "-" is standard input. A directory is an error here: list_files() first.
  [[nodiscard]] static Result<std::unique_ptr<Input>> open(const std::string& path);
  // The same over bytes that are already at hand.
  [[nodiscard]] static Result<std::unique_ptr<Input>> wrap(std::unique_ptr<ByteSource> bytes,
                                                           std::string path,
                                                           std::optional<std::uint64_t> size);

  // The first inflated bytes (at most kSniffBytes); they are read again by read().
  [[nodiscard]] std::string_view head() const { return head_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] Compression compression() const { return compression_; }
  [[nodiscard]] std::optional<std::uint64_t> size() const { return size_; }  // on disk
  [[nodiscard]] std::uint64_t inflated_bytes() const { return delivered_; }

  [[nodiscard]] Result<std::size_t> read(std::span<char> buffer) override;
  [[nodiscard]] const Diagnostics& diagnostics() const override { return bytes_->diagnostics(); }
  [[nodiscard]] std::uint64_t raw_bytes_read() const override { return bytes_->raw_bytes_read(); }

 private:
  Input() = default;

  std::string path_;
  std::unique_ptr<ByteSource> bytes_;
  Compression compression_ = Compression::kNone;
  std::optional<std::uint64_t> size_;
  std::string head_;
  std::size_t head_given_ = 0;
  std::uint64_t delivered_ = 0;
};

[[nodiscard]] bool is_directory(const std::string& path);
// What lies below a directory, sorted by path, hidden files and folders left out.
struct FileList {
  // Regular ones; without links to files that the kernel makes up (/proc/kmsg): some of them wait,
  // some lose what is read.
  std::vector<std::string> files;
  // Folders that cannot be listed and files of which not even the sort can be told: what they hold
  // is not in `files`.
  std::vector<Error> unreadable;
};
[[nodiscard]] Result<FileList> list_files(const std::string& directory);
// True when writing `output` would change what reading `input` reads: both are the same existing
// file. "-" is standard input and standard output. Devices and pipes are never meant.
[[nodiscard]] bool is_same_file(const std::string& input, const std::string& output);
// A terminal, /dev/zero and the like, which may have no end; also what standard input is ("-").
[[nodiscard]] bool is_character_device(const std::string& path);

// Hands out bytes that were read already, then the rest of the source below.
[[nodiscard]] std::unique_ptr<ByteSource> make_rewound_source(std::string front,
                                                              std::unique_ptr<ByteSource> below);

}  // namespace lockstep::io
