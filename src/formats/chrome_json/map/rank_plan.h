// Which processes of a file are which rank, where a tool has merged the files of several ranks.
//
// Tools keep ranks apart in four ways, all of which are known here: a label in the process id
// ("[TP03] 4711", "rank3_4711", "4711_3"); the name of the process ("RANK 3 - GPU"); one process
// for all that a rank has, host and device; and a constant that moves the numbers of a rank
// (3 * 100,000,000 + 4711).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::formats::chrome_json {

struct ProcessFacts {
  std::string_view pid;
  std::string_view name;
  std::string_view labels;
  bool has_host = false;  // events on threads
  bool has_device = false;

  [[nodiscard]] bool has_events() const { return has_host || has_device; }
};

struct RankPlan {
  std::vector<std::optional<std::int64_t>> numbers;  // by rank; empty when the file is one rank
  std::vector<std::size_t> rank_of;                  // by process, in `numbers`
  std::vector<std::string> own_ids;                  // by process: its id without its rank

  [[nodiscard]] bool is_merged() const { return numbers.size() > 1; }
};

// The ranks in the order of their numbers. Processes that no rank owns ("Spans") go to the first.
[[nodiscard]] RankPlan plan_ranks(std::span<const ProcessFacts> processes);

}  // namespace lockstep::formats::chrome_json
