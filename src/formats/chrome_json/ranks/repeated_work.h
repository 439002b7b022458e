// Work that several processes of a file did alike, as ranks do.
#pragma once

#include <cstddef>
#include <vector>

#include "formats/chrome_json/dialects/dialect.h"

namespace lockstep::formats::chrome_json {

// Whether most operators have the id of another one.
[[nodiscard]] bool shares_most_ids(const MappedFile& file);

// The processes that marked a step which another one marked as well, and those with operators where
// most of these share their ids. Counted from start.process.
[[nodiscard]] std::vector<std::size_t> processes_that_repeat(const MappedFile& file);

}  // namespace lockstep::formats::chrome_json
