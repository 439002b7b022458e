// Weighs the evidence for phases, from the outermost spans inwards.
#include "analysis/cycles/phases/phases.h"

#include <algorithm>

#include "analysis/cycles/phases/loop_roles.h"
#include "analysis/cycles/phases/phase_evidence.h"
#include "analysis/cycles/phases/phase_spans.h"
#include "base/text.h"

namespace lockstep::analysis::cycles {
namespace {

// Attention over a prompt takes at least this many times as long as over one token.
constexpr std::int64_t kMuchLonger = 4;

// By division: any duration that a file can hold fits. No time at all is no measure of anything.
bool is_much_longer(Time longer, Time shorter) {
  return shorter.ps > 0 && longer.ps / kMuchLonger >= shorter.ps;
}

// Passes that make a loop long enough to stand for the tokens of an answer.
constexpr std::uint32_t kManyPasses = 4;

bool is_inference(PhaseName phase) {
  return phase == PhaseName::kPrefill || phase == PhaseName::kDecode || phase == PhaseName::kMixed;
}

// The first finding decides; later ones are kept where they agree.
void accept(PhaseSpan& span, const std::optional<PhaseFinding>& found) {
  if (!found) return;
  if (span.phase == PhaseName::kUnknown) span.phase = found->phase;
  if (span.phase == found->phase) span.evidence.push_back(found->evidence);
}

PhaseFinding by_attention_time(PhaseName phase, PhaseGround ground, Time time, Time other) {
  return {phase,
          {.strength = Strength::kProbable, .ground = ground, .time = time, .other_time = other}};
}

PhaseFinding by_position(PhaseName phase, PhaseGround ground, std::uint64_t count = 0) {
  return {phase, {.strength = Strength::kPossible, .ground = ground, .count = count}};
}

class PhaseClassifier {
 public:
  PhaseClassifier(const AnnotationPhases& annotations, const WorkCounter& work,
                  StreamCycles& cycles)
      : annotations_(annotations),
        work_(work),
        cycles_(cycles),
        judge_(annotations, cycles.stream, work) {}

  void run() {
    const auto size = static_cast<std::uint32_t>(cycles_.stream.size());
    find_requests();
    std::vector<WorkSpan> spans = work_spans(cycles_, work_, annotations_, {0, size}, kNoLoop);
    judge(spans);
    for (WorkSpan& span : spans) {
      hand_down(span);
      cycles_.phases.push_back(std::move(span.span));
    }
    judge_the_rest();
  }

 private:
  // Loops whose body is a prefill and decode passes.
  void find_requests() {
    for (std::size_t i = 0; i < cycles_.nest.loops.size(); ++i) {
      const LoopRole role = cycles_.loops[i].role;
      if (role != LoopRole::kPass && role != LoopRole::kStep) continue;
      std::vector<WorkSpan> inside =
          work_spans(cycles_, work_, annotations_, body_of(cycles_.nest.loops[i]),
                     static_cast<std::int32_t>(i));
      judge(inside);
      const auto has = [&](PhaseName phase) {
        return std::ranges::any_of(inside,
                                   [&](const WorkSpan& s) { return s.span.phase == phase; });
      };
      if (!has(PhaseName::kPrefill) || !has(PhaseName::kDecode)) continue;
      for (const WorkSpan& span : inside) hand_down(span);
      Loop& loop = cycles_.loops[i];
      loop.role = LoopRole::kRequest;
      loop.phase = PhaseName::kRequest;
      for (const WorkSpan& span : inside) {
        loop.phase_evidence.insert(loop.phase_evidence.end(), span.span.evidence.begin(),
                                   span.span.evidence.end());
      }
    }
  }

  void judge(std::vector<WorkSpan>& spans) const {
    for (WorkSpan& span : spans) {
      if (span.span.loop != kNoLoop && cycles_.loops[index(span)].role == LoopRole::kRequest) {
        span.span.phase = PhaseName::kRequest;
        span.span.evidence = cycles_.loops[index(span)].phase_evidence;
        continue;
      }
      accept(span.span, judge_.by_annotation(span.subject));
      accept(span.span, judge_.by_kernels(span.subject));
    }
    if (work_.trains()) return;
    judge_by_attention_time(spans);
    for (WorkSpan& span : spans) accept(span.span, judge_.by_growth(span.subject));
    judge_by_position(spans);
    judge_partial(spans);
  }

  // Both phases may use the same kernels: the span whose attention takes much longer than that of
  // many passes is the prefill.
  void judge_by_attention_time(std::vector<WorkSpan>& spans) const {
    std::vector<std::optional<Time>> times;
    for (const WorkSpan& span : spans) {
      times.push_back(span.span.layers > 0 ? judge_.attention_time(span.subject) : std::nullopt);
    }
    std::optional<Time> shortest;
    for (std::size_t i = 0; i < spans.size(); ++i) {
      if (times[i] && is_decode_like(spans[i]))
        shortest = std::min(shortest.value_or(*times[i]), *times[i]);
    }
    if (!shortest) return;
    std::optional<Time> longest;
    for (std::size_t i = 0; i < spans.size(); ++i) {
      if (!times[i] || !is_much_longer(*times[i], *shortest)) continue;
      accept(spans[i].span, by_attention_time(PhaseName::kPrefill, PhaseGround::kLongAttention,
                                              *times[i], *shortest));
      if (spans[i].span.phase != PhaseName::kPrefill) continue;  // other evidence was stronger
      longest = std::max(longest.value_or(*times[i]), *times[i]);
    }
    for (std::size_t i = 0; i < spans.size() && longest; ++i) {
      if (!times[i] || !is_decode_like(spans[i]) || !is_much_longer(*longest, *times[i])) continue;
      accept(spans[i].span, by_attention_time(PhaseName::kDecode, PhaseGround::kShortAttention,
                                              *times[i], *longest));
    }
  }

  [[nodiscard]] static bool is_decode_like(const WorkSpan& span) {
    const PhaseName phase = span.span.phase;
    return span.span.loop != kNoLoop && span.span.layers > 0 && span.span.passes >= kManyPasses &&
           (phase == PhaseName::kUnknown || phase == PhaseName::kDecode);
  }

  // A single pass right before many passes of as many layers.
  void judge_by_position(std::vector<WorkSpan>& spans) const {
    for (std::size_t i = 0; i + 1 < spans.size(); ++i) {
      PhaseSpan& single = spans[i].span;
      PhaseSpan& many = spans[i + 1].span;
      const bool fits = single.phase == PhaseName::kUnknown && single.passes == 1 &&
                        single.loop == kNoLoop && single.layers > 0 &&
                        single.layers == many.layers && is_decode_like(spans[i + 1]);
      if (!fits || kernel_time(spans[i]) <= kernel_time(spans[i + 1])) continue;
      accept(single, by_position(PhaseName::kPrefill, PhaseGround::kSingleBeforeMany, many.passes));
      accept(many, by_position(PhaseName::kDecode, PhaseGround::kManyAfterSingle));
    }
  }

  [[nodiscard]] WideTime kernel_time(const WorkSpan& span) const {
    WideTime sum = 0;
    for (std::size_t i = span.subject.body.start; i < span.subject.body.end; ++i) {
      sum += cycles_.stream.duration(i).ps;
    }
    return sum;
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
    std::vector<std::size_t> loops = span.layer_loops;
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
      accept(own, judge_.by_annotation(subject));
      accept(own, judge_.by_kernels(subject));
      loop.phase = own.phase;
      loop.phase_evidence = own.evidence;
      if (loop.phase == PhaseName::kRequest) loop.role = LoopRole::kRequest;
      if (nest.parent == kNoLoop || loop.phase != PhaseName::kUnknown) continue;
      const Loop& around = cycles_.loops[static_cast<std::size_t>(nest.parent)];
      if (around.phase == PhaseName::kUnknown || around.phase == PhaseName::kRequest) continue;
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

  const AnnotationPhases& annotations_;
  const WorkCounter& work_;
  StreamCycles& cycles_;
  PhaseJudge judge_;
};

}  // namespace

void classify(const trace::Trace& trace, const AnnotationPhases& annotations,
              StreamCycles& cycles) {
  const WorkCounter work(cycles.stream);
  assign_roles(trace, annotations.steps_of(cycles.stream.rank), work, cycles);
  for (Loop& loop : cycles.loops) {
    loop.phase = PhaseName::kUnknown;
    loop.phase_evidence.clear();
  }
  cycles.phases.clear();
  PhaseClassifier(annotations, work, cycles).run();
}

void classify(const trace::Trace& trace, StreamCycles& cycles) {
  classify(trace, AnnotationPhases(trace), cycles);
}

}  // namespace lockstep::analysis::cycles
