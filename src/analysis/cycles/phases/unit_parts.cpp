// Passes of a unit in groups of like attention.
#include "analysis/cycles/phases/unit_parts.h"

#include <algorithm>

namespace lockstep::analysis::cycles {
namespace {

// Of so many kinds of passes in a loop no more are told apart.
constexpr std::ptrdiff_t kMostGroups = 16;

bool is_marked(const PhaseSpan& span) {
  return std::ranges::any_of(span.evidence, [](const Evidence& evidence) {
    return evidence.ground == PhaseGround::kAnnotatedKernels ||
           evidence.ground == PhaseGround::kAnnotatedIterations ||
           evidence.ground == PhaseGround::kOnlyAnnotation;
  });
}

bool may_be_divided(const PassUnit& unit) {
  const PhaseName phase = unit.span->phase;
  const bool is_of_one_kind = phase == PhaseName::kUnknown || phase == PhaseName::kPrefill ||
                              phase == PhaseName::kDecode || phase == PhaseName::kMixed;
  return unit.passes.size() > 1 && is_of_one_kind && !is_marked(*unit.span);
}

}  // namespace

// Of passes that are known, attention may come in several builds.
std::vector<std::vector<Iteration>> UnitParts::groups(const PassUnit& unit) const {
  const bool is_known = unit.span->phase != PhaseName::kUnknown;
  std::vector<std::vector<Iteration>> groups;
  std::vector<AttentionLook> looks;
  for (const Iteration& pass : unit.passes) {
    AttentionLook look = judge_.looks().of(pass);
    const auto is_like = [&](const AttentionLook& one) {
      return have_like_uses(one, look) && (is_known || have_like_attention(one, look));
    };
    const std::ptrdiff_t known = std::ranges::find_if(looks, is_like) - looks.begin();
    const std::ptrdiff_t at = std::min(known, kMostGroups - 1);
    if (static_cast<std::size_t>(at) == looks.size()) {
      looks.push_back(std::move(look));
      groups.emplace_back();
    }
    groups[static_cast<std::size_t>(at)].push_back(pass);
  }
  return groups;
}

void UnitParts::add(PassUnit unit, LoopRole role, std::vector<PassUnit>& units) {
  std::vector<std::vector<Iteration>> parts;
  if (may_be_divided(unit)) parts = groups(unit);
  if (parts.size() < 2) {
    units.push_back(std::move(unit));
    return;
  }
  Divided& divided = divided_.emplace_back();
  divided.whole = unit.span;
  for (std::vector<Iteration>& passes : parts) {
    const bool has_body = std::ranges::find(passes, unit.body) != passes.end();
    const Iteration body = has_body ? unit.body : passes.front();
    PhaseSpan& span = spans_.emplace_back();
    span.layers = unit.layers;
    judge_.judge_passes(span, {passes, body, role});
    divided.parts.push_back(&span);
    units.push_back({&span, body, std::move(passes), unit.layers});
  }
}

void UnitParts::settle() {
  for (const Divided& divided : divided_) {
    const PhaseSpan& first = *divided.parts.front();
    const bool agree = std::ranges::all_of(
        divided.parts, [&](const PhaseSpan* part) { return part->phase == first.phase; });
    divided.whole->phase = agree ? first.phase : PhaseName::kUnknown;
    divided.whole->evidence = agree ? first.evidence : std::vector<Evidence>{};
  }
}

}  // namespace lockstep::analysis::cycles
