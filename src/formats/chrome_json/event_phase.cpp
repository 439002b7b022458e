// Phases and what must stand beside them.
#include "formats/chrome_json/event_phase.h"

#include <algorithm>

#include "formats/chrome_json/json_text.h"

namespace lockstep::chrome_json {
namespace {

constexpr std::string_view kTimedPhases = "BEbeSFinIRTpCstf";
// Objects, memory dumps, samples, clock synchronisation, contexts, metadata of other kinds.
constexpr std::string_view kTimelessPhases = "NODPvVc(),=";

bool is_number(std::string_view json) {
  return !json.empty() && (json.front() == '-' || (json.front() >= '0' && json.front() <= '9'));
}

// Counters have numbers and nothing else, clocks that are synchronised a sync_id. Lists and objects
// do not count: they are not always kept.
bool is_counter(std::span<const RawArgument> arguments) {
  const auto counts = [](const RawArgument& argument) {
    return argument.key != "sync_id" && is_number(argument.value);
  };
  const auto says_nothing = [](const RawArgument& argument) { return is_nested(argument.value); };
  return std::ranges::any_of(arguments, counts) &&
         std::ranges::all_of(arguments, [&](const RawArgument& argument) {
           return counts(argument) || says_nothing(argument);
         });
}

// Whether the phase cannot be the one that was written: a damaged byte makes many a phase out of
// another, and the event would vanish among those that mark nothing. Only spans last (some
// exporters write a duration of 0 with everything) and only flows have a binding point. Objects and
// contexts have ids; a clock has none, but the start of a flow has. Memory dumps have arguments,
// flows an id and no arguments.
bool lost_its_phase(const RawEvent& event, std::span<const RawArgument> arguments, char phase) {
  constexpr std::string_view kPhasesWithoutDuration = "Mstf";
  constexpr std::string_view kPhasesWithId = "NOD(),=";
  const bool is_timeless = kTimelessPhases.find(phase) != std::string_view::npos;
  if (is_timeless || kPhasesWithoutDuration.find(phase) != std::string_view::npos) {
    WideTime duration = 0;
    if (parse_time(event[Field::kDuration], duration) && duration > 0) return true;
  }
  if (!is_timeless) return false;
  if (event[Field::kBindPoint].present()) return true;
  const bool has_id = event[Field::kId].present();
  if (phase == 'c') {
    return event[Field::kName].text() != "clock_sync" && (has_id || is_counter(arguments));
  }
  if (phase == 'v' || phase == 'V') return has_id && !event.has(Field::kArguments);
  return !has_id && kPhasesWithId.find(phase) != std::string_view::npos;
}

bool is_one_of(char phase, std::string_view phases) {
  return phase != '\0' && phases.find(phase) != std::string_view::npos;
}

}  // namespace

PhaseUse use_of_other_phase(const RawEvent& event, std::span<const RawArgument> arguments) {
  const char phase = phase_of(event);
  if (lost_its_phase(event, arguments, phase)) return PhaseUse::kLost;
  if (phase == 'M') return PhaseUse::kMetadata;
  if (is_one_of(phase, kTimedPhases)) return PhaseUse::kTimed;
  return is_one_of(phase, kTimelessPhases) ? PhaseUse::kSkipped : PhaseUse::kLost;
}

}  // namespace lockstep::chrome_json
