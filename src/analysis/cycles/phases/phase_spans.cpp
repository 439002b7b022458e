// Spans of passes: loops as they are, segments cut between the layer loops of two passes.
#include "analysis/cycles/phases/phase_spans.h"

#include <algorithm>

namespace lockstep::analysis::cycles {
namespace {

bool is_loop_of_passes(LoopRole role) {
  return role == LoopRole::kPass || role == LoopRole::kStep || role == LoopRole::kRequest;
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
      : cycles_(cycles), work_(work), annotations_(annotations) {}

  std::vector<WorkSpan> run(Iteration around, std::int32_t parent) {
    is_in_a_loop_ = parent != kNoLoop;
    std::uint32_t at = around.start;
    std::vector<Occurrence> layers;
    for (const Occurrence& child : children(around, parent)) {
      const LoopRole role = cycles_.loops[child.loop].role;
      if (role == LoopRole::kLayer) layers.push_back(child);
      if (!is_loop_of_passes(role)) continue;
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
    if (passes.size() > 1 && is_cut_by_the_border(passes, body)) {
      passes.front().span.layers += passes.back().span.layers;
      passes.pop_back();
    }
    std::uint32_t layers = 0;
    for (const WorkSpan& pass : passes) layers = std::max(layers, pass.span.layers);
    const bool is_one_pass =
        passes.empty() || (passes.size() == 1 && passes.front().span.loop == kNoLoop);
    return is_one_pass ? std::max(layers, layers_by_attention(around)) : layers;
  }

 private:
  // Layers that are no loop: one that differs from the others, or all of a compiled model's. Where
  // the backward pass computes layers again there is more forward attention than layers.
  [[nodiscard]] std::uint32_t layers_by_attention(const NestLoop& loop) const {
    const WorkCount own = work_.count(body_of(loop));
    if (own.attention() == 0) return 0;
    const bool goes_both_ways = own.forward_attention > 0 && own.backward_attention > 0;
    return goes_both_ways ? std::min(own.forward_attention, own.backward_attention)
                          : loop.anchors_per_body;
  }

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

  void add_segments(Iteration range, const std::vector<Occurrence>& layers) {
    std::vector<Occurrence> pass;
    for (const Occurrence& layer : layers) {
      if (!pass.empty() && begins_a_pass(pass, layer)) {
        const std::uint32_t cut = border({pass.back().end, layer.start});
        add_segment({range.start, cut}, pass);
        range.start = cut;
        pass.clear();
      }
      pass.push_back(layer);
    }
    add_segment(range, pass);
  }

  void add_segment(Iteration range, const std::vector<Occurrence>& layers) {
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

  // Forward layers where the segment goes both ways. Layers that differ from their neighbours are
  // in no loop but have their attention.
  [[nodiscard]] std::uint32_t layers_of(Iteration range,
                                        const std::vector<Occurrence>& layers) const {
    const WorkCount all = work_.count(range);
    const bool goes_both_ways = all.forward_attention > 0 && all.backward_attention > 0;
    std::uint32_t sum = 0;
    bool is_one_each = !layers.empty() && !goes_both_ways;
    for (const Occurrence& layer : layers) {
      const NestLoop& loop = cycles_.nest.loops[layer.loop];
      const WorkCount body = work_.count(body_of(loop));
      if (goes_both_ways && body.backward_attention > 0) continue;
      const auto times = static_cast<std::uint32_t>(loop.instances.front().iterations.size());
      sum += times * loop.anchors_per_body;
      if (body.attention() != loop.anchors_per_body) is_one_each = false;
    }
    return is_one_each ? std::max(sum, all.attention()) : sum;
  }

  // In a body, layers that come again may be those of one pass that alternates them.
  [[nodiscard]] bool begins_a_pass(const std::vector<Occurrence>& pass,
                                   const Occurrence& next) const {
    const auto id = [&](const Occurrence& o) { return cycles_.nest.loops[o.loop].id; };
    const auto is_again = [&](const Occurrence& o) { return id(o) == id(next); };
    if (!is_in_a_loop_ && std::ranges::any_of(pass, is_again)) return true;
    const Occurrence& last = pass.back();
    return are_of_two_passes(last, next, work_.count({last.end, next.start}).samplings);
  }

  // Layers that sample are routers to experts, and so is what lies between them.
  [[nodiscard]] bool are_of_two_passes(const Occurrence& last, const Occurrence& next,
                                       std::uint32_t samplings_between) const {
    const WorkCount before = work_of(last);
    const WorkCount after = work_of(next);
    if (samplings_between > 0 && before.samplings == 0 && after.samplings == 0) return true;
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

  // Where in the kernels between two layer loops the second pass begins.
  [[nodiscard]] std::uint32_t border(Iteration between) const {
    for (std::uint32_t i = between.end; i > between.start; --i) {
      if (work_.count({i - 1, i}).samplings > 0) return i;
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
  bool is_in_a_loop_ = false;
  std::vector<WorkSpan> spans_;
};

}  // namespace

std::vector<WorkSpan> work_spans(const StreamCycles& cycles, const WorkCounter& work,
                                 const AnnotationPhases& annotations, Iteration around,
                                 std::int32_t parent) {
  return SpanCutter(cycles, work, annotations).run(around, parent);
}

std::uint32_t layers_per_iteration(const StreamCycles& cycles, const WorkCounter& work,
                                   const AnnotationPhases& annotations, std::size_t loop) {
  if (cycles.loops[loop].role == LoopRole::kLayer) return cycles.nest.loops[loop].anchors_per_body;
  return SpanCutter(cycles, work, annotations).layers_in_body_of(loop);
}

}  // namespace lockstep::analysis::cycles
