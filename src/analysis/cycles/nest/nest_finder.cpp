// Level by level from the whole stream into the bodies of its loops; what is found in one body
// holds for every iteration.
#include "analysis/cycles/nest/nest_finder.h"

#include <algorithm>
#include <map>

#include "algo/sequences/edit_distance.h"
#include "analysis/cycles/nest/body_map.h"
#include "analysis/cycles/nest/hybrid_layers.h"
#include "analysis/cycles/nest/loop_level.h"
#include "analysis/cycles/stream/layer_count.h"

namespace lockstep::analysis::cycles {
namespace {

constexpr std::uint32_t kShortestBody = 4;
constexpr std::uint32_t kDeepest = 12;
// Share of the shorter one of two iterations that has the same names in the other.
constexpr double kLeastInCommon = 0.7;

// Where the kernels of a body are in one iteration, which may have more or fewer of them.
class IterationMap {
 public:
  IterationMap(const KernelStream& stream, std::uint32_t body_start, std::uint32_t period,
               const Iteration& iteration)
      : start_(iteration.start) {
    if (iteration.size() == period) return;
    const Iteration body{body_start, body_start + period};
    const auto alignment = align(stream, body, iteration);
    offsets_.assign(std::size_t{period} + 1, iteration.size());
    // Then every part of the body is empty there.
    if (!alignment || !have_much_in_common(stream, body, iteration, *alignment)) return;
    for (std::uint32_t i = iteration.size(); i-- > 0;) {
      const std::uint32_t partner = alignment->partners[i];
      if (partner != algo::kUnaligned) offsets_[partner] = i;
    }
    for (std::uint32_t i = period; i-- > 0;) offsets_[i] = std::min(offsets_[i], offsets_[i + 1]);
    offsets_[0] = 0;
    ends_.assign(std::size_t{period} + 1, 0);
    for (std::uint32_t i = 0; i < iteration.size(); ++i) {
      const std::uint32_t partner = alignment->partners[i];
      if (partner != algo::kUnaligned) ends_[partner + 1] = i + 1;
    }
    for (std::uint32_t i = 1; i <= period; ++i) ends_[i] = std::max(ends_[i], ends_[i - 1]);
  }

  [[nodiscard]] std::uint32_t at(std::uint32_t offset) const {
    return start_ + (offsets_.empty() ? offset : offsets_[offset]);
  }
  // Behind the last kernel before the place: what only this iteration has there is behind the
  // place.
  [[nodiscard]] std::uint32_t end_at(std::uint32_t offset) const {
    return start_ + (ends_.empty() ? at(offset) - start_ : ends_[offset]);
  }

 private:
  // Steps that the user marked may do something else: the layers of one are not those of the other.
  static bool have_much_in_common(const KernelStream& stream, Iteration body, Iteration part,
                                  const algo::EditAlignment& alignment) {
    std::uint32_t equal = 0;
    for (std::uint32_t i = 0; i < part.size(); ++i) {
      const std::uint32_t partner = alignment.partners[i];
      equal += partner != algo::kUnaligned &&
                       stream.names[body.start + partner] == stream.names[part.start + i]
                   ? 1
                   : 0;
    }
    return equal >= kLeastInCommon * std::min(body.size(), part.size());
  }

  std::uint32_t start_;
  std::vector<std::uint32_t> offsets_;  // by place in the body; empty where they are the same
  std::vector<std::uint32_t> ends_;
};

class NestFinder {
 public:
  NestFinder(const KernelStream& stream, BorderMarks marks, const CyclesOptions& options)
      : stream_(stream), marks_(std::move(marks)), options_(options) {}

  [[nodiscard]] Nest run() {
    const auto size = static_cast<std::uint32_t>(stream_.size());
    for (FoundLoop& loop : find_level({stream_, 0, size}, marks_, options_)) add_outermost(loop);
    count_layers_without_attention();
    return std::move(nest_);
  }

 private:
  // In a stack of several kinds of layers, those without attention count too.
  void count_layers_without_attention() {
    nest_.without_attention = layers_without_attention(stream_, nest_);
    const HybridLayers hybrid(stream_, nest_);
    for (NestLoop& loop : nest_.loops) {
      if (loop.anchors_per_body == 0) continue;
      const Iteration body{loop.body_start, loop.body_start + loop.period};
      loop.anchors_per_body = hybrid.layers_in(body, loop.anchors_per_body);
    }
  }

  void add_outermost(FoundLoop& loop) {
    NestLoop entry = entry_of(loop, kNoLoop, 0);
    entry.instances.push_back(instance_of(loop.iterations));
    if (entry.is_exact) extend_run({0, static_cast<std::uint32_t>(stream_.size())}, entry);
    add(std::move(entry));
  }

  // The instance with what is left of iterations at the edges of the capture.
  [[nodiscard]] LoopInstance instance_of(std::vector<Iteration> iterations) const {
    LoopInstance instance;
    instance.iterations = std::move(iterations);
    const auto& names = stream_.names;
    const Iteration& first = instance.iterations.front();
    const Iteration& last = instance.iterations.back();
    const auto size = static_cast<std::uint32_t>(stream_.size());
    if (first.start < first.size() && std::equal(names.begin(), names.begin() + first.start,
                                                 names.begin() + (first.end - first.start)))
      instance.partial_before = first.start;
    if (size - last.end < last.size() &&
        std::equal(names.begin() + last.end, names.end(), names.begin() + last.start))
      instance.partial_after = size - last.end;
    return instance;
  }

  [[nodiscard]] NestLoop entry_of(const FoundLoop& loop, std::int32_t parent, std::uint32_t depth) {
    NestLoop entry;
    entry.id = id_of(loop);
    entry.parent = parent;
    entry.depth = depth;
    entry.period = loop.period;
    entry.body_start = loop.body_start;
    // As far as names go, whatever it was found by; exact ones are extended where they lie.
    entry.run_start = loop.start();
    entry.run_end = loop.end();
    entry.is_exact = loop.is_exact();
    entry.exceptions = loop.exceptions;
    entry.symbol = loop.level;
    entry.border = loop.border;
    entry.anchors_per_body = count_layers(stream_, {loop.body_start, loop.body_start + loop.period},
                                          StretchEnd::kRepeats);
    return entry;
  }

  void add(NestLoop entry) {
    const auto index = static_cast<std::int32_t>(nest_.loops.size());
    nest_.loops.push_back(std::move(entry));
    const std::uint32_t body = nest_.loops.back().body_start;
    const std::uint32_t period = nest_.loops.back().period;
    if (period < kShortestBody || nest_.loops.back().depth >= kDeepest) return;
    const std::vector<FoundLoop> children =
        find_level({stream_, body, body + period}, marks_, options_);
    if (children.empty()) return;
    std::vector<IterationMap> maps;  // one an iteration, for all children
    for (const LoopInstance& instance : nest_.loops.back().instances) {
      for (const Iteration& iteration : instance.iterations)
        maps.emplace_back(stream_, body, period, iteration);
    }
    for (const FoundLoop& child : children) add_child(child, index, body, maps);
  }

  void add_child(const FoundLoop& child, std::int32_t parent, std::uint32_t body,
                 std::span<const IterationMap> maps) {
    const std::uint32_t depth = nest_.loops[static_cast<std::size_t>(parent)].depth + 1;
    NestLoop entry = entry_of(child, parent, depth);
    const NestLoop& around = nest_.loops[static_cast<std::size_t>(parent)];
    for (const IterationMap& map : maps) {
      LoopInstance mapped;
      mapped.iterations.reserve(child.iterations.size());
      for (const Iteration& inner : child.iterations) {
        const Iteration there{map.at(inner.start - body), map.at(inner.end - body)};
        if (there.size() > 0) mapped.iterations.push_back(there);
      }
      if (!mapped.iterations.empty()) {
        Iteration& last = mapped.iterations.back();
        last.end = std::max(map.end_at(child.end() - body), last.start + 1);
      }
      if (!mapped.iterations.empty()) entry.instances.push_back(std::move(mapped));
    }
    if (entry.instances.empty()) return;
    settle_first_instance(around, entry);
    add(std::move(entry));
  }

  // The child was found in one iteration of its parent. What is said of the first instance must
  // hold where that lies, and what is said of all iterations in every iteration of the parent.
  void settle_first_instance(const NestLoop& around, NestLoop& entry) const {
    const std::span<const std::uint32_t> names = stream_.names;
    const auto body = names.subspan(entry.body_start, entry.period);
    const auto is_body = [&](const Iteration& iteration) {
      return std::ranges::equal(names.subspan(iteration.start, iteration.size()), body);
    };
    const bool was_exact = entry.is_exact;
    entry.is_exact = std::ranges::all_of(entry.instances, [&](const LoopInstance& instance) {
      return std::ranges::all_of(instance.iterations, is_body);
    });
    const LoopInstance& first = entry.instances.front();
    if (was_exact && !entry.is_exact) {
      for (const Iteration& iteration : first.iterations)
        entry.exceptions += distance_of(body, iteration);
    }
    entry.run_start = first.start();
    entry.run_end = first.end();
    if (!entry.is_exact) return;
    extend_run(iteration_around(around, first.start()), entry);
  }

  // As far as the names repeat inside `bounds`: over kernels too that a neighbour has taken.
  void extend_run(const Iteration& bounds, NestLoop& entry) const {
    const auto& names = stream_.names;
    while (entry.run_start > bounds.start &&
           names[entry.run_start - 1] == names[entry.run_start - 1 + entry.period])
      --entry.run_start;
    while (entry.run_end < bounds.end &&
           names[entry.run_end] == names[entry.run_end - entry.period])
      ++entry.run_end;
  }

  // The iteration of a loop that a kernel lies in.
  [[nodiscard]] static Iteration iteration_around(const NestLoop& loop, std::uint32_t kernel) {
    for (const LoopInstance& instance : loop.instances) {
      const auto after = std::ranges::upper_bound(instance.iterations, kernel, {}, &Iteration::end);
      if (after != instance.iterations.end()) return *after;
    }
    return {kernel, kernel};
  }

  [[nodiscard]] std::uint32_t distance_of(std::span<const std::uint32_t> body,
                                          const Iteration& iteration) const {
    const auto there = std::span(stream_.names).subspan(iteration.start, iteration.size());
    const auto most = static_cast<std::uint32_t>(std::max(body.size(), there.size()));
    return algo::bounded_edit_distance(body, there, most).value_or(most);
  }

  // Loops with the same body up to rotation have one id, by first appearance.
  std::uint32_t id_of(const FoundLoop& loop) {
    const auto next = static_cast<std::uint32_t>(ids_.size());
    return ids_.try_emplace(canonical_body(stream_.names, loop), next).first->second;
  }

  const KernelStream& stream_;
  BorderMarks marks_;
  const CyclesOptions& options_;
  Nest nest_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> ids_;
};

}  // namespace

Nest find_nest(const trace::Trace& trace, const MarkWindows& windows, const KernelStream& stream,
               const CyclesOptions& options) {
  if (stream.size() < 2) return {};
  BorderMarks marks{launch_marks(trace, windows, stream), graph_launch_marks(stream)};
  return NestFinder(stream, std::move(marks), options).run();
}

}  // namespace lockstep::analysis::cycles
