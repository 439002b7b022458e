// Parsing of slices and lists, each refused with a sentence that says what is there.
#include "cli/options/selection_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "formats/chrome_json/defects.h"

namespace lockstep::cli {
namespace {

constexpr std::string_view kSliceDetails =
    "only events that reach into [FROM, TO), and the host calls that launched them. FROM and TO "
    "are times with a unit (`1.5s..2s`) or names of steps; either may be left out, and the name of "
    "a step alone is that step";
constexpr std::size_t kMaxShown = 8;
constexpr std::int64_t kMaxRangeLength = 1'000'000;

struct Unit {
  std::string_view suffix;
  int decimal_shift;  // to ps
};
// Longer suffixes first: "ms" ends in "s".
constexpr std::array<Unit, 5> kUnits = {{{"ns", 3}, {"us", 6}, {"ms", 9}, {"ps", 0}, {"s", 12}}};

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t comma = text.find(',');
    words.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return words;
    text.remove_prefix(comma + 1);
  }
}

std::optional<std::int64_t> whole(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(text.begin(), text.end(), value);
  if (text.empty() || failure != std::errc() || end != text.end()) return std::nullopt;
  return value;
}

// The first few of them, for a sentence.
template <typename Words>
std::string listed(const Words& words) {
  std::vector<std::string> shown;
  for (const auto& word : words) {
    if (shown.size() == kMaxShown) {
      shown.emplace_back("...");
      break;
    }
    shown.push_back(fmt::format("{}", word));
  }
  return fmt::format("{}", fmt::join(shown, ", "));
}

Error bad_slice(std::string_view text, std::string_view why) {
  return usage_error(fmt::format("--slice '{}': {}", text, why),
                     "Give START..END, each a time from the earliest event with a unit (250ms, "
                     "1.5s), the name of a step, or nothing");
}

const trace::Step* find_step(const trace::Trace& trace, std::string_view name) {
  const auto step = std::ranges::find_if(
      trace.steps, [&](const trace::Step& s) { return trace.text(s.name) == name; });
  return step == trace.steps.end() ? nullptr : &*step;
}

// One end of a slice. The end of a step counts where it is the end of the slice.
Result<std::optional<Time>> end_of_slice(const trace::Trace& trace, std::string_view word,
                                         bool is_end, std::string_view whole_text) {
  if (word.empty()) return std::optional<Time>();
  if (const std::optional<Time> time = parse_duration(word)) return time;
  if (const trace::Step* step = find_step(trace, word)) {
    return std::optional<Time>(is_end ? step->end : step->start);
  }
  if (whole(word)) return bad_slice(whole_text, fmt::format("'{}' has no unit", word));
  return bad_slice(whole_text, fmt::format("'{}' is neither a time nor a step of the trace", word));
}

const trace::Step* find_step_of(const trace::Trace& trace, trace::RankId rank,
                                std::string_view name) {
  const auto step = std::ranges::find_if(trace.steps, [&](const trace::Step& s) {
    return s.rank == rank && trace.text(s.name) == name;
  });
  return step == trace.steps.end() ? nullptr : &*step;
}

// Each rank runs a step in its own time. One that has not marked it takes the window of the first
// that has, if they count from the same zero; otherwise it has nothing to give.
void slice_by_rank(const trace::Trace& trace, std::string_view first, std::string_view last,
                   trace::Selection& selection) {
  const trace::Step* any = find_step(trace, first);
  if (any == nullptr) any = find_step(trace, last);
  if (any == nullptr || trace.ranks.size() < 2) return;
  const Origin& zero = trace.ranks[trace::index_of(any->rank)].origin;
  for (std::uint32_t r = 0; r < trace.ranks.size(); ++r) {
    const Origin& own = trace.ranks[r].origin;
    const trace::Step* from = find_step_of(trace, trace::RankId{r}, first);
    const trace::Step* to = find_step_of(trace, trace::RankId{r}, last);
    if (from == nullptr && to == nullptr && (own.ns != zero.ns || own.clock != zero.clock)) {
      selection.slices.emplace_back();
      continue;
    }
    // A rank that marked one of two steps was cut off: its other end stays open.
    trace::Selection::Slice slice{selection.from, selection.to};
    if (from != nullptr || to != nullptr) {
      if (find_step(trace, first) != nullptr) slice.from.reset();
      if (find_step(trace, last) != nullptr) slice.to.reset();
    }
    if (from != nullptr) slice.from = from->start;
    if (to != nullptr) slice.to = to->end;
    selection.slices.push_back(slice);
  }
}

Status add_slice(const trace::Trace& trace, std::string_view text, trace::Selection& selection) {
  const std::size_t dots = text.find("..");
  const std::string_view first = text.substr(0, dots);
  const std::string_view last = dots == std::string_view::npos ? text : text.substr(dots + 2);
  // A single word is a step.
  if (dots == std::string_view::npos && find_step(trace, text) == nullptr) {
    return bad_slice(text, "there is no '..' in it and no step of that name");
  }
  LOCKSTEP_ASSIGN_OR_RETURN(selection.from, end_of_slice(trace, first, false, text));
  LOCKSTEP_ASSIGN_OR_RETURN(selection.to, end_of_slice(trace, last, true, text));
  if (selection.from && selection.to && *selection.from >= *selection.to) {
    return bad_slice(text, "it ends before it starts");
  }
  slice_by_rank(trace, first, last, selection);
  return {};
}

Status add_ranks(const trace::Trace& trace, std::string_view text, trace::Selection& selection) {
  LOCKSTEP_ASSIGN_OR_RETURN(selection.ranks, parse_numbers(text, "--ranks"));
  std::set<std::int64_t> there;
  for (const trace::Rank& rank : trace.ranks) {
    if (rank.number) there.insert(*rank.number);
  }
  for (const std::int64_t wanted : *selection.ranks) {
    if (there.contains(wanted)) continue;
    return usage_error(
        fmt::format("there is no rank {} in the trace", wanted),
        there.empty() ? "Its ranks have no numbers" : fmt::format("It has {}", listed(there)));
  }
  return {};
}

Status add_devices(const trace::Trace& trace, std::string_view text, trace::Selection& selection) {
  std::set<std::string> there;
  for (const trace::Device& device : trace.devices) there.emplace(trace.text(device.id));
  selection.devices.emplace();
  for (const std::string_view word : split(text)) {
    if (!there.contains(std::string(word))) {
      return usage_error(
          fmt::format("there is no device '{}' in the trace", word),
          there.empty() ? "It has no devices" : fmt::format("It has {}", listed(there)));
    }
    selection.devices->emplace(word);
  }
  return {};
}

Status add_kinds(std::string_view text, trace::Selection& selection) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < trace::kKindCount; ++i)
    names.push_back(name_of(static_cast<trace::Kind>(i)));
  selection.kinds.emplace();
  for (const std::string_view word : split(text)) {
    const auto known = trace::kind_named(word);
    if (!known) {
      const std::string_view nearest = nearest_word(word, names);
      const std::string question =
          nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest);
      return usage_error(fmt::format("there is no kind '{}'{}", word, question),
                         fmt::format("Kinds are {}", fmt::join(names, ", ")));
    }
    selection.kinds->set(static_cast<std::size_t>(*known));
  }
  return {};
}

}  // namespace

std::optional<Time> parse_duration(std::string_view text) {
  for (const Unit& unit : kUnits) {
    if (!text.ends_with(unit.suffix)) continue;
    const auto ps =
        parse_decimal(text.substr(0, text.size() - unit.suffix.size()), unit.decimal_shift);
    return ps ? narrow(*ps, 0) : std::nullopt;
  }
  return std::nullopt;
}

Result<std::set<std::int64_t>> parse_numbers(std::string_view text, std::string_view option) {
  std::set<std::int64_t> numbers;
  for (const std::string_view word : split(text)) {
    const std::size_t dash = word.find('-', 1);
    const auto first = whole(word.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : whole(word.substr(dash + 1));
    const bool is_sane = first && last && *first >= 0 && *last >= *first &&
                         *last - *first <= kMaxRangeLength &&
                         *last < std::numeric_limits<std::int64_t>::max();
    if (!is_sane) {
      return usage_error(
          fmt::format("{} '{}': '{}' is neither a number nor a range", option, text, word),
          "Give numbers like 0,2-4");
    }
    for (std::int64_t number = *first; number <= *last; ++number) numbers.insert(number);
  }
  return numbers;
}

void SelectionOptions::add_places_to(OptionTable& table) {
  table.add({.names = "--slice",
             .target = &slice,
             .value = "FROM..TO",
             .help = "only a slice: times like 1.5s..2s, or steps",
             .details = std::string(kSliceDetails)});
  table.add({.names = "--ranks",
             .target = &ranks,
             .value = "LIST",
             .help = "only these ranks, like 0,2-4",
             .details = "only these ranks: numbers and ranges, `0,2-4`"});
  table.add({.names = "--devices",
             .target = &devices,
             .value = "LIST",
             .help = "only these devices, by id",
             .details = "only these devices, by id. Of the host calls that launch work, only "
                        "those of these devices"});
}

void SelectionOptions::add_to(OptionTable& table) {
  add_places_to(table);
  table.add({.names = "--kinds",
             .target = &kinds,
             .value = "LIST",
             .help = "only these kinds, like kernel,communication",
             .details = "only events of these kinds: the words of `kinds` in [info](info.md)"});
}

bool SelectionOptions::is_given() const {
  return !(slice.empty() && ranks.empty() && devices.empty() && kinds.empty());
}

Result<trace::Selection> SelectionOptions::resolve(const trace::Trace& trace) const {
  trace::Selection selection;
  if (!slice.empty()) LOCKSTEP_RETURN_IF_ERROR(add_slice(trace, slice, selection));
  if (!ranks.empty()) LOCKSTEP_RETURN_IF_ERROR(add_ranks(trace, ranks, selection));
  if (!devices.empty()) LOCKSTEP_RETURN_IF_ERROR(add_devices(trace, devices, selection));
  if (!kinds.empty()) LOCKSTEP_RETURN_IF_ERROR(add_kinds(kinds, selection));
  return selection;
}

Status SelectionOptions::apply(trace::Trace& trace) const {
  if (!is_given()) return {};
  LOCKSTEP_ASSIGN_OR_RETURN(const trace::Selection selection, resolve(trace));
  trace::keep_only(trace, selection);
  if (trace.events.size() > 0) return {};
  return usage_error("the selection holds no event of the trace",
                     "'lockstep info' tells its span, steps, devices and kinds");
}

std::string no_kernels_remedy(const Diagnostics& health) {
  const bool is_inside_kernels = std::ranges::any_of(health.entries(), [](const Diagnostic& entry) {
    return entry.kind == &formats::chrome_json::kInKernelTimeline;
  });
  return is_inside_kernels ? "It tells of the inside of kernels: 'lockstep kernel decode' reads it"
                           : "'lockstep info' tells what is there";
}

Error no_kernels(std::span<const std::string> inputs, const SelectionOptions& selection,
                 const Diagnostics& health) {
  if (selection.is_given()) {
    return usage_error("the selection holds no kernel of the trace",
                       "'lockstep info' tells its span, steps and devices");
  }
  const bool is_one = inputs.size() == 1;
  return input_error(is_one ? inputs.front() : "the inputs",
                     is_one ? "holds no kernels" : "hold no kernels", no_kernels_remedy(health));
}

}  // namespace lockstep::cli
