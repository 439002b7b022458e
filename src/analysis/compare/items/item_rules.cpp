// Shares of the stream, and the phases of single passes.
#include "analysis/compare/items/item_rules.h"

#include <algorithm>

namespace lockstep::analysis::compare {
namespace {

// A loop is left in the segment around it when its body is shorter than this or it has fewer
// iterations, and it is under this share of the stream's kernels and time: the repeated memset of
// a warm-up is no work that anybody compares by itself.
constexpr std::uint32_t kMinPeriod = 8;
constexpr std::size_t kMinIterations = 3;
constexpr double kMinShare = 0.2;
// Of a single kernel the time says nothing: a pause of its stream, or of what it waits for, is in
// it. It must be this share of the kernels; where the other trace has it as a loop, the second one.
constexpr double kNearlyAll = 0.95;
constexpr double kMostly = 0.5;

double share_of_kernels(const cycles::StreamCycles& cycles, std::uint32_t loop) {
  double kernels = 0;
  for (const cycles::IterationTime& iteration : cycles.loops[loop].iterations)
    kernels += iteration.kernels.size();
  return kernels / static_cast<double>(cycles.stream.size());
}

bool takes_time(const cycles::StreamCycles& cycles, std::uint32_t loop) {
  double time = 0;
  for (const cycles::IterationTime& iteration : cycles.loops[loop].iterations)
    time += static_cast<double>(iteration.wall.ps);
  const Time last = *std::ranges::max_element(cycles.stream.ends);
  return time >= kMinShare * static_cast<double>((last - cycles.stream.starts.front()).ps);
}

// Only these can stand for themselves.
bool is_outermost(const cycles::StreamCycles& cycles, std::uint32_t loop) {
  const std::int32_t parent = cycles.nest.loops[loop].parent;
  return parent == cycles::kNoLoop ||
         cycles.loops[static_cast<std::size_t>(parent)].role == cycles::LoopRole::kRequest;
}

void add_large_loops(const cycles::StreamCycles& cycles, std::set<BodyNames>& large) {
  for (std::uint32_t i = 0; i < cycles.nest.loops.size(); ++i) {
    if (is_outermost(cycles, i) && !is_long(cycles, i) && is_large(cycles, i))
      large.insert(body_names(cycles, i));
  }
}

}  // namespace

BodyNames body_names(const cycles::StreamCycles& cycles, std::uint32_t loop) {
  const cycles::NestLoop& of = cycles.nest.loops[loop];
  BodyNames names;
  for (std::uint32_t k = of.body_start; k < of.body_start + of.period; ++k)
    names.push_back(cycles.stream.symbols[cycles.stream.names[k]].text);
  std::ranges::sort(names);
  return names;
}

bool is_long(const cycles::StreamCycles& cycles, std::uint32_t loop) {
  return cycles.nest.loops[loop].period >= kMinPeriod &&
         cycles.loops[loop].iterations.size() >= kMinIterations;
}

bool is_large(const cycles::StreamCycles& cycles, std::uint32_t loop) {
  const double share = share_of_kernels(cycles, loop);
  if (cycles.nest.loops[loop].period == 1) return share >= kNearlyAll;
  return share >= kMinShare || takes_time(cycles, loop);
}

bool may_be_large(const cycles::StreamCycles& cycles, std::uint32_t loop) {
  return cycles.nest.loops[loop].period > 1 || share_of_kernels(cycles, loop) >= kMostly;
}

bool is_single_pass(const cycles::PhaseSpan& span) {
  return span.loop == cycles::kNoLoop && span.passes == 1 &&
         (span.phase != cycles::PhaseName::kUnknown || span.layers > 0);
}

ItemRules item_rules(const cycles::Cycles& a, const cycles::Cycles& b) {
  ItemRules rules;
  std::set<cycles::PhaseName> single;
  std::set<cycles::PhaseName> in_loops;
  for (const cycles::Cycles* cycles : {&a, &b}) {
    for (const cycles::StreamCycles& stream : cycles->streams) {
      add_large_loops(stream, rules.large);
      for (const cycles::PhaseSpan& span : stream.phases) {
        if (span.loop != cycles::kNoLoop) in_loops.insert(span.phase);
        if (is_single_pass(span)) single.insert(span.phase);
      }
    }
  }
  rules.whole = in_loops;
  rules.whole.erase(cycles::PhaseName::kUnknown);
  rules.whole.insert(cycles::PhaseName::kPrefill);
  const bool has_whole_passes = !in_loops.empty() || std::ranges::any_of(single, [&](auto phase) {
    return rules.whole.contains(phase);
  });
  if (has_whole_passes && single.contains(cycles::PhaseName::kUnknown))
    rules.whole.insert(single.begin(), single.end());
  return rules;
}

}  // namespace lockstep::analysis::compare
