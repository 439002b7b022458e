// Taking apart of files that a tool has merged from those of several ranks.
#pragma once

#include <cstddef>

#include "formats/chrome_json/dialects/dialect.h"
#include "trace/trace.h"

namespace lockstep::formats::chrome_json {

struct MergedRanks {
  std::size_t ranks = 1;
  bool is_unclear = false;  // one rank is read, and it must be several
};

// Makes ranks of the processes of the file (rank_plan.h), the first of them in the place of
// file.rank. Processes, devices and steps are of their ranks afterwards; devices have the numbers
// that they had before the merge. Before flows are bound.
[[nodiscard]] MergedRanks part_merged_ranks(MappedFile& file, std::size_t first_device);

// Says of a file that was read as one rank that it must be several: where that is known, where the
// same step is marked by several processes or twice at once by one, and where most operators share
// their ids. Its marked steps are left out where they would cut the work of another rank: where
// they cross each other, and where several processes of a file that is known to be merged mark
// them. After steps are collected.
void say_merged_ranks(MappedFile& file, const MergedRanks& merged);

}  // namespace lockstep::formats::chrome_json
