// The files of the repository that are made from the records of options: man pages, completions,
// and the tables in docs/reference.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace lockstep::cli::reference {

struct ReferenceFile {
  std::string path;  // from the top of the repository
  std::string content;
};

// `source` is the top of the repository: of a page in docs/reference only the tables are made. An
// error where a page is missing, or has no table of its command.
[[nodiscard]] Result<std::vector<ReferenceFile>> reference_files(const std::string& source);

// What the file holds now; empty where there is none.
[[nodiscard]] std::string text_of_file(const std::string& path);

}  // namespace lockstep::cli::reference
