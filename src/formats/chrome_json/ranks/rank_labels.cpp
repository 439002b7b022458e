// Taking labels of ranks out of texts.
#include "formats/chrome_json/ranks/rank_labels.h"

#include <charconv>

#include "base/letters.h"

namespace lockstep::formats::chrome_json {
namespace {

constexpr std::string_view kSeparators = "_:-/|";
// Beyond it an id is a text; sums and differences of ids always fit.
constexpr std::int64_t kMaxNumber = std::int64_t{1} << 60;

std::string_view digits_at(std::string_view text, std::size_t from) {
  std::size_t to = from;
  while (to < text.size() && is_digit(text[to])) ++to;
  return text.substr(from, to - from);
}

bool is_all_digits(std::string_view text) {
  return !text.empty() && digits_at(text, 0).size() == text.size();
}

std::string_view without_leading(std::string_view text, std::string_view marks) {
  while (!text.empty() && marks.contains(text.front())) text.remove_prefix(1);
  return text;
}

std::string_view without_trailing(std::string_view text, std::string_view marks) {
  while (!text.empty() && marks.contains(text.back())) text.remove_suffix(1);
  return text;
}

struct FoundWord {
  std::string_view before;
  std::string_view digits;
  std::string_view after;
};

// The first of these words that has a number behind it.
std::optional<FoundWord> numbered_word(std::string_view text, std::string_view word) {
  const std::string small = in_small_letters(text);
  for (std::size_t at = small.find(word); at != std::string::npos; at = small.find(word, at + 1)) {
    if (at > 0 && is_letter(small[at - 1])) continue;
    std::size_t from = at + word.size();
    while (from < small.size() && std::string_view(" _-:=#").contains(small[from])) ++from;
    const std::string_view digits = digits_at(text, from);
    if (!digits.empty()) {
      return FoundWord{text.substr(0, at), digits, text.substr(from + digits.size())};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (value > kMaxNumber || value < -kMaxNumber) return std::nullopt;
  return value;
}

RankLabel numbered(std::string_view digits, std::string_view own_id) {
  const auto number = number_of(digits);
  const bool fits = number && *number >= 0 && *number <= kMaxProcessNumber;
  return {number ? std::to_string(*number) : std::string(digits), fits ? number : std::nullopt,
          std::string(own_id)};
}

std::optional<RankLabel> rank_word(std::string_view text) {
  const std::optional<FoundWord> rank = numbered_word(text, "rank");
  if (!rank) return std::nullopt;
  const std::string_view before = without_trailing(rank->before, " _-:/|([{@#");
  std::string_view after = without_leading(rank->after, " _-:/|)]},");
  if (after.starts_with("pid")) after = without_leading(after.substr(3), " _-:=");
  RankLabel label = numbered(rank->digits, after.empty() ? before : after);
  // Ranks of a node may be counted from 0 on each.
  if (const auto node = numbered_word(text, "node")) {
    label.text = std::string(node->digits) + "/" + label.text;
    label.number = std::nullopt;
  }
  return label;
}

std::optional<RankLabel> rank_bracket(std::string_view pid) {
  const std::size_t close = pid.find(']');
  if (!pid.starts_with('[') || close == std::string_view::npos) return std::nullopt;
  const std::string_view own = without_leading(pid.substr(close + 1), " _-:");
  const std::string_view label = pid.substr(1, close - 1);
  const std::size_t digit = label.find_first_of("0123456789");
  if (own.empty() || digit == std::string_view::npos) return std::nullopt;
  const std::string_view digits = digits_at(label, digit);
  RankLabel made = numbered(digits, own);
  if (digit + digits.size() != label.size()) made.number = std::nullopt;
  made.text = std::string(label);
  return made;
}

std::optional<RankLabel> short_rank(std::string_view pid) {
  const auto is_short = [](std::string_view part) {
    return part.size() > 1 && small_letter(part.front()) == 'r' && is_all_digits(part.substr(1));
  };
  const std::size_t first = pid.find_first_of(kSeparators);
  if (first == std::string_view::npos) return std::nullopt;
  if (is_short(pid.substr(0, first))) {
    return numbered(pid.substr(1, first - 1), pid.substr(first + 1));
  }
  const std::size_t last = pid.find_last_of(kSeparators);
  if (!is_short(pid.substr(last + 1))) return std::nullopt;
  return numbered(pid.substr(last + 2), pid.substr(0, last));
}

std::optional<PidPair> pid_pair(std::string_view pid) {
  const std::size_t at = pid.find_first_of(kSeparators, 1);
  if (at == std::string_view::npos) return std::nullopt;
  const PidPair pair{without_trailing(pid.substr(0, at), " "),
                     without_leading(pid.substr(at + 1), " "), pid[at]};
  // "GPU_3" is a name that somebody gave.
  const auto may_be = [](std::string_view part) {
    const std::string_view digits = without_leading(part, "-");
    return is_all_digits(digits) || part == "Spans" || part == "Traces";
  };
  if (!may_be(pair.first) || !may_be(pair.second)) return std::nullopt;
  return pair;
}

}  // namespace lockstep::formats::chrome_json
