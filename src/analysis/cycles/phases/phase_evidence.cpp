// Evidence of phases, each kind by itself; phases.cpp says which goes first.
#include "analysis/cycles/phases/phase_evidence.h"

#include <algorithm>
#include <array>
#include <map>

#include "analysis/cycles/stream/layer_count.h"
#include "analysis/kernels/signature.h"
#include "base/text.h"

namespace lockstep::analysis::cycles {
namespace {

constexpr double kAgreement = 0.9;  // of the annotated kernels
constexpr double kCovered = 0.5;    // of all kernels
constexpr std::size_t kShownName = 60;
// Behind the last kernel of an update comes at most this share of a step: gradients set to zero,
// averages of the weights.
constexpr double kBehindUpdate = 0.25;
// Share of the steps that update as often as each other; a scaler leaves updates out.
constexpr double kUsual = 0.75;

// Growth is tested on pairs of passes half a loop apart (Cox and Stuart): with eight pairs or more,
// nine of ten growing happens by chance in less than 4 % of loops.
constexpr std::size_t kFewestPairs = 8;
constexpr double kGrowingPairs = 0.9;
// Where matrix work grows in so many pairs too, the device slows down or inputs grow.
constexpr double kSteadyPairs = 0.75;

struct Votes {
  std::array<std::uint64_t, kPhaseNameCount> kernels{};
  std::array<const NamedPhase*, kPhaseNameCount> first_ones{};
  std::uint64_t total = 0;

  void add(const NamedPhase* annotation) {
    ++total;
    if (annotation == nullptr) return;
    const auto phase = static_cast<std::size_t>(annotation->phase);
    ++kernels[phase];
    if (first_ones[phase] == nullptr) first_ones[phase] = annotation;
  }

  // The phase of nearly all annotated kernels, where at least half are annotated.
  [[nodiscard]] std::optional<std::size_t> winner() const {
    std::uint64_t annotated = 0;
    for (const std::uint64_t count : kernels) annotated += count;
    const auto best = static_cast<std::size_t>(std::ranges::max_element(kernels) - kernels.begin());
    const bool agrees =
        static_cast<double>(kernels[best]) >= kAgreement * static_cast<double>(annotated);
    const bool covers = static_cast<double>(annotated) >= kCovered * static_cast<double>(total);
    return annotated > 0 && agrees && covers ? std::optional(best) : std::nullopt;
  }
};

std::string shown(std::string_view name) { return beginning_of(name, kShownName); }

PhaseFinding named(PhaseName phase, Strength strength, PhaseGround ground, std::string name,
                   std::string other_name = {}) {
  return {phase,
          {.strength = strength,
           .ground = ground,
           .name = std::move(name),
           .other_name = std::move(other_name)}};
}

// Passes that take longer half a loop later.
std::size_t growing_pairs(const std::vector<Time>& times) {
  const std::size_t half = times.size() / 2;
  const std::size_t distance = times.size() - half;
  std::size_t growing = 0;
  for (std::size_t i = 0; i < half; ++i) growing += times[i] < times[i + distance] ? 1 : 0;
  return growing;
}

PhaseFinding annotated(PhaseName phase, PhaseGround ground, std::string name, std::uint64_t count,
                       std::uint64_t of) {
  return {phase,
          {.strength = Strength::kFact,
           .ground = ground,
           .name = std::move(name),
           .count = count,
           .of = of}};
}

}  // namespace

void accept(PhaseSpan& span, const std::optional<PhaseFinding>& found) {
  if (!found) return;
  if (span.phase == PhaseName::kUnknown) span.phase = found->phase;
  if (span.phase == found->phase) span.evidence.push_back(found->evidence);
}

void PhaseJudge::judge_passes(PhaseSpan& span, const PhaseSubject& passes) const {
  accept(span, by_annotation(passes));
  accept(span, by_kernels(passes));
  if (!work_.trains()) accept(span, by_growth(passes));
}

std::optional<PhaseFinding> PhaseJudge::by_annotation(const PhaseSubject& subject) const {
  if (!annotations_.has_any(stream_)) return std::nullopt;
  Votes all;
  std::uint64_t without_launch = 0;
  std::vector<std::optional<std::size_t>> winners;
  for (const Iteration& iteration : subject.iterations) {
    Votes votes;
    for (std::size_t i = iteration.start; i < iteration.end; ++i) {
      const NamedPhase* const annotation = annotations_.of(stream_, i);
      votes.add(annotation);
      all.add(annotation);
      if (stream_.launched_by[i] == trace::kNoEvent) ++without_launch;
    }
    winners.push_back(votes.winner());
  }
  const auto best = all.winner();
  if (best) {
    const NamedPhase& annotation = *all.first_ones[*best];
    const std::string name = shown(annotations_.text(annotation));
    if (subject.iterations.size() == 1) {
      return annotated(annotation.phase, PhaseGround::kAnnotatedKernels, name, all.kernels[*best],
                       all.total);
    }
    return annotated(annotation.phase, PhaseGround::kAnnotatedIterations, name,
                     static_cast<std::uint64_t>(std::ranges::count(winners, best)), winners.size());
  }
  // Graph replays: the file knows neither who launched these kernels nor device-side annotations.
  const NamedPhase* const only = annotations_.only_phase(stream_);
  if (only == nullptr || 2 * without_launch < all.total) return std::nullopt;
  return named(only->phase, Strength::kProbable, PhaseGround::kOnlyAnnotation,
               shown(annotations_.text(*only)));
}

std::optional<PhaseFinding> PhaseJudge::by_training(const PhaseSubject& subject) const {
  if (subject.role == LoopRole::kLayer || subject.role == LoopRole::kInner) return std::nullopt;
  const WorkCount work = work_.count(subject.body);
  if (work.gemms + work.attention() == 0) return std::nullopt;
  const NamedPhase* closing = nullptr;
  std::uint64_t closed = 0;
  for (const Iteration& iteration : subject.iterations) {
    const NamedPhase* const found = updating(iteration);
    closed += found != nullptr ? 1 : 0;
    if (closing == nullptr) closing = found;
  }
  // What is all in the annotation is an optimizer that multiplies matrices, not a step.
  if (closing != nullptr && 2 * closed > subject.iterations.size() &&
      !is_all_in_one(subject.body, PhaseName::kOptimizer))
    return annotated(PhaseName::kTraining, PhaseGround::kClosedSteps,
                     shown(annotations_.text(*closing)), closed, subject.iterations.size());
  const bool goes_both_ways = work.forward_attention > 0 && work.backward_attention > 0;
  if (!goes_both_ways && work.optimizers == 0) return std::nullopt;
  PhaseFinding found =
      named(PhaseName::kTraining, Strength::kProbable, PhaseGround::kTrainingWork, "");
  found.evidence.count = work.optimizers;
  found.evidence.of = work.backward_attention;
  return found;
}

bool PhaseJudge::ends_with_updates(const PhaseSubject& subject) const {
  std::size_t looked_at = 0;
  std::size_t updated = 0;
  std::size_t ended = 0;
  std::map<std::uint32_t, std::size_t> by_updates;  // iterations
  for (const Iteration& iteration : subject.iterations) {
    const auto tail = static_cast<std::uint32_t>(kBehindUpdate * iteration.size());
    const std::uint32_t updates = updates_in(iteration);
    // An update that no annotation speaks of says nothing against the others.
    if (updates == 0 && work_.count(iteration).optimizers > 0) continue;
    ++looked_at;
    updated += updates > 0 ? 1 : 0;
    ended += updates > 0 && updating({iteration.end - tail, iteration.end}) != nullptr ? 1 : 0;
    ++by_updates[updates];
  }
  std::size_t usual = 0;
  for (const auto& [updates, iterations] : by_updates) usual = std::max(usual, iterations);
  return static_cast<double>(ended) >= kAgreement * static_cast<double>(updated) &&
         static_cast<double>(usual) >= kUsual * static_cast<double>(looked_at);
}

// Runs of kernels that were launched inside such an annotation.
std::uint32_t PhaseJudge::updates_in(Iteration kernels) const {
  std::uint32_t updates = 0;
  bool was_in_one = false;
  for (std::uint32_t i = kernels.start; i < kernels.end; ++i) {
    const bool is_in_one = updating({i, i + 1}) != nullptr;
    updates += is_in_one && !was_in_one ? 1 : 0;
    was_in_one = is_in_one;
  }
  return updates;
}

// The annotation of an optimizer that the host was in when it launched one of these.
const NamedPhase* PhaseJudge::updating(Iteration kernels) const {
  for (std::size_t i = kernels.start; i < kernels.end; ++i) {
    const NamedPhase* const annotation = annotations_.of(stream_, i);
    if (annotation != nullptr && annotation->phase == PhaseName::kOptimizer) return annotation;
  }
  return nullptr;
}

bool PhaseJudge::is_all_in_one(Iteration kernels, PhaseName phase) const {
  for (std::size_t i = kernels.start; i < kernels.end; ++i) {
    const NamedPhase* const annotation = annotations_.of(stream_, i);
    if (annotation == nullptr || annotation->phase != phase) return false;
  }
  return true;
}

// Attention itself before its helpers.
std::string PhaseJudge::kernel_named(Iteration kernels, kernels::AttentionUse use) const {
  const KernelSymbol* found = nullptr;
  for (std::size_t i = kernels.start; i < kernels.end; ++i) {
    const KernelSymbol& symbol = stream_.symbol(i);
    if (symbol.facts.attention != use) continue;
    if (found == nullptr) found = &symbol;
    if (!symbol.facts.is_attention_anchor) continue;
    found = &symbol;
    break;
  }
  return found == nullptr ? std::string{} : shown(kernels::kernel_signature(found->text));
}

// Attention for prefill and for decode takes turns, as layers of a mixed pass do; in passes of one
// kind after the other each stands by itself. Sampling ends a pass.
bool PhaseJudge::run_in_one_pass(Iteration kernels) const {
  const WorkCount all = work_.count(kernels);
  std::uint32_t turns = 0;
  kernels::AttentionUse last = kernels::AttentionUse::kNone;
  for (std::size_t i = kernels.start; i < kernels.end; ++i) {
    const kernels::KernelFacts& facts = stream_.symbol(i).facts;
    if (facts.role == kernels::KernelRole::kSampling) last = kernels::AttentionUse::kNone;
    const kernels::AttentionUse use = facts.attention;
    if (use != kernels::AttentionUse::kPrefill && use != kernels::AttentionUse::kDecode) continue;
    if (last != kernels::AttentionUse::kNone && last != use) ++turns;
    last = use;
  }
  return turns >= std::min(all.prefill_attention, all.decode_attention);
}

// Attention for prefill first, then for decode.
bool PhaseJudge::is_answered(Iteration kernels) const {
  bool has_answer = false;
  for (std::size_t i = kernels.start; i < kernels.end; ++i) {
    const kernels::AttentionUse use = stream_.symbol(i).facts.attention;
    if (use == kernels::AttentionUse::kDecode) has_answer = true;
    if (use == kernels::AttentionUse::kPrefill && has_answer) return false;
  }
  return has_answer;
}

bool PhaseJudge::is_most_of_the_stream(const PhaseSubject& subject) const {
  std::uint32_t attention = 0;
  for (const Iteration& iteration : subject.iterations)
    attention += work_.count(iteration).attention();
  return 2 * attention >= work_.whole().attention();
}

std::optional<PhaseFinding> PhaseJudge::by_kernels(const PhaseSubject& subject) const {
  const WorkCount work = work_.count(subject.body);
  if (work.backward_attention > 0) {
    const std::string name = kernel_named(subject.body, kernels::AttentionUse::kBackward);
    if (work.forward_attention == 0) {
      return named(PhaseName::kBackward, Strength::kFact, PhaseGround::kBackward, name);
    }
    if (subject.role != LoopRole::kLayer) return std::nullopt;
    // Recomputed layers ran before. Where attention goes back as often as forward, these are layers
    // of two micro-batches at once, one in each direction.
    const WorkCount& whole = work_.whole();
    if (whole.forward_attention > whole.backward_attention) {
      return named(PhaseName::kBackward, Strength::kProbable, PhaseGround::kBackwardRecomputed,
                   name);
    }
    PhaseFinding both =
        named(PhaseName::kTraining, Strength::kProbable, PhaseGround::kTrainingWork, "");
    both.evidence.of = work.backward_attention;
    return both;
  }
  if (work.attention() == 0 && work.gemms == 0 && work.optimizers > 0) {
    return named(PhaseName::kOptimizer, Strength::kProbable, PhaseGround::kOptimizer, "");
  }
  if (work_.trains()) {
    if (work.forward_attention == 0 || work.optimizers > 0) return std::nullopt;
    return named(PhaseName::kForward, Strength::kProbable, PhaseGround::kForwardInTraining, "");
  }
  return by_attention(subject);
}

// Passes of one loop may differ in nothing but their attention.
bool PhaseJudge::have_all_like_uses(const PhaseSubject& subject) const {
  const AttentionLook body = looks_.of(subject.body);
  return std::ranges::all_of(subject.iterations, [&](const Iteration& iteration) {
    return have_like_uses(looks_.of(iteration), body);
  });
}

std::optional<PhaseFinding> PhaseJudge::by_attention(const PhaseSubject& subject) const {
  const std::string prefill = kernel_named(subject.body, kernels::AttentionUse::kPrefill);
  const std::string decode = kernel_named(subject.body, kernels::AttentionUse::kDecode);
  if (!prefill.empty() && !decode.empty() && !run_in_one_pass(subject.body)) {
    if (subject.role != LoopRole::kPass && subject.role != LoopRole::kStep) return std::nullopt;
    if (!is_answered(subject.body) || !is_most_of_the_stream(subject)) return std::nullopt;
    return named(PhaseName::kRequest, Strength::kProbable, PhaseGround::kPrefillThenDecode, prefill,
                 decode);
  }
  if (prefill.empty() && decode.empty()) return std::nullopt;
  if (!have_all_like_uses(subject)) return std::nullopt;
  if (!prefill.empty() && !decode.empty()) {
    return named(PhaseName::kMixed, Strength::kProbable, PhaseGround::kPrefillAndDecode, prefill,
                 decode);
  }
  if (!prefill.empty()) {
    return named(PhaseName::kPrefill, Strength::kProbable, PhaseGround::kPrefill, prefill);
  }
  // Words of a prompt may have attention that could be for either.
  if (looks_.of(subject.body).reads_both()) return std::nullopt;
  return named(PhaseName::kDecode, Strength::kProbable, PhaseGround::kDecode, decode);
}

std::optional<PhaseFinding> PhaseJudge::by_growth(const PhaseSubject& subject) const {
  const std::size_t half = subject.iterations.size() / 2;
  if (half < kFewestPairs || work_.trains()) return std::nullopt;
  std::vector<Time> attention;
  std::vector<Time> products;
  for (const Iteration& iteration : subject.iterations) {
    attention.emplace_back();
    products.emplace_back();
    for (std::uint32_t i = iteration.start; i < iteration.end; ++i) {
      if (work_.is_forward_attention(i)) attention.back() += stream_.duration(i);
      if (is_matrix_work(stream_.symbol(i).facts.role)) products.back() += stream_.duration(i);
    }
  }
  const std::size_t growing = growing_pairs(attention);
  const auto pairs = static_cast<double>(half);
  if (static_cast<double>(growing) < kGrowingPairs * pairs ||
      static_cast<double>(growing_pairs(products)) >= kSteadyPairs * pairs)
    return std::nullopt;
  return PhaseFinding{PhaseName::kDecode,
                      {.strength = Strength::kProbable,
                       .ground = PhaseGround::kGrowth,
                       .count = growing,
                       .of = half}};
}

std::optional<Time> PhaseJudge::attention_time(const PhaseSubject& subject) const {
  std::vector<Time> times;
  for (std::size_t i = subject.body.start; i < subject.body.end; ++i) {
    if (work_.is_forward_attention(i)) times.push_back(stream_.duration(i));
  }
  if (times.empty()) return std::nullopt;
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::ranges::nth_element(times, middle);
  return *middle;
}

}  // namespace lockstep::analysis::cycles
