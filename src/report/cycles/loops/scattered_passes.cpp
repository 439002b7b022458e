// Looks for the stretch that each pass lies in.
#include "report/cycles/loops/scattered_passes.h"

#include <algorithm>
#include <optional>

namespace lockstep::report::cycles {
namespace {

// The stretch that a pass is an iteration of, or all of, or that holds it by chance; nothing where
// it lies in a loop that tells how passes come.
std::optional<std::size_t> span_of(const analysis::cycles::StreamCycles& cycles,
                                   const analysis::cycles::Iteration& pass) {
  const auto after =
      std::ranges::upper_bound(cycles.phases, pass.start, {}, &analysis::cycles::PhaseSpan::start);
  if (after == cycles.phases.begin()) return std::nullopt;
  const auto index = static_cast<std::size_t>(after - cycles.phases.begin()) - 1;
  const analysis::cycles::PhaseSpan& span = cycles.phases[index];
  if (pass.end > span.end) return std::nullopt;
  if (span.loop == analysis::cycles::kNoLoop) return index;
  const auto loop = static_cast<std::size_t>(span.loop);
  if (cycles.loops[loop].role == analysis::cycles::LoopRole::kUnknown) return index;
  const auto& instances = cycles.nest.loops[loop].instances;
  const bool is_iteration = std::ranges::any_of(instances, [&](const auto& instance) {
    const auto at = std::ranges::lower_bound(instance.iterations, pass.start, {},
                                             &analysis::cycles::Iteration::start);
    return at != instance.iterations.end() && *at == pass;
  });
  return is_iteration ? std::optional(index) : std::nullopt;
}

std::optional<ScatteredFamily::Class> class_of(const analysis::cycles::StreamCycles& cycles,
                                               const analysis::cycles::PassClass& passes) {
  ScatteredFamily::Class one{&passes, {}};
  for (const analysis::cycles::Iteration& pass : passes.passes) {
    const std::optional<std::size_t> span = span_of(cycles, pass);
    if (!span) return std::nullopt;
    if (one.spans.empty() || one.spans.back() != *span) one.spans.push_back(*span);
  }
  return one;
}

}  // namespace

std::vector<ScatteredFamily> scattered_families(const analysis::cycles::StreamCycles& cycles) {
  std::vector<ScatteredFamily> found;
  for (const analysis::cycles::PassFamily& family : cycles.families) {
    ScatteredFamily scattered;
    bool is_scattered = false;
    for (const analysis::cycles::PassClass& passes : family.classes) {
      std::optional<ScatteredFamily::Class> one = class_of(cycles, passes);
      if (!one) continue;
      is_scattered = is_scattered || one->spans.size() > 1;
      scattered.classes.push_back(std::move(*one));
    }
    if (is_scattered) found.push_back(std::move(scattered));
  }
  return found;
}

}  // namespace lockstep::report::cycles
