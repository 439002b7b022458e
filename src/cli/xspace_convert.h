// XSpace to XSpace: rewritten on the wire instead of read and written, so that what lockstep does
// not know survives.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "cli/selection_options.h"
#include "io/byte_sink.h"
#include "io/temporary_folder.h"
#include "trace/trace.h"

namespace lockstep {

// One input that may be an XSpace. What comes through a pipe is kept in a temporary file.
class XSpaceInput {
 public:
  // `path` may hold anything; is_xspace() tells. Standard input is read to its end: path() then
  // names the file that holds it.
  [[nodiscard]] static Result<std::unique_ptr<XSpaceInput>> open(const std::string& path);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool is_xspace() const { return is_xspace_; }

  // Writes it to `sink`, whole and byte for byte.
  [[nodiscard]] Status copy(ByteSink& sink) const;
  // Writes what is selected of it. It must hold one rank, whose zero is `origin`.
  [[nodiscard]] Status cut(const Selection& selection, const Origin& origin, ByteSink& sink) const;

 private:
  std::string path_;
  std::string shown_;  // in messages
  bool is_xspace_ = false;
  std::unique_ptr<TemporaryFolder> spooled_;
};

}  // namespace lockstep
