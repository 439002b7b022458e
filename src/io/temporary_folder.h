// A folder for files that a command needs only while it runs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/byte_source.h"
#include "io/unfinished_files.h"

namespace lockstep {

// Lies in TMPDIR, or /tmp. It and its files go away with the object, and when a signal ends the
// program.
class TemporaryFolder {
 public:
  [[nodiscard]] static Result<std::unique_ptr<TemporaryFolder>> make();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  // Writes all that `bytes` holds to a new file of this name; returns its path.
  [[nodiscard]] Result<std::string> spool(ByteSource& bytes, const std::string& name);
  // A name in the folder that a library will create on its own; forgotten files stay behind when a
  // signal ends the program.
  std::string reserve(const std::string& name);

 private:
  explicit TemporaryFolder(const std::string& parent);

  std::string path_;
  std::optional<UnfinishedFile> unfinished_;
  // Of the files. Noted behind the folder: what a signal removes, it removes from the last to the
  // first.
  std::vector<std::unique_ptr<UnfinishedFile>> entries_;
};

}  // namespace lockstep
