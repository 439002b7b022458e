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

}  // namespace lockstep::io
