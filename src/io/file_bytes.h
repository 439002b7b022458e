// All bytes of an input at once, for formats whose records are read where they lie.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "base/diagnostics.h"
#include "base/result.h"

namespace lockstep {

// A plain file is mapped, so that only the pages that are looked at are read; pipes and compressed
// files are read into memory. The file must not shrink while it is mapped.
class FileBytes {
 public:
  // "-" is standard input. What decompression had to say goes to `findings`.
  [[nodiscard]] static Result<std::shared_ptr<const FileBytes>> open(const std::string& path,
                                                                     Diagnostics& findings);
  ~FileBytes();
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  [[nodiscard]] bool is_mapped() const { return is_mapped_; }

 private:
  FileBytes() = default;

  std::string held_;
  std::span<const std::byte> bytes_;
  bool is_mapped_ = false;
};

}  // namespace lockstep
