// XSpace to XSpace: rewritten on the wire instead of read and written, so that what lockstep does
// not know survives.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options/selection_options.h"
#include "io/byte_sink.h"
#include "io/temporary_folder.h"
#include "trace/trace.h"

namespace lockstep::cli {

// One input that may be an XSpace. What comes through a pipe is kept in a temporary file.
class XSpaceInput {
 public:
  // `path` may hold anything; is_xspace() tells. Standard input is read to its end: path() then
  // names the file that holds it.
  [[nodiscard]] static Result<std::unique_ptr<XSpaceInput>> open(const std::string& path);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool is_xspace() const { return is_xspace_; }

  // Writes it to `sink`, whole and byte for byte.
  [[nodiscard]] Status copy(io::ByteSink& sink) const;
  // Writes what is selected of it. It must hold one rank, whose zero is `origin`.
  [[nodiscard]] Status cut(const trace::Selection& selection, const Origin& origin,
                           io::ByteSink& sink) const;

  // An error where the file is another one than when it was opened, or was written to: it is read
  // several times, and what was judged need not be what was copied.
  [[nodiscard]] Status check_unchanged() const;

 private:
  // Which file it is, how large, and when it was written; nothing of what is no plain file.
  [[nodiscard]] static std::vector<std::int64_t> identity_of(const std::string& path);

  std::string path_;
  std::string shown_;  // in messages
  bool is_xspace_ = false;
  std::vector<std::int64_t> identity_;
  std::unique_ptr<io::TemporaryFolder> spooled_;
};

}  // namespace lockstep::cli
