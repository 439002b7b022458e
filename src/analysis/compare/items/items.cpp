// Loops that stand for themselves, then everything between them, cut where phases change.
#include "analysis/compare/items/items.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace lockstep::analysis::compare {
namespace {

// Layers that are told beside their pass: shorter bodies and fewer iterations are no sample.
constexpr std::uint32_t kMinLayerKernels = 8;
constexpr std::size_t kMinLayers = 3;

class ItemFinder {
 public:
  ItemFinder(const cycles::StreamCycles& cycles, std::uint32_t stream, IterationShare share,
             const ItemRules& rules)
      : cycles_(cycles),
        stream_(stream),
        share_(share),
        rules_(rules),
        is_taken_(cycles.stream.size(), false) {}

  std::vector<CompareItem> find() {
    for (std::uint32_t i = 0; i < cycles_.nest.loops.size(); ++i) {
      if (stands_for_itself(i) && !is_trivial(i)) add_loop(i);
    }
    find_cuts();
    add_segments();
    std::ranges::stable_sort(items_, {}, [](const CompareItem& item) { return item.side.start; });
    return std::move(items_);
  }

  std::vector<CompareItem> find_inner() {
    for (std::uint32_t i = 0; i < cycles_.nest.loops.size(); ++i) {
      if (!stands_for_itself(i) || cycles_.nest.loops[i].period < kMinLayerKernels) continue;
      std::vector<cycles::IterationTime> inside;
      for (const cycles::IterationTime& iteration : cycles_.loops[i].iterations) {
        if (single_pass_at(iteration.kernels.start) != nullptr) inside.push_back(iteration);
      }
      if (inside.size() >= kMinLayers) add_iterations(i, inside);
    }
    return std::move(items_);
  }

 private:
  [[nodiscard]] bool is_request(std::uint32_t loop) const {
    return cycles_.loops[loop].role == cycles::LoopRole::kRequest;
  }

  // Outermost, or directly inside of requests; and no loop of requests that has loops inside.
  [[nodiscard]] bool stands_for_itself(std::uint32_t loop) const {
    const std::int32_t parent = cycles_.nest.loops[loop].parent;
    if (parent != cycles::kNoLoop) {
      const auto outer = static_cast<std::uint32_t>(parent);
      if (!is_request(outer) || stands_for_itself(outer)) return false;
    }
    return !is_request(loop) || !has_children(loop);
  }

  [[nodiscard]] bool is_trivial(std::uint32_t loop) const {
    if (is_long(cycles_, loop) || is_large(cycles_, loop)) return false;
    return !may_be_large(cycles_, loop) || !rules_.large.contains(body_names(cycles_, loop));
  }

  [[nodiscard]] bool has_children(std::uint32_t loop) const {
    return std::ranges::any_of(cycles_.nest.loops, [&](const cycles::NestLoop& other) {
      return other.parent == static_cast<std::int32_t>(loop);
    });
  }

  // The span of one pass that is compared whole, if the kernel lies in one.
  [[nodiscard]] const cycles::PhaseSpan* single_pass_at(std::uint32_t kernel) const {
    const cycles::PhaseSpan* span = span_at(kernel);
    const bool is_single = span != nullptr && is_single_pass(*span);
    return is_single && rules_.whole.contains(span->phase) ? span : nullptr;
  }

  [[nodiscard]] const cycles::PhaseSpan* span_at(std::uint32_t kernel) const {
    const auto after =
        std::ranges::upper_bound(cycles_.phases, kernel, {}, &cycles::PhaseSpan::start);
    if (after == cycles_.phases.begin()) return nullptr;
    const cycles::PhaseSpan& span = *std::prev(after);
    return kernel < span.end ? &span : nullptr;
  }

  void add_loop(std::uint32_t index) {
    std::vector<cycles::IterationTime> iterations;
    for (const cycles::IterationTime& iteration : cycles_.loops[index].iterations) {
      if (single_pass_at(iteration.kernels.start) == nullptr) iterations.push_back(iteration);
    }
    if (iterations.empty()) return;
    for (const cycles::IterationTime& iteration : iterations) {
      for (std::uint32_t k = iteration.kernels.start; k < iteration.kernels.end; ++k) {
        is_taken_[k] = true;
      }
    }
    const auto count = static_cast<double>(iterations.size());
    const auto from = static_cast<std::ptrdiff_t>(std::floor(count * share_.from));
    const auto to = static_cast<std::ptrdiff_t>(std::floor(count * share_.to));
    if (from >= to) return;
    add_iterations(index, {iterations.begin() + from, iterations.begin() + to});
  }

  void add_iterations(std::uint32_t index, std::vector<cycles::IterationTime> iterations) {
    const cycles::Loop& loop = cycles_.loops[index];
    CompareItem item;
    item.body = body_of(index, iterations);
    item.iterations = std::move(iterations);
    item.reaches_next = reaching_next(index, item.iterations);
    item.side.loop = index;
    item.side.phase = loop.phase;
    item.side.role = loop.role;
    item.side.start = item.iterations.front().kernels.start;
    item.side.end = end_of_instance(item.iterations);
    add(std::move(item));
  }

  // The iteration that the nest took for the body; the first one where that is left out.
  [[nodiscard]] cycles::Iteration body_of(
      std::uint32_t index, const std::vector<cycles::IterationTime>& iterations) const {
    const std::uint32_t start = cycles_.nest.loops[index].body_start;
    for (const cycles::IterationTime& iteration : iterations) {
      if (iteration.kernels.start == start) return iteration.kernels;
    }
    return iterations.front().kernels;
  }

  [[nodiscard]] std::vector<bool> reaching_next(
      std::uint32_t index, const std::vector<cycles::IterationTime>& iterations) const {
    std::set<std::uint32_t> last_starts;
    for (const cycles::LoopInstance& instance : cycles_.nest.loops[index].instances) {
      last_starts.insert(instance.iterations.back().start);
    }
    std::vector<bool> reaches_next;
    for (const cycles::IterationTime& iteration : iterations) {
      reaches_next.push_back(!last_starts.contains(iteration.kernels.start));
    }
    return reaches_next;
  }

  [[nodiscard]] static std::uint32_t end_of_instance(
      const std::vector<cycles::IterationTime>& iterations) {
    std::uint32_t end = iterations.front().kernels.end;
    for (std::size_t i = 1; i < iterations.size() && iterations[i].kernels.start == end; ++i) {
      end = iterations[i].kernels.end;
    }
    return end;
  }

  void find_cuts() {
    for (const cycles::PhaseSpan& span : cycles_.phases) {
      cuts_.insert(span.start);
      cuts_.insert(span.end);
    }
    for (std::uint32_t i = 0; i < cycles_.nest.loops.size(); ++i) {
      if (!is_request(i)) continue;
      for (const cycles::LoopInstance& instance : cycles_.nest.loops[i].instances) {
        for (const cycles::Iteration& iteration : instance.iterations) {
          cuts_.insert(iteration.start);
          cuts_.insert(iteration.end);
        }
      }
    }
  }

  void add_segments() {
    const auto size = static_cast<std::uint32_t>(cycles_.stream.size());
    for (std::uint32_t start = 0; start < size;) {
      if (is_taken_[start]) {
        ++start;
        continue;
      }
      std::uint32_t end = start + 1;
      while (end < size && !is_taken_[end] && !cuts_.contains(end)) ++end;
      add_segment({start, end});
      start = end;
    }
  }

  // Equal segments are occurrences of one item.
  void add_segment(cycles::Iteration range) {
    const std::vector<std::uint32_t> names(cycles_.stream.names.begin() + range.start,
                                           cycles_.stream.names.begin() + range.end);
    const cycles::PhaseSpan* span = span_at(range.start);
    const cycles::PhaseName phase = span != nullptr ? span->phase : cycles::PhaseName::kUnknown;
    const auto [found, is_new] = segments_.try_emplace({phase, names}, items_.size());
    if (is_new) {
      CompareItem item;
      item.body = range;
      item.side.phase = phase;
      item.side.role = single_pass_at(range.start) != nullptr ? cycles::LoopRole::kPass
                                                              : cycles::LoopRole::kUnknown;
      item.side.start = range.start;
      item.side.end = range.end;
      item.iterations.push_back(time_of(range));
      item.reaches_next.push_back(false);
      add(std::move(item));
      return;
    }
    CompareItem& item = items_[found->second];
    item.iterations.push_back(time_of(range));
    item.reaches_next.push_back(false);
    ++item.side.iterations;
  }

  // From its first kernel to its last end.
  [[nodiscard]] cycles::IterationTime time_of(cycles::Iteration range) const {
    const cycles::KernelStream& stream = cycles_.stream;
    cycles::IterationTime time{range, stream.starts[range.start], {}, {}, {}};
    Time reached = time.start;
    for (std::uint32_t k = range.start; k < range.end; ++k) {
      time.kernel_sum += stream.duration(k);
      if (stream.ends[k] <= reached) continue;
      time.busy += stream.ends[k] - std::max(stream.starts[k], reached);
      reached = stream.ends[k];
    }
    time.wall = reached - time.start;
    return time;
  }

  void add(CompareItem item) {
    item.side.stream = stream_;
    item.side.kernels = item.body.size();
    item.side.iterations = static_cast<std::uint32_t>(item.iterations.size());
    items_.push_back(std::move(item));
  }

  const cycles::StreamCycles& cycles_;
  std::uint32_t stream_;
  IterationShare share_;
  const ItemRules& rules_;
  std::vector<bool> is_taken_;
  std::set<std::uint32_t> cuts_;
  std::map<std::pair<cycles::PhaseName, std::vector<std::uint32_t>>, std::size_t> segments_;
  std::vector<CompareItem> items_;
};

}  // namespace

std::vector<CompareItem> inner_items(const cycles::StreamCycles& cycles, std::uint32_t stream,
                                     const ItemRules& rules) {
  return ItemFinder(cycles, stream, {}, rules).find_inner();
}

std::vector<CompareItem> compare_items(const cycles::StreamCycles& cycles, std::uint32_t stream,
                                       IterationShare share, const ItemRules& rules) {
  return ItemFinder(cycles, stream, share, rules).find();
}

}  // namespace lockstep::analysis::compare
