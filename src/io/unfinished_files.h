// The names of outputs that are being written, kept where a signal handler can remove them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace lockstep {

// Holds a name for as long as the file is unfinished. Also of temporary folders, if they are empty
// by then. Sixteen at a time; more are not remembered and stay behind when a signal ends the
// program.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(const std::string& path);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

 private:
  std::optional<std::size_t> slot_;
};

}  // namespace lockstep
