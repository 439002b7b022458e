// Gives each kernel of a step to a part, then counts.
#include "analysis/cycles/phases/training_parts.h"

#include <algorithm>
#include <optional>

#include "analysis/cycles/stream/layer_count.h"

namespace lockstep::analysis::cycles {
namespace {

class PartFinder {
 public:
  PartFinder(const trace::Trace& trace, const AnnotationPhases& annotations,
             const WorkCounter& work, const KernelStream& stream, Iteration step)
      : trace_(trace),
        annotations_(annotations),
        work_(work),
        stream_(stream),
        step_(step),
        by_thread_(has_two_threads()) {}

  [[nodiscard]] std::vector<PhasePart> run() const {
    std::optional<std::uint32_t> first_back;
    std::uint32_t last_back = 0;
    for (std::uint32_t i = step_.start; i < step_.end; ++i) {
      if (!goes_back(i)) continue;
      if (!first_back) first_back = i;
      last_back = i;
    }
    if (!first_back || (by_thread_ && begins_going_back(last_back))) return {};
    if (!by_thread_ && goes_forward_again({*first_back, last_back})) return {};
    if (!by_thread_) last_back = last_product_after(last_back);
    const bool updates_behind = updates_after(last_back);
    std::vector<PhasePart> parts;
    PhaseName before = PhaseName::kForward;
    for (std::uint32_t i = step_.start; i < step_.end; ++i) {
      if (updates(i) || (i > last_back && updates_behind)) {
        add(i, PhaseName::kOptimizer, parts);
        continue;
      }
      const bool is_back = goes_back(i) || (!by_thread_ && i > *first_back) || i > last_back;
      const bool is_open = !is_back && by_thread_ && !thread_of(i);
      if (!is_open) before = is_back ? PhaseName::kBackward : PhaseName::kForward;
      add(i, before, parts);
    }
    return parts;
  }

 private:
  [[nodiscard]] std::optional<trace::TrackId> thread_of(std::uint32_t kernel) const {
    const trace::EventId call = stream_.launched_by[kernel];
    if (call == trace::kNoEvent) return std::nullopt;
    return trace_.events.track[trace::index_of(call)];
  }

  [[nodiscard]] bool has_two_threads() const {
    std::optional<trace::TrackId> first;
    for (std::uint32_t i = step_.start; i < step_.end; ++i) {
      const auto thread = thread_of(i);
      if (!thread) return false;
      if (first && *first != *thread) return true;
      if (!first) first = thread;
    }
    return false;
  }

  [[nodiscard]] bool goes_back(std::uint32_t kernel) const {
    if (updates(kernel)) return false;
    if (!by_thread_) return goes_back_by_name(kernel);
    const auto thread = thread_of(kernel);
    return thread && thread != thread_of(step_.start);
  }

  [[nodiscard]] bool goes_back_by_name(std::uint32_t kernel) const {
    return work_.count({kernel, kernel + 1}).going_back > 0;
  }

  // The next micro-step, or a layer that is computed again: which kernels between are of which part
  // only threads could tell.
  [[nodiscard]] bool goes_forward_again(Iteration back) const {
    for (std::uint32_t i = back.start; i < back.end; ++i) {
      if (work_.is_forward_attention(i)) return true;
    }
    return false;
  }

  // What goes back by name comes from the thread that begins the step: it begins in the middle, or
  // other threads do something else.
  [[nodiscard]] bool begins_going_back(std::uint32_t last) const {
    std::uint32_t here = 0;
    std::uint32_t elsewhere = 0;
    for (std::uint32_t i = step_.start; i <= last; ++i) {
      if (updates(i) || !goes_back_by_name(i)) continue;
      ++(goes_back(i) ? elsewhere : here);
    }
    return here > elsewhere;
  }

  [[nodiscard]] bool updates(std::uint32_t kernel) const {
    const NamedPhase* const annotation = annotations_.of(stream_, kernel);
    if (annotation != nullptr && annotation->phase == PhaseName::kOptimizer) return true;
    return stream_.symbol(kernel).facts.role == kernels::KernelRole::kOptimizer;
  }

  // Gradients are clipped and scaled before the weights change.
  [[nodiscard]] bool updates_after(std::uint32_t kernel) const {
    for (std::uint32_t i = kernel + 1; i < step_.end; ++i) {
      if (updates(i)) return true;
    }
    return false;
  }

  // The names of matrix kernels do not tell, but to clip gradients takes none.
  [[nodiscard]] std::uint32_t last_product_after(std::uint32_t kernel) const {
    for (std::uint32_t i = kernel + 1; i < step_.end && !updates(i); ++i) {
      if (is_matrix_work(stream_.symbol(i).facts.role)) kernel = i;
    }
    return kernel;
  }

  void add(std::uint32_t kernel, PhaseName phase, std::vector<PhasePart>& parts) const {
    auto part = std::ranges::find(parts, phase, &PhasePart::phase);
    if (part == parts.end()) part = parts.insert(part, {phase, 0, kernel, {}});
    ++part->kernels;
    part->kernel_sum += stream_.duration(kernel);
  }

  const trace::Trace& trace_;
  const AnnotationPhases& annotations_;
  const WorkCounter& work_;
  const KernelStream& stream_;
  Iteration step_;
  bool by_thread_;
};

}  // namespace

std::vector<PhasePart> training_parts(const trace::Trace& trace,
                                      const AnnotationPhases& annotations, const WorkCounter& work,
                                      const KernelStream& stream, Iteration step) {
  return PartFinder(trace, annotations, work, stream, step).run();
}

}  // namespace lockstep::analysis::cycles
