// What tells the rank of a process by itself: labels in its id and its names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::formats::chrome_json {

// Equal texts are one rank.
struct RankLabel {
  std::string text;
  std::optional<std::int64_t> number;
  std::string own_id;  // of the process, without its rank
};

// No system counts its processes further (Linux: 2^22); ranks neither.
inline constexpr std::int64_t kMaxProcessNumber = std::int64_t{1} << 22;

// A whole number with nothing around it, and no sign but a minus.
[[nodiscard]] std::optional<std::int64_t> number_of(std::string_view text);

// The label of these digits.
[[nodiscard]] RankLabel numbered(std::string_view digits, std::string_view own_id);

// "rank 3", "RANK 3 - CPU", "python [rank_3]", "node 1 rank 3"; and what else stands there.
[[nodiscard]] std::optional<RankLabel> rank_word(std::string_view text);
// "[TP03] 4711" and "[TP03-DP01] 4711". Only one sort of parallelism is the rank itself.
[[nodiscard]] std::optional<RankLabel> rank_bracket(std::string_view pid);
// "r3_4711" and "4711-R3".
[[nodiscard]] std::optional<RankLabel> short_rank(std::string_view pid);

// "3:4711" and "4711_3": one of the two is the rank. Processes that are none have words for their
// numbers ("Spans_3").
struct PidPair {
  std::string_view first;
  std::string_view second;
  char separator = 0;
};
[[nodiscard]] std::optional<PidPair> pid_pair(std::string_view pid);

}  // namespace lockstep::formats::chrome_json
