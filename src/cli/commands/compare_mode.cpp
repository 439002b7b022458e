// Which pairs belong to a phase, by their loops and segments.
#include "cli/commands/compare_mode.h"

#include <algorithm>
#include <optional>

namespace lockstep::cli {
namespace {

bool has_phase(const analysis::cycles::Cycles& cycles, analysis::cycles::PhaseName phase) {
  const auto is_it = [phase](analysis::cycles::PhaseName other) { return other == phase; };
  return std::ranges::any_of(cycles.streams, [&](const analysis::cycles::StreamCycles& stream) {
    return std::ranges::any_of(stream.phases, is_it, &analysis::cycles::PhaseSpan::phase) ||
           std::ranges::any_of(stream.loops, is_it, &analysis::cycles::Loop::phase);
  });
}

bool is_of_phase(const std::optional<analysis::compare::PairSide>& side,
                 analysis::cycles::PhaseName phase) {
  return side && side->phase == phase;
}

// By its place; a loop of another phase is none whatever its place.
bool is_selected(const std::optional<analysis::compare::PairSide>& side,
                 const analysis::cycles::Cycles& cycles) {
  return side && side->phase == analysis::cycles::PhaseName::kUnknown && side->loop &&
         cycles.streams[side->stream].selected == side->loop;
}

}  // namespace

analysis::cycles::PhaseName phase_of(analysis::cycles::CycleMode mode) {
  return mode == analysis::cycles::CycleMode::kPrefill ? analysis::cycles::PhaseName::kPrefill
                                                       : analysis::cycles::PhaseName::kDecode;
}

std::function<bool(const analysis::compare::ComparePair&)> wanted_by(
    analysis::cycles::CycleMode mode, const analysis::cycles::Cycles& a,
    const analysis::cycles::Cycles& b) {
  if (mode == analysis::cycles::CycleMode::kAuto) return {};
  const analysis::cycles::PhaseName phase = phase_of(mode);
  if (has_phase(a, phase) || has_phase(b, phase)) {
    return [phase](const analysis::compare::ComparePair& pair) {
      return is_of_phase(pair.a, phase) || is_of_phase(pair.b, phase);
    };
  }
  return [&a, &b](const analysis::compare::ComparePair& pair) {
    return is_selected(pair.a, a) || is_selected(pair.b, b);
  };
}

}  // namespace lockstep::cli
