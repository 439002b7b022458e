// Phases and what must stand beside them.
#include "formats/chrome_json/parse/event_phase.h"

#include <algorithm>
#include <array>

#include "formats/chrome_json/scan/json_text.h"
#include "formats/shared/event_categories.h"

namespace lockstep::formats::chrome_json {
namespace {

constexpr std::string_view kTimedPhases = "BEbeSFinIRTpCstf";
// Objects, memory dumps, samples, clock synchronisation, contexts, metadata of other kinds.
constexpr std::string_view kTimelessPhases = "NODPvVc(),=";
constexpr std::string_view kPhasesWithId = "NOD(),=";

// Metadata as Chrome and those that write its format define it; some write a duration with it.
constexpr auto kMetadataNames = std::to_array<std::string_view>(
    {"process_name", "process_labels", "process_sort_index", "process_uptime_seconds",
     "thread_name", "thread_sort_index", "num_cpus", "trace_buffer_overflowed",
     "IsTimeTicksHighResolution", "TraceConfig", "stackFrames", "typeNames", "version", "node"});

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

bool is_one_of(char phase, std::string_view phases) {
  return phase != '\0' && phases.contains(phase);
}

// Only spans, instants and counters have the categories of work.
bool is_of_work(const RawEvent& event) {
  return shared::meaning_of_category(event[Field::kCategory].text()).known;
}

bool is_zero(const Token& token) {
  WideTime time = 0;
  return parse_time(token, time) && time == 0;
}

// Some exporters write every field with every event, and zeros where they have nothing to say.
bool is_filled_up(const RawEvent& event) {
  const Token time = event[Field::kTime];
  return (!time.present() || is_zero(time)) && is_zero(event[Field::kDuration]);
}

// A name that nobody defines tells nothing, so that it is no loss by itself.
bool is_lost_metadata(const RawEvent& event) {
  if (std::ranges::find(kMetadataNames, event[Field::kName].text()) != kMetadataNames.end()) {
    return false;
  }
  return (has_duration(event) && !is_filled_up(event)) || is_of_work(event);
}

// Objects and contexts have ids; a clock has none, but the start of a flow has. Memory dumps have
// arguments, flows an id and no arguments. Only flows have a binding point.
bool is_lost_timeless(const RawEvent& event, std::span<const RawArgument> arguments, char phase) {
  if (has_duration(event) && !is_filled_up(event)) return true;
  if (event[Field::kBindPoint].present()) return true;
  const bool has_id = event[Field::kId].present();
  if (is_one_of(phase, kPhasesWithId)) return !has_id;
  if (is_of_work(event)) return true;
  if (phase == 'c') {
    return event[Field::kName].text() != "clock_sync" && (has_id || is_counter(arguments));
  }
  return (phase == 'v' || phase == 'V') && has_id && !event.has(Field::kArguments);
}

// Whether the phase cannot be the one that was written: a damaged byte makes many a phase out of
// another, and the event would vanish among those that mark nothing. Of flows that last the mapper
// knows more: it sees how many there are.
bool lost_its_phase(const RawEvent& event, std::span<const RawArgument> arguments, char phase) {
  if (phase == 'M') return is_lost_metadata(event);
  if (is_one_of(phase, "stf")) return !event[Field::kId].present() && has_duration(event);
  return is_one_of(phase, kTimelessPhases) && is_lost_timeless(event, arguments, phase);
}

}  // namespace

PhaseUse use_of_other_phase(const RawEvent& event, std::span<const RawArgument> arguments) {
  const char phase = phase_of(event);
  if (lost_its_phase(event, arguments, phase)) return PhaseUse::kLost;
  if (phase == 'M') return PhaseUse::kMetadata;
  if (is_one_of(phase, kTimedPhases)) return PhaseUse::kTimed;
  return is_one_of(phase, kTimelessPhases) ? PhaseUse::kSkipped : PhaseUse::kLost;
}

}  // namespace lockstep::formats::chrome_json
