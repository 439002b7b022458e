// Ranks of merged files.
#include "formats/chrome_json/map/merged_ranks.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "formats/chrome_json/defects.h"
#include "formats/chrome_json/map/rank_plan.h"
#include "trace/steps.h"

namespace lockstep::formats::chrome_json {
namespace {

// Fewer operators with equal ids than this prove nothing.
constexpr std::uint64_t kSharedIdsOfMerge = 16;

std::vector<ProcessFacts> facts_of_processes(const MappedFile& file) {
  const trace::Trace& trace = file.trace;
  std::vector<ProcessFacts> facts;
  for (std::size_t p = file.start.process; p < trace.processes.size(); ++p) {
    const trace::Process& process = trace.processes[p];
    facts.push_back(
        {trace.text(process.id.text), trace.text(process.name), trace.text(process.labels)});
  }
  std::vector<bool> is_used(trace.tracks.size());
  for (std::size_t i = file.start.row; i < trace.events.size(); ++i) {
    is_used[index_of(trace.events.track[i])] = true;
  }
  for (std::size_t t = file.start.track; t < trace.tracks.size(); ++t) {
    if (!is_used[t]) continue;
    const trace::Track& track = trace.tracks[t];
    ProcessFacts& process = facts[index_of(track.process) - file.start.process];
    (track.side == trace::Track::Side::kDevice ? process.has_device : process.has_host) = true;
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

// Whether two events mark one step of one process: profilers write some markers twice, as an
// annotation and as an operator around or inside of it.
bool is_second_mark(const trace::Trace& trace, std::size_t a, std::size_t b) {
  if (trace.events.track[a] != trace.events.track[b]) return false;
  const auto holds = [&](std::size_t outer, std::size_t inner) {
    return trace.events.start[outer] <= trace.events.start[inner] &&
           trace.events.end(inner) <= trace.events.end(outer);
  };
  return holds(a, b) || holds(b, a);
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
    if (!is_new && !is_second_mark(trace, known->second, i)) return true;
  }
  return false;
}

bool shares_most_ids(const MappedFile& file) {
  const std::uint64_t shared = file.diagnostics.count_of(kDuplicateExternalId);
  if (shared < kSharedIdsOfMerge) return false;
  const trace::EventTable& events = file.trace.events;
  std::uint64_t operators = 0;
  for (std::size_t i = file.start.row; i < events.size(); ++i) {
    operators += events.kind[i] == trace::Kind::kHostOp ? 1 : 0;
  }
  return shared * 3 > operators;
}

}  // namespace

std::size_t part_merged_ranks(MappedFile& file, std::size_t first_device) {
  trace::Trace& trace = file.trace;
  const RankPlan plan = plan_ranks(facts_of_processes(file));
  if (!plan.is_merged()) return 1;
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
  return plan.numbers.size();
}

bool seems_merged(const MappedFile& file) { return has_step_twice(file) || shares_most_ids(file); }

}  // namespace lockstep::formats::chrome_json
