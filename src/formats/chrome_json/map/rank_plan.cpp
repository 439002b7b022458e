// Labels, names and constants that keep ranks apart.
#include "formats/chrome_json/map/rank_plan.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>
#include <tuple>

#include "base/letters.h"

namespace lockstep::formats::chrome_json {
namespace {

// Numbers of devices are small, and no system counts its processes further (Linux: 2^22).
constexpr std::uint64_t kMaxDeviceNumber = 1023;
constexpr std::uint64_t kMaxProcessNumber = std::uint64_t{1} << 22;
// From here on a constant is beyond all process numbers, so that quotients cannot mislead.
constexpr std::uint64_t kCertainConstant = 10'000'000;
// What tools were seen to add: 1000, 100,000,000, and a power of ten above the largest number.
constexpr std::uint64_t kMinConstant = 1000;
constexpr std::uint64_t kMaxConstant = 1'000'000'000'000'000;

// What tells the rank of one process: equal texts are one rank.
struct RankLabel {
  std::string text;
  std::optional<std::int64_t> number;
  std::string own_id;
};

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_number(std::string_view pid) { return number_of(pid).has_value(); }

std::string_view digits_at(std::string_view text, std::size_t from) {
  std::size_t to = from;
  while (to < text.size() && is_digit(text[to])) ++to;
  return text.substr(from, to - from);
}

RankLabel numbered(std::string_view digits, std::string_view own_id) {
  const auto number = number_of(digits);
  const bool fits = number && *number <= kMaxProcessNumber;
  return {number ? std::to_string(*number) : std::string(digits),
          fits ? std::optional(static_cast<std::int64_t>(*number)) : std::nullopt,
          std::string(own_id)};
}

// "rank 3", "RANK 3 - CPU", "rank_3": the number, and what stands behind it.
std::optional<RankLabel> rank_word(std::string_view text) {
  const std::string small = in_small_letters(text);
  const std::size_t at = small.find("rank");
  if (at == std::string::npos || (at > 0 && is_letter(small[at - 1]))) return std::nullopt;
  std::size_t from = at + 4;
  while (from < small.size() && std::string_view(" _-:=#").contains(small[from])) ++from;
  const std::string_view digits = digits_at(text, from);
  if (digits.empty()) return std::nullopt;
  std::string_view rest = text.substr(from + digits.size());
  while (!rest.empty() && std::string_view(" _-:").contains(rest.front())) rest.remove_prefix(1);
  if (rest.starts_with("pid")) rest.remove_prefix(3);
  return numbered(digits, rest.empty() ? text.substr(0, at) : rest);
}

// "[TP03] 4711" and "[TP03-DP01] 4711". Only one sort of parallelism is the rank itself.
std::optional<RankLabel> bracket(std::string_view pid) {
  const std::size_t close = pid.find("] ");
  if (!pid.starts_with('[') || close == std::string_view::npos) return std::nullopt;
  const std::string_view label = pid.substr(1, close - 1);
  const std::size_t digit = label.find_first_of("0123456789");
  if (digit == std::string_view::npos) return std::nullopt;
  const std::string_view digits = digits_at(label, digit);
  RankLabel made = numbered(digits, pid.substr(close + 2));
  if (digit + digits.size() != label.size()) made.number = std::nullopt;
  made.text = std::string(label);
  return made;
}

// "4711_3"
std::optional<RankLabel> suffix(std::string_view pid) {
  const std::size_t bar = pid.rfind('_');
  if (bar == std::string_view::npos || bar == 0) return std::nullopt;
  const std::string_view digits = pid.substr(bar + 1);
  if (digits.empty() || digits_at(digits, 0).size() != digits.size()) return std::nullopt;
  const std::string_view own = pid.substr(0, bar);
  // "GPU_3" is a name that somebody gave.
  if (!is_number(own) && own != "Spans" && own != "Traces") return std::nullopt;
  return numbered(digits, own);
}

using LabelOf = std::optional<RankLabel> (*)(const ProcessFacts&);

constexpr std::array<LabelOf, 4> kLabels = {
    [](const ProcessFacts& process) { return bracket(process.pid); },
    [](const ProcessFacts& process) { return rank_word(process.pid); },
    [](const ProcessFacts& process) { return suffix(process.pid); },
    [](const ProcessFacts& process) {
      std::optional<RankLabel> label = rank_word(process.name);
      if (!label) label = rank_word(process.labels);
      if (label) label->own_id = std::string(process.pid);
      return label;
    },
};

// Makes the plan of the labels of all processes; those without one go to the first rank.
RankPlan plan_of(std::span<const ProcessFacts> processes,
                 std::span<const std::optional<RankLabel>> labels) {
  // By number, then by text: "10" is behind "9".
  std::map<std::tuple<bool, std::int64_t, std::string>, std::size_t> ranks;
  const auto key_of = [](const RankLabel& label) {
    return std::tuple(!label.number, label.number.value_or(0), label.text);
  };
  for (std::size_t p = 0; p < processes.size(); ++p) {
    if (labels[p] && processes[p].has_events()) ranks.try_emplace(key_of(*labels[p]));
  }
  RankPlan plan;
  for (auto& [key, rank] : ranks) {
    rank = plan.numbers.size();
    const bool is_known = !std::get<0>(key);
    plan.numbers.push_back(is_known ? std::optional(std::get<1>(key)) : std::nullopt);
  }
  for (std::size_t p = 0; p < processes.size(); ++p) {
    const auto rank = labels[p] ? ranks.find(key_of(*labels[p])) : ranks.end();
    plan.rank_of.push_back(rank == ranks.end() ? 0 : rank->second);
    plan.own_ids.push_back(labels[p] ? labels[p]->own_id : std::string(processes[p].pid));
  }
  return plan;
}

// Kineto has processes that are none, "Spans" and "Traces", which tools leave as they are.
bool must_have_label(const ProcessFacts& process) {
  return process.has_events() && (is_number(process.pid) || process.has_device);
}

RankPlan plan_by_labels(std::span<const ProcessFacts> processes, LabelOf label_of) {
  std::vector<std::optional<RankLabel>> labels;
  for (const ProcessFacts& process : processes) {
    labels.push_back(label_of(process));
    if (!labels.back() && must_have_label(process)) return {};
  }
  return plan_of(processes, labels);
}

// Every process has threads and streams, which no profiler writes: each is a rank.
RankPlan plan_by_sides(std::span<const ProcessFacts> processes) {
  std::vector<std::optional<RankLabel>> labels(processes.size());
  std::set<std::uint64_t> numbers;
  for (std::size_t p = 0; p < processes.size(); ++p) {
    const auto number = number_of(processes[p].pid);
    if (!number || !processes[p].has_events()) continue;
    if (!processes[p].has_host || !processes[p].has_device) return {};
    labels[p] = numbered(processes[p].pid, processes[p].pid);
    numbers.insert(*number);
  }
  // Counted from 0 they are the ranks; other numbers say nothing.
  const bool are_ranks = !numbers.empty() && *numbers.rbegin() + 1 == numbers.size();
  RankPlan plan = plan_of(processes, labels);
  if (!are_ranks) std::ranges::fill(plan.numbers, std::nullopt);
  return plan;
}

struct RankSides {
  bool has_host = false;
  bool has_device = false;

  friend bool operator==(const RankSides&, const RankSides&) = default;
};

// Whether all processes fall into ranks by this constant: what is left of their numbers are devices
// and processes. Where a number may also be a process of its own, each rank must be whole.
bool divides(std::span<const ProcessFacts> processes, std::uint64_t constant) {
  std::map<std::uint64_t, RankSides> ranks;
  for (const ProcessFacts& process : processes) {
    const auto number = number_of(process.pid);
    if (!number || !process.has_events()) continue;
    const std::uint64_t rest = *number % constant;
    if (rest > (process.has_host ? kMaxProcessNumber : kMaxDeviceNumber)) return false;
    RankSides& sides = ranks[*number / constant];
    sides.has_host |= process.has_host;
    sides.has_device |= process.has_device;
  }
  if (ranks.size() < 2) return false;
  const RankSides& first = ranks.begin()->second;
  const auto count = [&](bool RankSides::* side) {
    return std::ranges::count_if(ranks, [&](const auto& rank) { return rank.second.*side; });
  };
  if (constant >= kCertainConstant) {
    return count(&RankSides::has_host) > 1 || count(&RankSides::has_device) > 1;
  }
  const auto is_like_first = [&](const auto& rank) { return rank.second == first; };
  return first.has_device && std::ranges::all_of(ranks, is_like_first);
}

// The constants that may have been added, the likeliest first: of two that serve, the larger is
// that of the ranks, and the smaller a part of it.
std::vector<std::uint64_t> constants(std::span<const ProcessFacts> processes) {
  std::vector<std::uint64_t> all;
  for (std::uint64_t ten = kMaxConstant; ten >= kMinConstant; ten /= 10) all.push_back(ten);
  for (std::uint64_t two = std::uint64_t{1} << 48; two > kMinConstant; two /= 2) all.push_back(two);
  // Any other, as the distance of devices of the first two ranks.
  std::set<std::uint64_t> devices;
  for (const ProcessFacts& process : processes) {
    const auto number = number_of(process.pid);
    if (number && process.has_device) devices.insert(*number);
  }
  for (const std::uint64_t device : devices) {
    if (device - *devices.begin() < kMinConstant) continue;
    all.push_back(device - *devices.begin());
    break;
  }
  return all;
}

RankPlan plan_by_constant(std::span<const ProcessFacts> processes) {
  for (const std::uint64_t constant : constants(processes)) {
    if (!divides(processes, constant)) continue;
    std::vector<std::optional<RankLabel>> labels(processes.size());
    for (std::size_t p = 0; p < processes.size(); ++p) {
      const auto number = number_of(processes[p].pid);
      if (!number) continue;
      labels[p] = numbered(std::to_string(*number / constant), std::to_string(*number % constant));
    }
    return plan_of(processes, labels);
  }
  return {};
}

}  // namespace

RankPlan plan_ranks(std::span<const ProcessFacts> processes) {
  const RankPlan moved = plan_by_constant(processes);
  for (const LabelOf label_of : kLabels) {
    RankPlan plan = plan_by_labels(processes, label_of);
    if (!plan.is_merged()) continue;
    // Names know the number of a rank, and the constant the numbers inside of it.
    if (label_of == kLabels.back() && moved.rank_of == plan.rank_of) plan.own_ids = moved.own_ids;
    return plan;
  }
  RankPlan plan = plan_by_sides(processes);
  if (plan.is_merged()) return plan;
  return moved;
}

}  // namespace lockstep::formats::chrome_json
