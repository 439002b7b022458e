// Numbers in the names of inputs.
#include "formats/input/rank_names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/letters.h"

namespace lockstep::formats::input {
namespace {

// Above this a number in a name is a time or a process id.
constexpr std::int64_t kMaxRank = 999'999;
constexpr std::array<std::string_view, 5> kCountedThings = {"worker", "gpu", "npu", "device",
                                                            "proc"};

std::optional<std::int64_t> number_of(std::string_view digits) {
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(digits.begin(), digits.end(), value);
  if (failure != std::errc() || end != digits.end() || value > kMaxRank) return std::nullopt;
  return value;
}

std::string_view digits_at(std::string_view text, std::size_t from) {
  std::size_t to = from;
  while (to < text.size() && is_digit(text[to])) ++to;
  return text.substr(from, to - from);
}

// The digits after the last "rank" of a name: rank3, rank_3, rank-3, rank.3, rank=3.
std::optional<std::int64_t> rank_in(std::string_view name) {
  const std::string text = in_small_letters(name);
  for (std::size_t at = text.rfind("rank"); at != std::string::npos;
       at = at == 0 ? std::string::npos : text.rfind("rank", at - 1)) {
    std::size_t from = at + 4;
    if (from < text.size() && std::string_view("_-.=").find(text[from]) != std::string_view::npos) {
      ++from;
    }
    if (const auto number = number_of(digits_at(text, from))) return number;
  }
  return std::nullopt;
}

// The name of the file counts before those of the folders above it, the nearest first.
std::optional<std::int64_t> rank_in_path(const std::string& path) {
  std::filesystem::path at(path);
  while (at.has_filename()) {
    if (const auto number = rank_in(at.filename().string())) return number;
    at = at.parent_path();
  }
  return std::nullopt;
}

// A path as runs of digits and of other characters, in turn.
std::vector<std::string_view> runs_of(std::string_view text) {
  std::vector<std::string_view> runs;
  for (std::size_t from = 0; from < text.size();) {
    std::size_t to = from + 1;
    while (to < text.size() && is_digit(text[to]) == is_digit(text[from])) ++to;
    runs.push_back(text.substr(from, to - from));
    from = to;
  }
  return runs;
}

// "llama7b" and "llama70b" are two models, "host_0" and "worker1" are ranks: the number stands
// apart, or behind a word for what it counts.
bool counts_ranks(std::string_view before, std::string_view after) {
  if (!after.empty() && is_letter(after.front())) return false;
  if (before.empty() || !is_letter(before.back())) return true;
  return std::ranges::any_of(kCountedThings, [&](std::string_view word) {
    if (before.size() < word.size()) return false;
    const std::string_view end = before.substr(before.size() - word.size());
    return std::ranges::equal(end, word, {}, small_letter);
  });
}

// Where the names differ, when that is in one number only.
std::optional<std::size_t> only_difference(
    const std::vector<std::vector<std::string_view>>& names) {
  std::optional<std::size_t> different;
  for (const auto& name : names) {
    if (name.size() != names[0].size()) return std::nullopt;
    for (std::size_t i = 0; i < name.size(); ++i) {
      if (name[i] == names[0][i] || different == i) continue;
      if (different || !is_digit(name[i][0]) || !is_digit(names[0][i][0])) return std::nullopt;
      different = i;
    }
  }
  return different;
}

void number_by_difference(const std::vector<trace::Rank*>& ranks) {
  if (ranks.size() < 2) return;
  std::vector<std::vector<std::string_view>> names;
  for (const trace::Rank* rank : ranks) names.push_back(runs_of(rank->source));
  const std::optional<std::size_t> different = only_difference(names);
  if (!different) return;
  const auto& runs = names[0];
  const std::string_view before = *different > 0 ? runs[*different - 1] : std::string_view();
  const std::string_view after =
      *different + 1 < runs.size() ? runs[*different + 1] : std::string_view();
  if (!counts_ranks(before, after)) return;
  std::set<std::int64_t> numbers;
  for (const auto& name : names) {
    const auto number = number_of(name[*different]);
    if (!number || !numbers.insert(*number).second) return;
  }
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    ranks[i]->number = number_of(names[i][*different]);
    ranks[i]->number_from = trace::RankEvidence::kName;
  }
}

}  // namespace

void number_ranks_by_name(std::span<trace::Rank> ranks) {
  std::map<std::string_view, std::size_t> ranks_of_source;
  for (const trace::Rank& rank : ranks) ++ranks_of_source[rank.source];
  std::vector<trace::Rank*> unnumbered;
  for (trace::Rank& rank : ranks) {
    // The name of a merged file numbers none of its ranks.
    if (rank.number || ranks_of_source[rank.source] > 1) continue;
    rank.number = rank_in_path(rank.source);
    if (rank.number) {
      rank.number_from = trace::RankEvidence::kName;
    } else {
      unnumbered.push_back(&rank);
    }
  }
  if (unnumbered.size() == ranks.size()) number_by_difference(unnumbered);
}

}  // namespace lockstep::formats::input
