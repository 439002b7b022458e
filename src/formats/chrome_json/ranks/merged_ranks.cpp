// Ranks of merged files.
#include "formats/chrome_json/ranks/merged_ranks.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "formats/chrome_json/defects.h"
#include "formats/chrome_json/map/event_mapper.h"
#include "formats/chrome_json/ranks/launch_bonds.h"
#include "formats/chrome_json/ranks/rank_labels.h"
#include "formats/chrome_json/ranks/rank_plan.h"
#include "formats/chrome_json/ranks/repeated_work.h"
#include "trace/steps.h"

namespace lockstep::formats::chrome_json {
namespace {

// "GPU 3"
std::optional<std::int64_t> device_in(std::string_view label) {
  constexpr std::string_view kDevice = "GPU ";
  return label.starts_with(kDevice) ? number_of(label.substr(kDevice.size())) : std::nullopt;
}

// What Kineto says of a process, unless it says two things: then two processes have one id.
void add_metadata(const trace::Trace& trace, const ProcessNotes::Said& said, ProcessFacts& facts) {
  for (const StringId name : said.names) facts.names.push_back(trace.text(name));
  for (const StringId label : said.labels) facts.names.push_back(trace.text(label));
  if (said.labels.size() != 1) return;
  const std::string_view label = trace.text(said.labels.front());
  facts.device = device_in(label);
  // Its place among others is its number.
  if (label != "CPU" || said.sort_indices.size() != 1) return;
  const std::int64_t place = said.sort_indices.front();
  if (place > 0 && place <= kMaxProcessNumber) facts.process = place;
}

// The number in the arguments of events is that of the events themselves, and goes before others.
void add_device(ProcessNotes::DeviceNumber told, ProcessNotes::DeviceNumber& known) {
  known.differs |= told.differs;
  if (told.number == ProcessNotes::DeviceNumber::kNone) return;
  known.differs |= known.number != ProcessNotes::DeviceNumber::kNone && known.number != told.number;
  known.number = told.number;
}

std::vector<ProcessFacts> facts_of_processes(const MappedFile& file) {
  const trace::Trace& trace = file.trace;
  const ProcessNotes& notes = file.mapper.process_notes();
  std::vector<ProcessFacts> facts;
  for (std::size_t p = file.start.process; p < trace.processes.size(); ++p) {
    facts.push_back({trace.text(trace.processes[p].id.text)});
    add_metadata(trace, notes.of(trace::ProcessId{static_cast<std::uint32_t>(p)}), facts.back());
  }
  std::vector<bool> is_used(trace.tracks.size());
  std::vector<bool> is_launching(trace.tracks.size());
  for (std::size_t i = file.start.row; i < trace.events.size(); ++i) {
    const std::size_t track = index_of(trace.events.track[i]);
    is_used[track] = true;
    if (trace.events.kind[i] == trace::Kind::kRuntimeCall) is_launching[track] = true;
  }
  std::vector<ProcessNotes::DeviceNumber> devices(facts.size());
  for (std::size_t t = file.start.track; t < trace.tracks.size(); ++t) {
    if (!is_used[t]) continue;
    const trace::Track& track = trace.tracks[t];
    const std::size_t at = index_of(track.process) - file.start.process;
    const bool is_device = track.side == trace::Track::Side::kDevice;
    (is_device ? facts[at].has_device : facts[at].has_host) = true;
    facts[at].launches |= !is_device && is_launching[t];
    if (is_device) {
      add_device(notes.device_of(trace::TrackId{static_cast<std::uint32_t>(t)}), devices[at]);
    }
  }
  for (std::size_t p = 0; p < facts.size(); ++p) {
    if (devices[p].is_known()) facts[p].device = devices[p].number;
    if (devices[p].differs) facts[p].device = std::nullopt;
  }
  return facts;
}

// Steps that were met while events were mapped are known by their times only.
void part_steps(MappedFile& file) {
  trace::Trace& trace = file.trace;
  std::map<std::pair<Time, Time>, std::vector<trace::Step*>> steps;
  for (trace::Step& step : trace.steps) {
    if (step.rank == file.rank) steps[{step.start, step.end}].push_back(&step);
  }
  if (steps.empty()) return;
  for (std::size_t i = file.start.row; i < trace.events.size(); ++i) {
    if (trace.events.kind[i] != trace::Kind::kAnnotation || trace.on_device(i)) continue;
    const auto found = steps.find({trace.events.start[i], trace.events.end(i)});
    if (found == steps.end()) continue;
    for (trace::Step* step : found->second) {
      if (!trace.text(step->name).starts_with(trace.text(trace.events.name[i]))) continue;
      step->rank = trace.rank_of(trace.track_of(i));
    }
  }
}

// Ids that ranks share are no doubles once the ranks are apart.
void forget_shared_ids(Diagnostics& diagnostics) {
  Diagnostics others;
  for (const Diagnostic& entry : diagnostics.entries()) {
    if (entry.kind == &kDuplicateExternalId) continue;
    others.add(*entry.kind, entry.first, entry.example, entry.count);
  }
  diagnostics = std::move(others);
}

// Whether two events may mark steps of one process: profilers write some markers twice, as an
// annotation and as an operator around or inside of it, and people count anew in every epoch.
bool may_be_of_one(const trace::Trace& trace, std::size_t a, std::size_t b) {
  if (trace.events.track[a] != trace.events.track[b]) return false;
  const auto holds = [&](std::size_t outer, std::size_t inner) {
    return trace.events.start[outer] <= trace.events.start[inner] &&
           trace.events.end(inner) <= trace.events.end(outer);
  };
  const bool are_apart =
      trace.events.end(a) <= trace.events.start[b] || trace.events.end(b) <= trace.events.start[a];
  return are_apart || holds(a, b) || holds(b, a);
}

bool has_step_twice(const MappedFile& file) {
  const trace::Trace& trace = file.trace;
  std::set<StringId> names;
  std::set<StringId> repeated;
  for (const trace::Step& step : trace.steps) {
    const bool is_counted = step.rank == file.rank && trace.text(step.name).contains('#');
    if (is_counted && !names.insert(step.name).second) repeated.insert(step.name);
  }
  if (repeated.empty()) return false;
  std::map<StringId, std::size_t> first;
  for (std::size_t i = file.start.row; i < trace.events.size(); ++i) {
    if (!repeated.contains(trace.events.name[i]) || trace.on_device(i)) continue;
    if (trace.events.shape[i] != trace::Shape::kSpan) continue;
    const auto [known, is_new] = first.try_emplace(trace.events.name[i], i);
    if (!is_new && !may_be_of_one(trace, known->second, i)) return true;
  }
  return false;
}

// Steps in time order; one that was written twice crosses nothing.
bool have_crossing(std::span<const trace::Step> steps) {
  for (std::size_t i = 1; i < steps.size(); ++i) {
    const trace::Step& before = steps[i - 1];
    const bool is_second_mark = steps[i].name == before.name && steps[i].end <= before.end;
    if (steps[i].start < before.end && !is_second_mark) return true;
  }
  return false;
}

// Whether several processes marked these steps.
bool are_of_several(const MappedFile& file, std::span<const trace::Step> steps) {
  const trace::Trace& trace = file.trace;
  std::set<std::pair<Time, Time>> times;
  for (const trace::Step& step : steps) times.emplace(step.start, step.end);
  std::set<trace::ProcessId> processes;
  for (std::size_t i = file.start.row; i < trace.events.size(); ++i) {
    if (trace.on_device(i) || !trace::is_step_name(trace.text(trace.events.name[i]))) continue;
    if (!times.contains({trace.events.start[i], trace.events.end(i)})) continue;
    processes.insert(trace.track_of(i).process);
  }
  return processes.size() > 1;
}

}  // namespace

MergedRanks part_merged_ranks(MappedFile& file, std::size_t first_device) {
  trace::Trace& trace = file.trace;
  const RankPlan plan = plan_ranks(
      facts_of_processes(file), [&] { return launch_bonds(trace, file.start); },
      [&] { return processes_that_repeat(file); });
  if (!plan.is_merged()) return {.ranks = 1, .is_unclear = plan.is_unclear};
  const std::size_t first = trace::index_of(file.rank);
  trace.ranks.resize(first + plan.numbers.size());
  for (std::size_t r = 0; r < plan.numbers.size(); ++r) {
    trace.ranks[first + r].number = plan.numbers[r];
  }
  const auto rank_of = [&](trace::ProcessId process) {
    const std::size_t at = trace::index_of(process) - file.start.process;
    return trace::RankId{static_cast<std::uint32_t>(first + plan.rank_of[at])};
  };
  for (std::size_t p = file.start.process; p < trace.processes.size(); ++p) {
    trace.processes[p].rank = rank_of(trace::ProcessId{static_cast<std::uint32_t>(p)});
  }
  for (std::size_t t = file.start.track; t < trace.tracks.size(); ++t) {
    const trace::Track& track = trace.tracks[t];
    if (track.side != trace::Track::Side::kDevice) continue;
    if (trace::index_of(track.device) < first_device) continue;
    trace::Device& device = trace.devices[trace::index_of(track.device)];
    const std::size_t at = trace::index_of(track.process) - file.start.process;
    device.rank = rank_of(track.process);
    device.id = trace.strings.intern(plan.own_ids[at]);
  }
  part_steps(file);
  forget_shared_ids(file.diagnostics);
  return {.ranks = plan.numbers.size()};
}

void say_merged_ranks(MappedFile& file, const MergedRanks& merged) {
  if (merged.ranks > 1) return;
  if (!merged.is_unclear && !has_step_twice(file) && !shares_most_ids(file)) return;
  file.diagnostics.add(kMergedRanks);
  std::vector<trace::Step>& all = file.trace.steps;
  const auto steps = std::ranges::equal_range(all, file.rank, {}, &trace::Step::rank);
  const bool cut_others =
      have_crossing(steps) || (merged.is_unclear && are_of_several(file, steps));
  if (!cut_others) return;
  file.diagnostics.add(kCrossingSteps, Place::none(), {}, steps.size());
  all.erase(steps.begin(), steps.end());
}

}  // namespace lockstep::formats::chrome_json
