// Spans of passes: loops as they are, segments cut between the layer loops of two passes.
#include "analysis/cycles/spans/phase_spans.h"

#include <algorithm>
#include <set>
#include <span>

#include "analysis/cycles/nest/hybrid_layers.h"
#include "analysis/cycles/spans/cut_passes.h"
#include "analysis/cycles/spans/pass_starts.h"
#include "analysis/cycles/stream/layer_count.h"

namespace lockstep::analysis::cycles {
namespace {

// Borders that are less than this share of a pass apart are the same: what samples is prepared and
// followed by small kernels.
constexpr double kSameBorder = 0.1;

bool is_loop_of_passes(LoopRole role) {
  return role == LoopRole::kPass || role == LoopRole::kStep || role == LoopRole::kMicroStep ||
         role == LoopRole::kRequest || role == LoopRole::kRound;
}

// One occurrence of a child loop inside the stretch.
struct Occurrence {
  std::size_t loop = 0;
  std::uint32_t start = 0;
  std::uint32_t end = 0;
};

class SpanCutter {
 public:
  SpanCutter(const StreamCycles& cycles, const WorkCounter& work,
             const AnnotationPhases& annotations)
      : cycles_(cycles),
        work_(work),
        annotations_(annotations),
        hybrid_(cycles.stream, cycles.nest) {}

  std::vector<WorkSpan> run(Iteration around, std::int32_t parent) {
    is_in_a_loop_ = parent != kNoLoop;
    if (!is_in_a_loop_) starts_ = pass_starts(cycles_.stream, work_, around);
    if (starts_.size() > 1) attention_in_pass_ = attention_in({starts_[0], starts_[1]});
    std::uint32_t at = around.start;
    std::vector<Occurrence> layers;
    for (const Occurrence& child : children(around, parent)) {
      const LoopRole role = cycles_.loops[child.loop].role;
      if (role == LoopRole::kLayer) layers.push_back(child);
      if (!is_loop_of_passes(role) || are_cut_elsewhere(child)) continue;
      add_segments({at, child.start}, layers);
      add_loop(child);
      layers.clear();
      at = child.end;
    }
    add_segments({at, around.end}, layers);
    return std::move(spans_);
  }

  // Layers of the largest pass in the body of a loop.
  [[nodiscard]] std::uint32_t layers_in_body_of(std::size_t loop) {
    const NestLoop& around = cycles_.nest.loops[loop];
    const Iteration body = body_of(around);
    std::vector<WorkSpan> passes = run(body, static_cast<std::int32_t>(loop));
    std::erase_if(passes, [](const WorkSpan& span) { return span.span.layers == 0; });
    // Micro-steps of training come one after the other, too.
    if (passes.size() > 1 && !work_.trains() && is_cut_by_the_border(passes, body)) {
      passes.front().span.layers += passes.back().span.layers;
      passes.pop_back();
    }
    std::uint32_t layers = 0;
    for (const WorkSpan& pass : passes) layers = std::max(layers, pass.span.layers);
    const bool is_one_pass =
        passes.empty() || (passes.size() == 1 && passes.front().span.loop == kNoLoop);
    // An encoder and a decoder that learn together go forward one after the other, then back.
    const bool is_step = work_.trains() && cycles_.loops[loop].role == LoopRole::kStep;
    return is_one_pass || is_step ? std::max(layers, around.anchors_per_body) : layers;
  }

 private:
  // Iterations may begin inside a pass: then the last layers and the first ones of the next
  // iteration are of one.
  [[nodiscard]] bool is_cut_by_the_border(const std::vector<WorkSpan>& passes,
                                          Iteration body) const {
    if (passes.front().layer_loops.empty() || passes.back().layer_loops.empty()) return false;
    const Occurrence first = occurrence_in(body, passes.front().layer_loops.front());
    const Occurrence last = occurrence_in(body, passes.back().layer_loops.back());
    const std::uint32_t samplings = work_.count({last.end, body.end}).samplings +
                                    work_.count({body.start, first.start}).samplings;
    return !are_of_two_passes(last, first, samplings);
  }

  // The first instance inside the stretch; an empty one at its end where there is none.
  [[nodiscard]] Occurrence occurrence_in(Iteration around, std::size_t loop) const {
    const auto& instances = cycles_.nest.loops[loop].instances;
    const auto at = std::ranges::lower_bound(instances, around.start, {}, &LoopInstance::start);
    if (at == instances.end() || at->end() > around.end) return {loop, around.end, around.end};
    return {loop, at->start(), at->end()};
  }

  // Each loop's first instance inside the stretch, by start.
  [[nodiscard]] std::vector<Occurrence> children(Iteration around, std::int32_t parent) const {
    std::vector<Occurrence> found;
    const std::size_t first = parent == kNoLoop ? 0 : static_cast<std::size_t>(parent) + 1;
    const auto& loops = cycles_.nest.loops;
    for (std::size_t i = first; i < loops.size(); ++i) {
      if (parent != kNoLoop && loops[i].depth <= loops[first - 1].depth) break;
      if (loops[i].parent != parent) continue;
      const Occurrence occurrence = occurrence_in(around, i);
      if (occurrence.start < occurrence.end) found.push_back(occurrence);
    }
    std::ranges::stable_sort(found, {}, &Occurrence::start);
    return found;
  }

  void add_loop(const Occurrence& child) {
    const NestLoop& loop = cycles_.nest.loops[child.loop];
    WorkSpan result;
    result.span.start = child.start;
    result.span.end = child.end;
    result.span.loop = static_cast<std::int32_t>(child.loop);
    result.span.layers = layers_per_iteration(cycles_, work_, annotations_, child.loop);
    for (const LoopInstance& instance : loop.instances) {
      if (instance.start() == child.start) {
        result.span.passes = static_cast<std::uint32_t>(instance.iterations.size());
      }
      result.subject.iterations.insert(result.subject.iterations.end(), instance.iterations.begin(),
                                       instance.iterations.end());
    }
    result.subject.body = body_of(loop);
    result.subject.role = cycles_.loops[child.loop].role;
    spans_.push_back(std::move(result));
  }

  // What runs once a pass tells of more passes in an iteration than its loops do, or of other
  // borders. What the user marked stays.
  [[nodiscard]] bool are_cut_elsewhere(const Occurrence& child) const {
    const NestLoop& loop = cycles_.nest.loops[child.loop];
    if (starts_.empty() || cycles_.loops[child.loop].role != LoopRole::kPass ||
        loop.border == BorderEvidence::kAnnotation)
      return false;
    const WorkCount work = work_.count(body_of(loop));
    if (work.prefill_attention > 0 && work.decode_attention > 0) return false;  // a request
    std::size_t passes = 0;
    SpanCutter inside(cycles_, work_, annotations_);
    for (const WorkSpan& span : inside.run(body_of(loop), static_cast<std::int32_t>(child.loop)))
      passes += span.span.layers > 0 ? span.span.passes : 0;
    const std::size_t iterations = loop.instances.front().iterations.size();
    const std::size_t told = starts_in({child.start, child.end}).size();
    if (told >= iterations * (std::max<std::size_t>(passes, 1) + 1) - 1) return true;
    // Of one pass an iteration, all layers are there wherever it begins.
    return told >= 2 * iterations - 1 && borders_at_starts(loop) * 2 < iterations;
  }

  // Iterations that begin where a pass does, or as good as.
  [[nodiscard]] std::size_t borders_at_starts(const NestLoop& loop) const {
    const auto slack = static_cast<std::uint32_t>(kSameBorder * loop.period);
    std::size_t there = 0;
    for (const Iteration& iteration : loop.instances.front().iterations) {
      const std::uint32_t from = iteration.start - std::min(iteration.start, slack);
      const auto at = std::ranges::lower_bound(starts_, from);
      if (at != starts_.end() && *at <= iteration.start + slack) ++there;
    }
    return there;
  }

  // Those that begin a pass inside the range, but for its first.
  [[nodiscard]] std::span<const std::uint32_t> starts_in(Iteration range) const {
    const auto first = std::ranges::upper_bound(starts_, range.start);
    const auto last = std::lower_bound(first, starts_.end(), range.end);
    return {first, last};
  }

  void add_segments(Iteration range, std::span<const Occurrence> layers) {
    if (starts_.empty()) return add_segments_by_layers(range, layers);
    for (const std::uint32_t start : starts_in(range)) {
      add_pass({range.start, start}, layers);
      range.start = start;
    }
    add_pass(range, layers);
  }

  // Before the first of those passes there may be others, of an encoder.
  [[nodiscard]] bool holds_others(Iteration range) const {
    if (range.start >= starts_.front()) return false;
    if (starts_.size() < 2) return true;
    return attention_in(range) > attention_in_pass_;
  }

  // An encoder may write its attention out where the decoder names it.
  [[nodiscard]] std::uint32_t attention_in(Iteration range) const {
    std::uint32_t attention = 0;
    for (std::uint32_t i = range.start; i < range.end; ++i)
      attention +=
          cycles_.stream.symbol(i).facts.is_softmax || work_.is_forward_attention(i) ? 1 : 0;
    return attention;
  }

  // A pass that is told by what runs once in it; layers may be in loops that hold several passes.
  // Leaves of `layers` those that end in it or behind it.
  void add_pass(Iteration range, std::span<const Occurrence>& layers) {
    if (range.size() == 0) return;
    while (!layers.empty() && layers.front().end <= range.start) layers = layers.subspan(1);
    const auto behind = std::ranges::lower_bound(layers, range.end, {}, &Occurrence::start);
    const std::span<const Occurrence> inside(layers.begin(), behind);
    if (holds_others(range)) return add_segments_by_layers(range, inside);
    add_segment(range, inside);
    WorkSpan& pass = spans_.back();
    const std::uint32_t by_attention = count_layers(cycles_.stream, range, StretchEnd::kEnds);
    if (pass.span.passes > 0 || by_attention == 0) return;
    pass.span.passes = 1;
    pass.span.layers = hybrid_.layers_in(range, by_attention);
  }

  void add_segments_by_layers(Iteration range, std::span<const Occurrence> layers) {
    std::size_t first = 0;        // of the pass
    std::set<std::uint32_t> ids;  // in the pass
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const std::uint32_t id = cycles_.nest.loops[layers[i].loop].id;
      if (i > first && begins_a_pass(layers[i - 1], layers[i], ids.contains(id))) {
        const std::uint32_t cut = border(layers[i - 1], layers[i]);
        add_segment({range.start, cut}, layers.subspan(first, i - first));
        range.start = cut;
        first = i;
        ids.clear();
      }
      ids.insert(id);
    }
    add_segment(range, layers.subspan(first));
  }

  void add_segment(Iteration range, std::span<const Occurrence> layers) {
    if (range.size() == 0) return;
    WorkSpan result;
    result.span.start = range.start;
    result.span.end = range.end;
    result.span.passes = layers.empty() ? 0 : 1;
    result.subject.iterations = {range};
    result.subject.body = range;
    for (const Occurrence& layer : layers) result.layer_loops.push_back(layer.loop);
    result.span.layers = layers_of(range, layers);
    spans_.push_back(std::move(result));
  }

  // By attention; without any, by loops of layers, once for both directions.
  [[nodiscard]] std::uint32_t layers_of(Iteration range, std::span<const Occurrence> layers) const {
    if (layers.empty()) return 0;
    const std::uint32_t by_attention = count_layers(cycles_.stream, range, StretchEnd::kEnds);
    if (by_attention > 0) return hybrid_.layers_in(range, by_attention);
    std::uint32_t sum = 0;
    std::uint32_t most = 0;
    for (const Occurrence& layer : layers) {
      const std::uint32_t times = usual_iterations(cycles_.nest.loops[layer.loop]);
      sum += times;
      most = std::max(most, times);
    }
    return work_.trains() ? most : sum;
  }

  // In a body, layers that come again may be those of one pass that alternates them.
  [[nodiscard]] bool begins_a_pass(const Occurrence& last, const Occurrence& next,
                                   bool is_again) const {
    // What goes back is of the pass that went forward.
    if (work_of(next).backward_attention > 0 && work_of(last).backward_attention == 0) return false;
    const Iteration between{last.end, next.start};
    if (!is_in_a_loop_ && is_again && !are_layers(between, next)) return true;
    return are_of_two_passes(last, next, final_samplings(between));
  }

  // But for those of routers: behind them experts work.
  [[nodiscard]] std::uint32_t final_samplings(Iteration between) const {
    std::uint32_t at = between.end;
    while (at > between.start && work_.count({at - 1, at}).samplings == 0) --at;
    if (at == between.start) return 0;
    std::uint32_t gemms = 0;
    const auto size = static_cast<std::uint32_t>(cycles_.stream.size());
    for (std::uint32_t i = at; i < size && !work_.is_forward_attention(i); ++i) {
      gemms += work_.count({i, i + 1}).gemms;
      if (gemms > kMostProjections) return 0;
    }
    return work_.count(between).samplings;
  }

  // Layers of another kind in the midst of a stack, or what is left of one: nothing but as many
  // kernels as layers have.
  [[nodiscard]] bool are_layers(Iteration between, const Occurrence& next) const {
    const NestLoop& loop = cycles_.nest.loops[next.loop];
    const WorkCount work = work_.count(between);
    if (work.samplings > 0 || work.lookups > 0) return false;
    const std::uint32_t layers = 1 + count_layers(cycles_.stream, between, StretchEnd::kEnds);
    return static_cast<double>(between.size()) <=
           static_cast<double>(layers) * loop.period / std::max(1U, loop.anchors_per_body);
  }

  // Layers that sample are routers to experts, and so is what lies between them.
  [[nodiscard]] bool are_of_two_passes(const Occurrence& last, const Occurrence& next,
                                       std::uint32_t samplings_between) const {
    const WorkCount before = work_of(last);
    const WorkCount after = work_of(next);
    if (samplings_between > 0 && before.samplings == 0 && after.samplings == 0) return true;
    const bool looks_up = last.end < next.start && work_.count(beside(last, next)).lookups > 0;
    if (looks_up && before.lookups == 0 && after.lookups == 0) return true;
    const auto is_prefill = [](const WorkCount& work) {
      return work.prefill_attention > 0 && work.decode_attention == 0;
    };
    const auto is_decode = [](const WorkCount& work) {
      return work.decode_attention > 0 && work.prefill_attention == 0;
    };
    if (is_prefill(before) && is_decode(after)) return true;
    if (is_decode(before) && is_prefill(after)) return true;
    const NamedPhase* const of_last = annotations_.of(cycles_.stream, last.start);
    const NamedPhase* const of_next = annotations_.of(cycles_.stream, next.start);
    return of_last != nullptr && of_next != nullptr && of_last->phase != of_next->phase;
  }

  [[nodiscard]] WorkCount work_of(const Occurrence& layers) const {
    return work_.count(body_of(cycles_.nest.loops[layers.loop]));
  }

  // What lies between two layer loops, and the last iteration before it: iterations may begin
  // inside a layer and end behind the last one.
  [[nodiscard]] Iteration beside(const Occurrence& last, const Occurrence& next) const {
    const std::uint32_t period = cycles_.nest.loops[last.loop].period;
    return {std::max(last.start, last.end - std::min(last.end, period)), next.start};
  }

  // Where in the kernels between two layer loops the second pass begins.
  [[nodiscard]] std::uint32_t border(const Occurrence& last, const Occurrence& next) const {
    const Iteration between{last.end, next.start};
    for (std::uint32_t i = between.end; i > between.start; --i) {
      if (work_.count({i - 1, i}).samplings > 0) return i;
    }
    if (work_of(last).lookups == 0) {
      const Iteration wider = beside(last, next);
      for (std::uint32_t i = wider.start; i < wider.end; ++i) {
        if (work_.count({i, i + 1}).lookups > 0) return i;
      }
    }
    const NamedPhase* const before = annotations_.of(cycles_.stream, between.start);
    for (std::uint32_t i = between.start; i < between.end; ++i) {
      const NamedPhase* const here = annotations_.of(cycles_.stream, i);
      if (before != nullptr && here != nullptr && here->phase != before->phase) return i;
    }
    return after_the_longest_gap(between);
  }

  // The host prepares the next pass while the device waits.
  [[nodiscard]] std::uint32_t after_the_longest_gap(Iteration between) const {
    const KernelStream& stream = cycles_.stream;
    const auto gap = [&](std::uint32_t i) { return stream.starts[i] - stream.ends[i - 1]; };
    std::uint32_t best = between.end;
    for (std::uint32_t i = between.start; i < between.end; ++i) {
      if (gap(i) > gap(best)) best = i;
    }
    return best;
  }

  const StreamCycles& cycles_;
  const WorkCounter& work_;
  const AnnotationPhases& annotations_;
  HybridLayers hybrid_;
  bool is_in_a_loop_ = false;
  std::vector<std::uint32_t> starts_;    // of passes, by what runs once in each
  std::uint32_t attention_in_pass_ = 0;  // the first of those
  std::vector<WorkSpan> spans_;
};

}  // namespace

std::vector<WorkSpan> work_spans(const StreamCycles& cycles, const WorkCounter& work,
                                 const AnnotationPhases& annotations, Iteration around,
                                 std::int32_t parent) {
  std::vector<WorkSpan> spans = SpanCutter(cycles, work, annotations).run(around, parent);
  if (parent == kNoLoop) forget_cut_passes(cycles, spans);
  return spans;
}

std::uint32_t layers_per_iteration(const StreamCycles& cycles, const WorkCounter& work,
                                   const AnnotationPhases& annotations, std::size_t loop) {
  if (cycles.loops[loop].role == LoopRole::kLayer) return cycles.nest.loops[loop].anchors_per_body;
  return SpanCutter(cycles, work, annotations).layers_in_body_of(loop);
}

}  // namespace lockstep::analysis::cycles
