// A folder for files that a command needs only while it runs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/byte_source.h"
#include "io/unfinished_files.h"

namespace lockstep::io {

// Lies in TMPDIR, or /tmp, and is nobody else's to enter. It and its files, whoever made them, go
// away with the object, and when a signal ends the program.
class TemporaryFolder {
 public:
  [[nodiscard]] static Result<std::unique_ptr<TemporaryFolder>> make();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  // Writes all that `bytes` holds to a new file of this name; returns its path.
  [[nodiscard]] Result<std::string> spool(ByteSource& bytes, const std::string& name);
  // A name in the folder, for a file that a library creates on its own.
  std::string reserve(const std::string& name);
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  explicit TemporaryFolder(const std::string& parent);

  std::string path_;
  std::vector<std::string> files_;
  UnfinishedFile unfinished_;
  bool is_made_ = false;
};

// The sentence for a write that failed in such a folder.
[[nodiscard]] Error temporary_writing_failed(const std::string& path, int reason);

}  // namespace lockstep::io
