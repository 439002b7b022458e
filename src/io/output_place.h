// Where the bytes of an output go once its links are followed: into a descriptor that is open
// already, into a device or pipe, or into a file that is replaced.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "base/result.h"

namespace lockstep::io {

struct OutputPlace {
  std::string path;               // behind all links; it need not exist
  std::optional<int> descriptor;  // of this program: /dev/stdout, /dev/fd/3, links to them
  bool is_stream = false;         // written in place, never replaced
  std::optional<mode_t> mode;     // of the file that is replaced
};

[[nodiscard]] Result<OutputPlace> find_output_place(const std::string& path);

// The sentences for an output that cannot be opened, and for a write that failed.
[[nodiscard]] Error cannot_be_written(const std::string& path, int reason);
[[nodiscard]] Error writing_failed(const std::string& path, int reason);

}  // namespace lockstep::io
