// What speaks for a phase: annotations, families of attention kernels, their growth.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/cycles/phases/annotation_phases.h"
#include "analysis/cycles/phases/attention_look.h"
#include "analysis/cycles/phases/loop_roles.h"

namespace lockstep::analysis::cycles {

struct PhaseFinding {
  PhaseName phase = PhaseName::kUnknown;
  Evidence evidence;
};

// The first finding decides; later ones are kept where they agree.
void accept(PhaseSpan& span, const std::optional<PhaseFinding>& found);

// One stretch of kernels to be judged: all iterations of a loop, or a segment as one iteration.
struct PhaseSubject {
  std::vector<Iteration> iterations;
  Iteration body;  // one of them, or what stands for all
  LoopRole role = LoopRole::kUnknown;
};

class PhaseJudge {
 public:
  PhaseJudge(const AnnotationPhases& annotations, const KernelStream& stream,
             const WorkCounter& work)
      : annotations_(annotations), stream_(stream), work_(work), looks_(stream) {}

  // What the user wrote: nothing where annotations disagree or cover less than half.
  [[nodiscard]] std::optional<PhaseFinding> by_annotation(const PhaseSubject& subject) const;
  // A training step: it updates weights, or goes forward and back. Annotations of its parts are
  // none of its own.
  [[nodiscard]] std::optional<PhaseFinding> by_training(const PhaseSubject& subject) const;
  // Whether the optimizer's annotations, where there are any, end the iterations, as many in each:
  // what they end in the middle, or now and then, are no steps.
  [[nodiscard]] bool ends_with_updates(const PhaseSubject& subject) const;
  // What the names of its kernels say, those of attention in every iteration.
  [[nodiscard]] std::optional<PhaseFinding> by_kernels(const PhaseSubject& subject) const;
  // Attention that takes longer from pass to pass reads a growing KV cache.
  [[nodiscard]] std::optional<PhaseFinding> by_growth(const PhaseSubject& subject) const;

  // Passes of which no more is known than that they are some.
  void judge_passes(PhaseSpan& span, const PhaseSubject& passes) const;
  [[nodiscard]] const AttentionLooks& looks() const { return looks_; }

  // The usual time of one attention kernel; nothing where there is none.
  [[nodiscard]] std::optional<Time> attention_time(const PhaseSubject& subject) const;

 private:
  [[nodiscard]] const NamedPhase* updating(Iteration kernels) const;
  [[nodiscard]] std::uint32_t updates_in(Iteration kernels) const;
  [[nodiscard]] bool is_all_in_one(Iteration kernels, PhaseName phase) const;
  [[nodiscard]] std::string kernel_named(Iteration kernels, kernels::AttentionUse use) const;
  [[nodiscard]] bool is_answered(Iteration kernels) const;
  [[nodiscard]] bool is_most_of_the_stream(const PhaseSubject& subject) const;
  [[nodiscard]] bool run_in_one_pass(Iteration kernels) const;
  [[nodiscard]] std::optional<PhaseFinding> by_attention(const PhaseSubject& subject) const;
  [[nodiscard]] bool have_all_like_uses(const PhaseSubject& subject) const;

  const AnnotationPhases& annotations_;
  const KernelStream& stream_;
  const WorkCounter& work_;
  AttentionLooks looks_;
};

}  // namespace lockstep::analysis::cycles
