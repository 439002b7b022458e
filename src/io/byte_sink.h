// Bytes out: files that appear whole or not at all, compressed when their name says so.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lockstep::io {

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  [[nodiscard]] virtual Status write(std::string_view bytes) = 0;
  // Completes the output. A sink that is destroyed without a successful close() leaves whatever was
  // there before it.
  [[nodiscard]] virtual Status close() = 0;
};

// Collects in memory; what tests write to.
class MemorySink : public ByteSink {
 public:
  [[nodiscard]] Status write(std::string_view bytes) override {
    bytes_ += bytes;
    return {};
  }
  [[nodiscard]] Status close() override { return {}; }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// A sink for `path`: written beside it and renamed over it by close(), with the mode of the file
// that it replaces; where `path` is a link, the file behind it is replaced and the link stays.
// Devices, pipes and open descriptors (/dev/stdout) are written in place. Names that end in .gz and
// .zst are compressed; "-" is standard output, which is never compressed.
[[nodiscard]] Result<std::unique_ptr<ByteSink>> open_output(const std::string& path);

// The same, but compressed by no name.
[[nodiscard]] Result<std::unique_ptr<ByteSink>> open_uncompressed_output(const std::string& path);

// Layers over another sink.
[[nodiscard]] std::unique_ptr<ByteSink> make_gzip_sink(std::unique_ptr<ByteSink> below);
[[nodiscard]] std::unique_ptr<ByteSink> make_zstd_sink(std::unique_ptr<ByteSink> below);

// Removes the temporary files of unfinished outputs when a signal ends the program, then lets the
// signal have its way. Signals that are ignored or handled already stay so, SIGPIPE excepted. A
// file that grows beyond its limit (SIGXFSZ) is a failed write instead. Called once by main, on the
// thread that makes the files.
void remove_unfinished_outputs_on_signal();

}  // namespace lockstep::io
