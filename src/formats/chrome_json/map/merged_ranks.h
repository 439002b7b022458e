// Taking apart of files that a tool has merged from those of several ranks.
#pragma once

#include <cstddef>

#include "formats/chrome_json/dialects/dialect.h"
#include "trace/trace.h"

namespace lockstep::formats::chrome_json {

// Makes ranks of the processes of the file (rank_plan.h), the first of them in the place of
// file.rank. Processes, devices and steps are of their ranks afterwards; devices have the numbers
// that they had before the merge. Before flows are bound. Returns how many ranks the file has.
std::size_t part_merged_ranks(MappedFile& file, std::size_t first_device);

// Whether the file, read as one rank, must be several: the same step is marked by several
// processes, or twice by one, or most operators share their ids. After steps are collected.
[[nodiscard]] bool seems_merged(const MappedFile& file);

}  // namespace lockstep::formats::chrome_json
