// Steps and ids that processes share.
#include "formats/chrome_json/ranks/repeated_work.h"

#include <map>
#include <set>

#include "formats/chrome_json/defects.h"
#include "formats/chrome_json/map/event_mapper.h"
#include "trace/steps.h"

namespace lockstep::formats::chrome_json {
namespace {

// Fewer operators with equal ids than this prove nothing.
constexpr std::uint64_t kSharedIdsOfMerge = 16;

bool marks_step(std::string_view name) {
  return trace::is_step_name(name) || trace::numbered_step_name(name);
}

}  // namespace

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

std::vector<std::size_t> processes_that_repeat(const MappedFile& file) {
  const trace::Trace& trace = file.trace;
  const bool do_operators_repeat = shares_most_ids(file);
  std::set<std::size_t> repeating;
  std::map<StringId, std::set<std::size_t>> markers;
  for (std::size_t i = file.start.row; i < trace.events.size(); ++i) {
    if (trace.on_device(i)) continue;
    const std::size_t process = trace::index_of(trace.track_of(i).process) - file.start.process;
    if (do_operators_repeat && trace.events.kind[i] == trace::Kind::kHostOp) {
      repeating.insert(process);
    }
    if (trace.events.kind[i] != trace::Kind::kAnnotation) continue;
    const StringId name = trace.events.name[i];
    if (marks_step(trace.text(name))) markers[name].insert(process);
  }
  for (const auto& [step, processes] : markers) {
    if (processes.size() > 1) repeating.insert(processes.begin(), processes.end());
  }
  return {repeating.begin(), repeating.end()};
}

}  // namespace lockstep::formats::chrome_json
