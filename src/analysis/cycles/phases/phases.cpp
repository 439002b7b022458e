// Weighs the evidence for phases, from the outermost spans inwards.
#include "analysis/cycles/phases/phases.h"

#include <algorithm>

#include "analysis/cycles/nest/body_map.h"
#include "analysis/cycles/phases/loop_roles.h"
#include "analysis/cycles/phases/pass_families.h"
#include "analysis/cycles/phases/phase_evidence.h"
#include "analysis/cycles/phases/training_parts.h"
#include "analysis/cycles/phases/unit_parts.h"
#include "analysis/cycles/spans/phase_spans.h"
#include "base/text.h"

namespace lockstep::analysis::cycles {
namespace {

bool is_inference(PhaseName phase) {
  return phase == PhaseName::kPrefill || phase == PhaseName::kDecode || phase == PhaseName::kMixed;
}

class PhaseClassifier {
 public:
  PhaseClassifier(const trace::Trace& trace, const AnnotationPhases& annotations,
                  const WorkCounter& work, StreamCycles& cycles)
      : trace_(trace),
        annotations_(annotations),
        work_(work),
        cycles_(cycles),
        judge_(annotations, cycles.stream, work) {}

  void run() {
    const auto size = static_cast<std::uint32_t>(cycles_.stream.size());
    find_requests();
    std::vector<WorkSpan> spans = work_spans(cycles_, work_, annotations_, {0, size}, kNoLoop);
    judge(spans);
    std::vector<std::vector<WorkSpan>> inside(spans.size());  // the passes of a body of several
    UnitParts parts(judge_);
    std::vector<PassUnit> units;
    for (std::size_t i = 0; i < spans.size(); ++i) {
      inside[i] = passes_inside(spans[i]);
      // Of a round whose steps are not told apart, what all of it does is known.
      if (inside[i].empty() && spans[i].subject.role == LoopRole::kRound)
        accept(spans[i].span, judge_.by_training(spans[i].subject));
      if (inside[i].empty()) {
        add_unit(spans[i], nullptr, parts, units);
        continue;
      }
      const NestLoop& loop = cycles_.nest.loops[index(spans[i])];
      const Around around{loop, map_odd_iterations(cycles_.stream, loop)};
      for (WorkSpan& span : inside[i])
        add_unit(span, span.span.loop == kNoLoop ? &around : nullptr, parts, units);
    }
    cycles_.families = find_families({cycles_.stream, work_, judge_.looks(), std::move(units)});
    parts.settle();
    forget_other_passes(spans);
    forget_loops_of_passes();
    judge_partial(spans);
    for (std::size_t i = 0; i < spans.size(); ++i) {
      for (const WorkSpan& span : inside[i]) hand_down(span);
      if (make_request(inside[i]) && holds_most_passes(cycles_.nest.loops[index(spans[i])]))
        become_request(spans[i], inside[i]);
      hand_down(spans[i]);
      if (spans[i].span.phase == PhaseName::kTraining) spans[i].span.parts = parts_of(spans[i]);
      cycles_.phases.push_back(std::move(spans[i].span));
    }
    judge_the_rest();
  }

 private:
  // A loop whose body holds several passes.
  struct Around {
    const NestLoop& loop;
    std::vector<OddIteration> odd;
  };

  // Loops whose body is a prefill and decode passes.
  void find_requests() {
    for (std::size_t i = 0; i < cycles_.nest.loops.size(); ++i) {
      const LoopRole role = cycles_.loops[i].role;
      if (role != LoopRole::kPass && role != LoopRole::kStep) continue;
      std::vector<WorkSpan> inside =
          work_spans(cycles_, work_, annotations_, body_of(cycles_.nest.loops[i]),
                     static_cast<std::int32_t>(i));
      judge(inside);
      UnitParts parts(judge_);
      std::vector<PassUnit> units;
      for (WorkSpan& span : inside) add_unit(span, nullptr, parts, units);
      static_cast<void>(find_families({cycles_.stream, work_, judge_.looks(), std::move(units)}));
      parts.settle();
      judge_partial(inside);
      if (!make_request(inside) || !holds_most_passes(cycles_.nest.loops[i])) continue;
      for (const WorkSpan& span : inside) hand_down(span);
      Loop& loop = cycles_.loops[i];
      loop.role = LoopRole::kRequest;
      loop.phase = PhaseName::kRequest;
      loop.phase_evidence = evidence_of(inside);
    }
  }

  // Prompts first, then answers. Passes of a server that come in any order may repeat by chance.
  [[nodiscard]] static bool make_request(const std::vector<WorkSpan>& inside) {
    bool has_prompt = false;
    bool has_answer = false;
    for (const WorkSpan& span : inside) {
      if (span.span.phase == PhaseName::kPrefill) {
        if (has_answer) return false;
        has_prompt = true;
      }
      if (span.span.phase == PhaseName::kDecode) {
        if (!has_prompt) return false;
        has_answer = true;
      }
    }
    return has_answer;
  }

  // Where most passes lie outside, what repeats does so by chance.
  [[nodiscard]] bool holds_most_passes(const NestLoop& loop) const {
    if (loop.parent != kNoLoop) return true;
    std::uint32_t attention = 0;
    for (const LoopInstance& instance : loop.instances)
      attention += work_.count({instance.start(), instance.end()}).attention();
    return 2 * attention >= work_.whole().attention();
  }

  [[nodiscard]] static std::vector<Evidence> evidence_of(const std::vector<WorkSpan>& inside) {
    std::vector<Evidence> all;
    for (const WorkSpan& span : inside)
      all.insert(all.end(), span.span.evidence.begin(), span.span.evidence.end());
    return all;
  }

  static void become_request(WorkSpan& span, const std::vector<WorkSpan>& inside) {
    if (span.span.phase != PhaseName::kUnknown) return;
    span.span.phase = PhaseName::kRequest;
    span.span.evidence = evidence_of(inside);
  }

  // Several passes of a body, judged; nothing where the body is one pass.
  [[nodiscard]] std::vector<WorkSpan> passes_inside(const WorkSpan& around) const {
    if (around.span.loop == kNoLoop || around.span.phase == PhaseName::kTraining) return {};
    const NestLoop& loop = cycles_.nest.loops[index(around)];
    std::vector<WorkSpan> inside =
        work_spans(cycles_, work_, annotations_, body_of(loop), around.span.loop);
    std::erase_if(inside, [](const WorkSpan& span) { return span.span.layers == 0; });
    const bool is_one_pass =
        inside.size() < 2 && (inside.empty() || inside.front().span.loop == kNoLoop);
    if (is_one_pass) return {};
    judge(inside);
    return inside;
  }

  // A segment of a body is in every iteration of the loop around it.
  void add_unit(WorkSpan& span, const Around* around, UnitParts& parts,
                std::vector<PassUnit>& units) const {
    if (span.span.passes == 0 || span.subject.iterations.empty()) return;
    PassUnit unit{&span.span, span.subject.body, span.subject.iterations, span.span.layers};
    if (around != nullptr) unit.passes = in_all_iterations(span.subject.body, *around);
    if (span.span.loop != kNoLoop && around == nullptr && is_top(span))
      unit.passes = passes_of(span);
    if (!unit.passes.empty()) parts.add(std::move(unit), span.subject.role, units);
  }

  [[nodiscard]] bool is_top(const WorkSpan& span) const {
    return cycles_.nest.loops[index(span)].parent == kNoLoop;
  }

  // Of the one instance that the span is.
  [[nodiscard]] std::vector<Iteration> passes_of(const WorkSpan& span) const {
    for (const LoopInstance& instance : cycles_.nest.loops[index(span)].instances) {
      if (instance.start() == span.span.start) return instance.iterations;
    }
    return span.subject.iterations;
  }

  [[nodiscard]] static std::vector<Iteration> in_all_iterations(Iteration segment,
                                                                const Around& around) {
    const NestLoop& loop = around.loop;
    const Iteration offsets{segment.start - loop.body_start, segment.end - loop.body_start};
    auto next_odd = around.odd.begin();
    std::vector<Iteration> all;
    std::size_t number = 0;
    for (const LoopInstance& instance : loop.instances) {
      for (const Iteration& iteration : instance.iterations) {
        const bool is_odd = next_odd != around.odd.end() && next_odd->number == number++;
        const Iteration there =
            is_odd ? mapped(*next_odd, offsets)
                   : Iteration{iteration.start + offsets.start, iteration.start + offsets.end};
        if (is_odd) ++next_odd;
        if (there.size() > 0) all.push_back(there);
      }
    }
    return all;
  }

  // From the first to the last of its kernels that the iteration has.
  [[nodiscard]] static Iteration mapped(const OddIteration& odd, Iteration offsets) {
    Iteration there;
    for (std::uint32_t i = offsets.start; i < offsets.end; ++i) {
      if (odd.kernels[i] == kNoKernel) continue;
      if (there.size() == 0) there.start = odd.kernels[i];
      there.end = odd.kernels[i] + 1;
    }
    return there;
  }

  void judge(std::vector<WorkSpan>& spans) const {
    for (WorkSpan& span : spans) {
      if (span.span.loop != kNoLoop && cycles_.loops[index(span)].role == LoopRole::kRequest) {
        span.span.phase = PhaseName::kRequest;
        span.span.evidence = cycles_.loops[index(span)].phase_evidence;
        continue;
      }
      if (span.subject.role == LoopRole::kRound) continue;  // its steps tell theirs
      accept(span.span, judge_.by_training(span.subject));
      if (span.span.phase == PhaseName::kTraining && !judge_.ends_with_updates(span.subject))
        span.span.passes = 0;
      judge_.judge_passes(span.span, span.subject);
    }
  }

  // Loops at the top that were taken for passes, where passes were found to be something else.
  void forget_other_passes(const std::vector<WorkSpan>& spans) {
    std::vector<bool> is_span(cycles_.loops.size(), false);
    for (const WorkSpan& span : spans) {
      if (span.span.loop != kNoLoop && span.span.passes > 0) is_span[index(span)] = true;
    }
    for (std::size_t i = 0; i < cycles_.loops.size(); ++i) {
      const bool is_outermost = cycles_.nest.loops[i].parent == kNoLoop;
      const LoopRole role = cycles_.loops[i].role;
      if (is_outermost && !is_span[i] && (role == LoopRole::kPass || role == LoopRole::kStep))
        cycles_.loops[i].role = LoopRole::kUnknown;
    }
  }

  // A body of several passes of one model is no pass, and where it is no request either, its passes
  // come in that order by chance.
  void forget_loops_of_passes() {
    for (std::size_t i = 0; i < cycles_.loops.size(); ++i) {
      if (cycles_.loops[i].role == LoopRole::kPass && holds_several_passes(cycles_.nest.loops[i]))
        cycles_.loops[i].role = LoopRole::kUnknown;
    }
  }

  [[nodiscard]] bool holds_several_passes(const NestLoop& loop) const {
    const Iteration first = loop.instances.front().iterations.front();
    return std::ranges::any_of(cycles_.families, [&](const PassFamily& family) {
      std::size_t inside = 0;
      for (const PassClass& one : family.classes) {
        const auto from = std::ranges::lower_bound(one.passes, first.start, {}, &Iteration::start);
        for (auto at = from; at != one.passes.end() && at->end <= first.end; ++at) ++inside;
      }
      return inside > 1;
    });
  }

  // Of a step. Training work that neither repeats nor updates weights may be a piece of one, or of
  // several that overlap.
  [[nodiscard]] std::vector<PhasePart> parts_of(const WorkSpan& span) const {
    std::vector<PhasePart> parts =
        training_parts(trace_, annotations_, work_, cycles_.stream, span.subject.body);
    const bool updates =
        std::ranges::find(parts, PhaseName::kOptimizer, &PhasePart::phase) != parts.end();
    if (span.span.loop == kNoLoop && !updates) parts.clear();
    return parts;
  }

  // What the capture cut off an iteration belongs to its loop's phase.
  void judge_partial(std::vector<WorkSpan>& spans) const {
    for (std::size_t i = 0; i < spans.size(); ++i) {
      PhaseSpan& rest = spans[i].span;
      if (rest.loop != kNoLoop || rest.phase != PhaseName::kUnknown) continue;
      const bool ends_one = i + 1 < spans.size() && spans[i + 1].span.loop != kNoLoop &&
                            cut_off(spans[i + 1]).partial_before == rest.end - rest.start;
      const bool begins_one = i > 0 && spans[i - 1].span.loop != kNoLoop &&
                              cut_off(spans[i - 1]).partial_after == rest.end - rest.start;
      if (!ends_one && !begins_one) continue;
      const PhaseSpan& whole = spans[ends_one ? i + 1 : i - 1].span;
      if (whole.phase == PhaseName::kUnknown || whole.evidence.empty()) continue;
      accept(rest, PhaseFinding{whole.phase,
                                {.strength = whole.evidence.front().strength,
                                 .ground = PhaseGround::kCutOff,
                                 .phase = whole.phase}});
    }
  }

  [[nodiscard]] const LoopInstance& cut_off(const WorkSpan& span) const {
    return cycles_.nest.loops[index(span)].instances.front();
  }

  [[nodiscard]] static std::size_t index(const WorkSpan& span) {
    return static_cast<std::size_t>(span.span.loop);
  }

  // A span's phase is that of its loops.
  void hand_down(const WorkSpan& span) {
    std::vector<std::size_t> loops;
    // Layers of a training step go forward or back, which they tell themselves.
    if (span.span.phase != PhaseName::kTraining) loops = span.layer_loops;
    if (span.span.loop != kNoLoop) loops.push_back(index(span));
    for (const std::size_t i : loops) {
      Loop& loop = cycles_.loops[i];
      loop.phase = span.span.phase;
      loop.phase_evidence = span.span.evidence;
      if (loop.role == LoopRole::kStep && is_inference(loop.phase)) loop.role = LoopRole::kPass;
      if (loop.phase == PhaseName::kRequest) loop.role = LoopRole::kRequest;
    }
  }

  // Loops inside others: by their own evidence, else as what they lie in.
  void judge_the_rest() {
    for (std::size_t i = 0; i < cycles_.nest.loops.size(); ++i) {
      const NestLoop& nest = cycles_.nest.loops[i];
      Loop& loop = cycles_.loops[i];
      if (loop.phase != PhaseName::kUnknown) continue;
      PhaseSpan own;
      const PhaseSubject subject = subject_of(i);
      if (subject.role == LoopRole::kRound) continue;
      accept(own, judge_.by_training(subject));
      accept(own, judge_.by_annotation(subject));
      accept(own, judge_.by_kernels(subject));
      loop.phase = own.phase;
      loop.phase_evidence = own.evidence;
      if (loop.phase == PhaseName::kRequest) loop.role = LoopRole::kRequest;
      if (nest.parent == kNoLoop || loop.phase != PhaseName::kUnknown) continue;
      const Loop& around = cycles_.loops[static_cast<std::size_t>(nest.parent)];
      if (around.phase == PhaseName::kUnknown || around.phase == PhaseName::kRequest ||
          around.phase == PhaseName::kTraining)
        continue;
      loop.phase = around.phase;
      loop.phase_evidence = around.phase_evidence;
    }
  }

  [[nodiscard]] PhaseSubject subject_of(std::size_t i) const {
    const NestLoop& loop = cycles_.nest.loops[i];
    PhaseSubject subject;
    subject.body = body_of(loop);
    subject.role = cycles_.loops[i].role;
    for (const LoopInstance& instance : loop.instances) {
      subject.iterations.insert(subject.iterations.end(), instance.iterations.begin(),
                                instance.iterations.end());
    }
    return subject;
  }

  const trace::Trace& trace_;
  const AnnotationPhases& annotations_;
  const WorkCounter& work_;
  StreamCycles& cycles_;
  PhaseJudge judge_;
};

}  // namespace

void classify(const trace::Trace& trace, const AnnotationPhases& annotations,
              StreamCycles& cycles) {
  const WorkCounter work(cycles.stream, annotations.has_optimizer(cycles.stream));
  assign_roles(trace, annotations.steps_of(cycles.stream.rank), work, cycles);
  for (Loop& loop : cycles.loops) {
    loop.phase = PhaseName::kUnknown;
    loop.phase_evidence.clear();
  }
  cycles.phases.clear();
  PhaseClassifier(trace, annotations, work, cycles).run();
}

void classify(const trace::Trace& trace, StreamCycles& cycles) {
  classify(trace, AnnotationPhases(trace), cycles);
}

}  // namespace lockstep::analysis::cycles
