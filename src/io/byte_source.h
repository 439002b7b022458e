// Bytes in: anything that can be read from front to back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/diagnostics.h"
#include "base/result.h"

namespace lockstep::io {

// A stream of bytes. Layers (gzip, zstd) are sources that own the source below them.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Fills `buffer` from its front; fewer bytes than asked for only at the end, 0 for "no more".
  [[nodiscard]] virtual Result<std::size_t> read(std::span<char> buffer) = 0;

  // What had to be repaired or given up on the way; complete once read() has returned 0.
  [[nodiscard]] virtual const Diagnostics& diagnostics() const = 0;

  // Bytes taken so far from the file or pipe at the bottom, for the progress line.
  [[nodiscard]] virtual std::uint64_t raw_bytes_read() const = 0;
};

// Bytes from memory; what tests and fuzz targets read.
class MemorySource : public ByteSource {
 public:
  explicit MemorySource(std::string bytes) : bytes_(std::move(bytes)) {}

  [[nodiscard]] Result<std::size_t> read(std::span<char> buffer) override;
  [[nodiscard]] const Diagnostics& diagnostics() const override { return diagnostics_; }
  [[nodiscard]] std::uint64_t raw_bytes_read() const override { return position_; }

 private:
  std::string bytes_;
  std::size_t position_ = 0;
  Diagnostics diagnostics_;
};

// The file was shorter at its end than when it was opened.
extern const DiagnosticKind kFileShrank;

// Bytes from a file descriptor: a file, a pipe or standard input. A file that grows is read up to
// what it was when it was opened; one that becomes shorter ends early, which is a finding.
class FileSource : public ByteSource {
 public:
  // "-" opens standard input.
  [[nodiscard]] static Result<std::unique_ptr<FileSource>> open(const std::string& path);
  // Refuses links, pipes and devices: for files that nobody named.
  [[nodiscard]] static Result<std::unique_ptr<FileSource>> open_plain(const std::string& path);
  ~FileSource() override;
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  [[nodiscard]] Result<std::size_t> read(std::span<char> buffer) override;
  [[nodiscard]] const Diagnostics& diagnostics() const override { return diagnostics_; }
  [[nodiscard]] std::uint64_t raw_bytes_read() const override { return position_; }

  // Unknown for pipes.
  [[nodiscard]] std::optional<std::uint64_t> size() const { return size_; }

 private:
  [[nodiscard]] static Result<std::unique_ptr<FileSource>> take(int descriptor,
                                                                const std::string& path);
  FileSource(int descriptor, std::string path);
  void note_early_end();

  int descriptor_;
  std::string path_;
  std::optional<std::uint64_t> size_;
  std::optional<std::uint64_t> left_;  // bytes that were there to be read, where that is known
  std::int64_t changed_ns_ = 0;        // when the file was last written, as of its opening
  std::uint64_t position_ = 0;
  Diagnostics diagnostics_;
};

}  // namespace lockstep::io
