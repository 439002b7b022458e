// Recognition of step markers.
#include "trace/steps.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/letters.h"

namespace lockstep::trace {
namespace {

enum class Marks : std::int8_t { kNotAsked = -1, kNothing, kStep, kNumberedStep };

// In small letters; "TrainStep" is two words, "timestep" is one.
std::string last_word(std::string_view text) {
  std::size_t at = text.size();
  while (at > 0 && is_letter(text[at - 1])) {
    --at;
    const bool begins = is_upper(text[at]) && at + 1 < text.size() && !is_upper(text[at + 1]);
    if (begins) break;
  }
  return in_small_letters(text.substr(at));
}

Marks marks_of(std::string_view name) {
  if (is_step_name(name)) return Marks::kStep;
  return numbered_step_name(name) ? Marks::kNumberedStep : Marks::kNothing;
}

// Ranges of one stem on one thread, which are steps or not as a whole.
struct NumberedRanges {
  std::vector<std::pair<std::int64_t, std::uint32_t>> events;  // number and row

  // What they cover when they are steps; nothing when they are not.
  [[nodiscard]] std::optional<WideTime> covered(const EventTable& table) {
    if (events.size() < kNumberedSteps) return std::nullopt;
    std::ranges::sort(events, {}, [&](const auto& event) {
      return std::tuple(table.start[event.second], event.first, event.second);
    });
    WideTime sum = 0;
    for (std::size_t i = 0; i < events.size(); ++i) {
      const auto [number, row] = events[i];
      sum += table.duration[row].ps;
      if (i == 0) continue;
      const bool runs_on = number == events[i - 1].first + 1;
      if (!runs_on || table.start[row] < table.end(events[i - 1].second)) return std::nullopt;
    }
    return sum;
  }
};

// By thread and stem: the first of equals is the same in every run.
using NumberedByStem = std::map<std::pair<std::uint32_t, std::string_view>, NumberedRanges>;

void add_numbered_steps(Trace& trace, RankId rank, NumberedByStem& ranges) {
  const NumberedRanges* best = nullptr;
  WideTime best_covered = -1;
  for (auto& [key, candidates] : ranges) {
    const auto covered = candidates.covered(trace.events);
    if (!covered || *covered <= best_covered) continue;
    best = &candidates;
    best_covered = *covered;
  }
  if (best == nullptr) return;
  for (const auto& [number, row] : best->events) {
    trace.steps.push_back(
        {trace.events.name[row], rank, trace.events.start[row], trace.events.end(row)});
  }
}

}  // namespace

bool is_step_name(std::string_view name) {
  static constexpr std::array<std::string_view, 3> kPrefixes = {"ProfilerStep#", "Iteration#",
                                                                "Step#"};
  if (name == "StepTraceAnnotation") return true;
  for (const std::string_view prefix : kPrefixes) {
    if (!name.starts_with(prefix)) continue;
    const std::string_view number = name.substr(prefix.size());
    return !number.empty() && std::ranges::all_of(number, is_digit);
  }
  return false;
}

std::optional<NumberedStepName> numbered_step_name(std::string_view name) {
  static constexpr std::array<std::string_view, 4> kWords = {"step", "iter", "iteration", "batch"};
  while (!name.empty() && std::string_view(" )]").contains(name.back())) name.remove_suffix(1);
  std::string_view stem = name;
  while (!stem.empty() && is_digit(stem.back())) stem.remove_suffix(1);
  const std::string_view digits = name.substr(stem.size());
  NumberedStepName found;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), found.number);
  if (digits.empty() || error != std::errc()) return std::nullopt;
  while (!stem.empty() && std::string_view(" _-#:=([").contains(stem.back())) {
    stem.remove_suffix(1);
  }
  if (std::ranges::find(kWords, last_word(stem)) == kWords.end()) return std::nullopt;
  found.stem = stem;
  return found;
}

void collect_marked_steps(Trace& trace, std::size_t first_row, RankId rank) {
  const EventTable& events = trace.events;
  const std::optional<StringId> own = trace.strings.find(kOwnAnnotationCategory);
  std::vector<Marks> marks(trace.strings.size(), Marks::kNotAsked);  // by StringId
  NumberedByStem numbered;
  for (std::size_t i = first_row; i < events.size(); ++i) {
    Marks& known = marks[static_cast<std::size_t>(events.name[i])];
    if (known == Marks::kNotAsked) known = marks_of(trace.text(events.name[i]));
    if (known == Marks::kNothing) continue;
    if (events.shape[i] != Shape::kSpan || trace.on_device(i) || events.category[i] == own)
      continue;
    if (trace.rank_of(trace.track_of(i)) != rank) continue;
    if (known == Marks::kStep) {
      trace.steps.push_back({events.name[i], rank, events.start[i], events.end(i)});
    } else if (events.kind[i] == Kind::kAnnotation) {
      const auto name = numbered_step_name(trace.text(events.name[i]));
      numbered[{static_cast<std::uint32_t>(events.track[i]), name->stem}].events.emplace_back(
          name->number, static_cast<std::uint32_t>(i));
    }
  }
  if (std::ranges::find(trace.steps, rank, &Step::rank) == trace.steps.end()) {
    add_numbered_steps(trace, rank, numbered);
  }
  const auto key = [](const Step& step) {
    return std::tuple(step.rank, step.start, step.end, step.name);
  };
  // Steps of the ranks before this one are in order already; a thousand ranks need not sort all of
  // them a thousand times.
  const auto is_other = [rank](const Step& step) { return step.rank != rank; };
  auto first = std::find_if(trace.steps.rbegin(), trace.steps.rend(), is_other).base();
  if (first != trace.steps.begin() && std::prev(first)->rank > rank) first = trace.steps.begin();
  std::ranges::sort(first, trace.steps.end(), {}, key);
  // Some profilers write a marker twice, as an annotation and as an operator.
  const auto repeated = std::ranges::unique(first, trace.steps.end(), {}, key);
  trace.steps.erase(repeated.begin(), repeated.end());
}

}  // namespace lockstep::trace
