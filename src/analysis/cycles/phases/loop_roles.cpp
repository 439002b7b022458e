// Roles from the work in a loop's body and from the loops around and inside it.
#include "analysis/cycles/phases/loop_roles.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "analysis/cycles/nest/found_loop.h"
#include "analysis/cycles/stream/layer_count.h"

namespace lockstep::analysis::cycles {
namespace {

// Models alternate kinds of layers with periods of at most this many; a body with more attention
// holds whole passes whose layers are no exact loop.
constexpr std::uint32_t kMostLayersInBody = 8;
// Beside groups of layers there may be so many layers outside of groups, in bodies of one.
constexpr std::uint32_t kLongestHead = 4;
// Share of a loop's iterations that must fall into steps of their own.
constexpr double kMarkedShare = 0.8;
// Share of a stream without attention that a loop of passes covers: shorter ones repeat blocks.
constexpr double kPassShare = 0.5;

bool is_pass(LoopRole role) { return role == LoopRole::kPass || role == LoopRole::kMicroStep; }

// Whether the user marked each iteration of a loop as a step of its own. The middle kernel stands
// for an iteration: at its edges the host may already be in the next step.
class StepMarks {
 public:
  StepMarks(const trace::Trace& trace, std::span<const trace::Step> steps,
            const KernelStream& stream)
      : trace_(trace), stream_(stream), steps_(steps) {}

  [[nodiscard]] bool mark_each_of(const NestLoop& loop) const {
    if (steps_.size() < 2) return false;
    std::set<std::size_t> marked;
    std::size_t iterations = 0;
    for (const LoopInstance& instance : loop.instances) {
      for (const Iteration& iteration : instance.iterations) {
        ++iterations;
        const auto step = step_of(iteration.start + iteration.size() / 2);
        if (step) marked.insert(*step);
      }
    }
    return static_cast<double>(marked.size()) >= kMarkedShare * static_cast<double>(iterations);
  }

 private:
  [[nodiscard]] std::optional<std::size_t> step_of(std::size_t kernel) const {
    const trace::EventId call = stream_.launched_by[kernel];
    const Time time = call == trace::kNoEvent ? stream_.starts[kernel]
                                              : trace_.events.start[trace::index_of(call)];
    const auto after = std::ranges::upper_bound(steps_, time, {}, &trace::Step::start);
    if (after == steps_.begin() || (after - 1)->end <= time) return std::nullopt;
    return static_cast<std::size_t>(after - steps_.begin()) - 1;
  }

  const trace::Trace& trace_;
  const KernelStream& stream_;
  std::span<const trace::Step> steps_;
};

class RoleAssigner {
 public:
  RoleAssigner(const trace::Trace& trace, std::span<const trace::Step> steps,
               const WorkCounter& counter, StreamCycles& cycles)
      : counter_(counter),
        whole_(counter.whole()),
        cycles_(cycles),
        marks_(trace, steps, cycles.stream) {
    for (const NestLoop& loop : cycles.nest.loops) work_.push_back(counter.count(body_of(loop)));
    holds_layer_.assign(work_.size(), false);
    holds_gemm_loop_.assign(work_.size(), false);
    holds_step_.assign(work_.size(), false);
    may_be_layers_of_.resize(work_.size());
    for (std::size_t i = work_.size(); i-- > 0;) {  // children come after their parents
      const std::int32_t parent = cycles.nest.loops[i].parent;
      if (parent == kNoLoop) continue;
      const auto p = static_cast<std::size_t>(parent);
      if (is_like_a_layer(i) || holds_layer_[i]) holds_layer_[p] = true;
      if (work_[i].gemms > 0) holds_gemm_loop_[p] = true;
      if (may_be_layers(i)) may_be_layers_of_[p].push_back(i);
      if (holds_step_[i] || is_training_step(i)) holds_step_[p] = true;
    }
  }

  void run() {
    for (std::size_t i = 0; i < work_.size(); ++i) cycles_.loops[i].role = role_of(i);
    if (whole_.attention() == 0) find_lone_layers();
  }

 private:
  // Attention and matrix work: a layer or more. Attention alone may run several times in a layer.
  [[nodiscard]] bool is_like_a_layer(std::size_t i) const {
    return work_[i].attention() > 0 && (work_[i].gemms > 0 || whole_.gemms == 0);
  }

  // Forward, backward and an update of the weights.
  [[nodiscard]] bool is_training_step(std::size_t i) const {
    const WorkCount& work = work_[i];
    return work.optimizers > 0 && work.gemms > 0 &&
           (work.backward_attention > 0 || work.going_back > 0);
  }

  // Passes that only go forward, again and again, beside what goes back: a model that learns from
  // what it says.
  [[nodiscard]] bool generates_and_trains(std::size_t i) const {
    if (work_[i].backward_attention == 0) return false;
    const auto& loops = cycles_.nest.loops;
    for (std::size_t c = i + 1; c < loops.size() && loops[c].depth > loops[i].depth; ++c) {
      if (loops[c].parent != static_cast<std::int32_t>(i) || !holds_layer_[c]) continue;
      // More than layers of its own forward pass would.
      const std::size_t forward = work_[c].forward_attention * iterations_of(c);
      if (work_[c].backward_attention == 0 && iterations_of(c) >= kFewestInnerIterations &&
          forward >= std::size_t{2} * work_[i].backward_attention)
        return true;
    }
    return false;
  }

  [[nodiscard]] LoopRole role_of(std::size_t i) const {
    const NestLoop& loop = cycles_.nest.loops[i];
    const LoopRole around = loop.parent == kNoLoop
                                ? LoopRole::kUnknown
                                : cycles_.loops[static_cast<std::size_t>(loop.parent)].role;
    if (around == LoopRole::kLayer || around == LoopRole::kInner) return LoopRole::kInner;
    if ((holds_step_[i] || generates_and_trains(i)) && !marks_.mark_each_of(loop))
      return LoopRole::kRound;
    if (is_like_a_layer(i)) {
      const bool is_pass =
          holds_layer_[i] ? !is_group_of_layers(i, around) : is_whole_pass(i, around);
      return is_pass ? pass_or_step(i, around) : LoopRole::kLayer;
    }
    const WorkCount& work = work_[i];
    if (work.gemms == 0 && work.attention() == 0) {
      if (loop.parent != kNoLoop) return LoopRole::kInner;
      return marks_.mark_each_of(loop) ? LoopRole::kStep : LoopRole::kUnknown;
    }
    if (whole_.attention() > 0) {
      // Beside layers with attention, those of another kind.
      const bool is_layer =
          !counter_.trains() && is_layer_without_attention(cycles_.stream, body_of(loop));
      return is_layer ? LoopRole::kLayer : LoopRole::kUnknown;
    }
    if (loop.parent != kNoLoop)
      return repeats_layers(i, around) ? LoopRole::kLayer : LoopRole::kUnknown;
    if (work.optimizers > 0 || marks_.mark_each_of(loop)) return LoopRole::kStep;
    return holds_gemm_loop_[i] && is_most_of_the_stream(loop) ? LoopRole::kPass
                                                              : LoopRole::kUnknown;
  }

  // Without attention (state spaces, convolutions) the loop that is most of a pass is its layers.
  // Of a training step there must be two, one for each direction, that agree.
  [[nodiscard]] bool repeats_layers(std::size_t i, LoopRole around) const {
    const auto parent = static_cast<std::size_t>(cycles_.nest.loops[i].parent);
    if (!may_be_layers(i)) return false;
    if (around == LoopRole::kPass)
      return static_cast<double>(kernels_in_body(i)) >=
             kPassShare * static_cast<double>(cycles_.nest.loops[parent].period);
    if (around != LoopRole::kStep) return false;
    const auto& loops = cycles_.nest.loops;
    const std::vector<std::size_t>& alike = may_be_layers_of_[parent];
    return alike.size() == 2 && iterations_of(alike[0]) == iterations_of(alike[1]) &&
           static_cast<double>(kernels_in_body(alike[0]) + kernels_in_body(alike[1])) >=
               kPassShare * static_cast<double>(loops[parent].period);
  }

  [[nodiscard]] bool may_be_layers(std::size_t i) const {
    return work_[i].gemms > 0 && cycles_.nest.loops[i].period >= kSmallestInnerPeriod &&
           iterations_of(i) >= kFewestInnerIterations;
  }

  [[nodiscard]] std::size_t iterations_of(std::size_t i) const {
    return usual_iterations(cycles_.nest.loops[i]);
  }

  [[nodiscard]] std::size_t kernels_in_body(std::size_t i) const {
    return iterations_of(i) * cycles_.nest.loops[i].period;
  }

  // Layers of a pass that runs once: as many as passes elsewhere have.
  void find_lone_layers() {
    std::set<std::size_t> known;
    for (std::size_t i = 0; i < work_.size(); ++i) {
      if (cycles_.loops[i].role == LoopRole::kLayer) known.insert(iterations_of(i));
    }
    for (std::size_t i = 0; i < work_.size(); ++i) {
      if (cycles_.loops[i].role != LoopRole::kUnknown || cycles_.nest.loops[i].parent != kNoLoop)
        continue;
      if (may_be_layers(i) && known.contains(iterations_of(i)))
        cycles_.loops[i].role = LoopRole::kLayer;
    }
  }

  [[nodiscard]] bool is_most_of_the_stream(const NestLoop& loop) const {
    const LoopInstance& instance = loop.instances.front();
    return static_cast<double>(instance.end() - instance.start()) >=
           kPassShare * static_cast<double>(cycles_.stream.size());
  }

  // A pass whose layers are no loop: something in it runs once for many layers.
  [[nodiscard]] bool is_whole_pass(std::size_t i, LoopRole around) const {
    if (samples_once(i)) return true;
    if (is_pass(around)) return false;
    const NestLoop& loop = cycles_.nest.loops[i];
    return loop.anchors_per_body > kMostLayersInBody || work_[i].optimizers > 0 ||
           (loop.border == BorderEvidence::kAnnotation && loop.anchors_per_body > 1) ||
           marks_.mark_each_of(loop);
  }

  // A layer that routes to experts may use the same kernels as sampling.
  [[nodiscard]] bool samples_once(std::size_t i) const {
    const WorkCount& work = work_[i];
    const std::uint32_t layers = cycles_.nest.loops[i].anchors_per_body;
    if (work.samplings == 0 || work.experts > 0) return false;
    const std::uint32_t samplings = final_samplings(i);
    return samplings > 0 && (samplings < layers || (layers == 1 && samplings == 1));
  }

  // Behind what samples, the next pass begins with the projections of its attention. Where there is
  // much more matrix work, experts were chosen.
  [[nodiscard]] std::uint32_t final_samplings(std::size_t i) const {
    const Iteration body = body_of(cycles_.nest.loops[i]);
    std::uint32_t samplings = 0;
    std::uint32_t open = 0;  // since the last attention
    std::uint32_t gemms = 0;
    for (std::uint32_t k = 0; k < 2 * body.size(); ++k) {  // the end goes on at the begin
      const std::uint32_t kernel = body.start + k % body.size();
      const bool is_again = k >= body.size();
      if (counter_.is_forward_attention(kernel)) {
        if (gemms <= kMostProjections) samplings += open;
        open = 0;
        if (is_again) return samplings;
      }
      const WorkCount work = counter_.count({kernel, kernel + 1});
      if (work.samplings > 0 && !is_again) {
        ++open;
        gemms = 0;
      }
      gemms += work.gemms;
    }
    return samplings + open;
  }

  // Layers that alternate variants: loops of layers are all there is in the body, or inside a pass
  // all but single layers. A pass has more: its head, its sampling.
  [[nodiscard]] bool is_group_of_layers(std::size_t i, LoopRole around) const {
    const NestLoop& loop = cycles_.nest.loops[i];
    const WorkCount& work = work_[i];
    const bool goes_both_ways = work.forward_attention > 0 && work.backward_attention > 0;
    const bool is_launched_alone =
        loop.border == BorderEvidence::kAnnotation || loop.border == BorderEvidence::kGraphLaunch;
    if (samples_once(i) || work.optimizers > 0 || goes_both_ways || is_launched_alone ||
        marks_.mark_each_of(loop))
      return false;
    const Rest rest = beside_layers(i);
    if (rest.work.attention() > 0 && lies_in_a_pass(i)) return true;
    if (loop.anchors_per_body > kMostLayersInBody) return false;
    if (is_pass(around)) return rest.work.gemms == 0 || rest.work.attention() > 0;
    return rest.kernels == 0;
  }

  // A stack of several kinds of layers may repeat groups of them: words are looked up before all of
  // it, and one is chosen behind.
  [[nodiscard]] bool lies_in_a_pass(std::size_t i) const {
    if (work_[i].lookups + work_[i].samplings > 0) return false;
    const LoopInstance& instance = cycles_.nest.loops[i].instances.front();
    const auto size = static_cast<std::uint32_t>(cycles_.stream.size());
    std::uint32_t before = instance.start();
    std::uint32_t behind = instance.end();
    const auto ends = [&](std::uint32_t kernel) {
      const WorkCount work = counter_.count({kernel, kernel + 1});
      return work.lookups + work.samplings > 0;
    };
    const std::uint32_t reach = kLongestHead * cycles_.nest.loops[i].period;
    while (before > 0 && instance.start() - before < reach && !ends(before - 1)) --before;
    while (behind < size && behind - instance.end() < reach && !ends(behind)) ++behind;
    return before > 0 && behind < size && counter_.count({before - 1, before}).lookups > 0 &&
           counter_.count({behind, behind + 1}).samplings > 0;
  }

  // A softmax counts as attention in a part where none is named, but not in the whole.
  static void take(std::uint32_t part, std::uint32_t& from) { from -= std::min(part, from); }

  // What of a body is in no loop that is like a layer.
  struct Rest {
    std::uint32_t kernels = 0;
    WorkCount work;
  };
  [[nodiscard]] Rest beside_layers(std::size_t i) const {
    const auto& loops = cycles_.nest.loops;
    const Iteration body = body_of(loops[i]);
    Rest rest{body.size(), work_[i]};
    for (std::size_t c = i + 1; c < loops.size() && loops[c].depth > loops[i].depth; ++c) {
      if (loops[c].parent != static_cast<std::int32_t>(i) || !is_like_a_layer(c)) continue;
      const auto at =
          std::ranges::lower_bound(loops[c].instances, body.start, {}, &LoopInstance::start);
      if (at == loops[c].instances.end() || at->end() > body.end) continue;
      const WorkCount inside = counter_.count({at->start(), at->end()});
      rest.kernels -= at->end() - at->start();
      take(inside.gemms, rest.work.gemms);
      take(inside.forward_attention, rest.work.forward_attention);
      take(inside.backward_attention, rest.work.backward_attention);
    }
    return rest;
  }

  [[nodiscard]] LoopRole pass_or_step(std::size_t i, LoopRole around) const {
    const WorkCount& work = work_[i];
    const bool goes_both_ways = work.forward_attention > 0 && work.backward_attention > 0;
    if (around == LoopRole::kStep && goes_both_ways && work.optimizers == 0)
      return LoopRole::kMicroStep;
    if (around == LoopRole::kStep || is_pass(around)) return LoopRole::kPass;
    const bool trains = work.optimizers > 0 || goes_both_ways;
    return trains || marks_.mark_each_of(cycles_.nest.loops[i]) ? LoopRole::kStep : LoopRole::kPass;
  }

  const WorkCounter& counter_;
  const WorkCount& whole_;
  StreamCycles& cycles_;
  StepMarks marks_;
  std::vector<WorkCount> work_;
  std::vector<bool> holds_layer_;
  std::vector<bool> holds_gemm_loop_;
  std::vector<bool> holds_step_;
  std::vector<std::vector<std::size_t>> may_be_layers_of_;  // directly inside each loop
};

}  // namespace

void assign_roles(const trace::Trace& trace, std::span<const trace::Step> steps,
                  const WorkCounter& work, StreamCycles& cycles) {
  cycles.loops.resize(std::max(cycles.loops.size(), cycles.nest.loops.size()));
  RoleAssigner(trace, steps, work, cycles).run();
}

}  // namespace lockstep::analysis::cycles
