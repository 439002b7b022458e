// When each kernel was asked for, and the step that was open then.
#include "analysis/summary/step_work.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "trace/host/launches.h"
#include "trace/host/window_index.h"

namespace lockstep::analysis::summary {
namespace {

constexpr Time kNever{std::numeric_limits<std::int64_t>::max()};

// By their indices in trace.steps.
using Steps = trace::WindowIndex<std::size_t>;

std::vector<Steps> steps_by_rank(const trace::Trace& trace) {
  std::vector<std::vector<trace::Window<std::size_t>>> windows(trace.ranks.size());
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    const trace::Step& step = trace.steps[i];
    windows[trace::index_of(step.rank)].push_back({step.start, step.end, i});
  }
  std::vector<Steps> steps;
  for (auto& of_rank : windows) steps.emplace_back(std::move(of_rank));
  return steps;
}

class StepWorkCounter {
 public:
  explicit StepWorkCounter(const trace::Trace& trace)
      : trace_(trace), launches_(trace::find_launches(trace)), steps_(steps_by_rank(trace)) {
    find_first_launched();
  }

  [[nodiscard]] std::vector<StepWork> run() const {
    std::vector<StepWork> work(trace_.steps.size());
    const std::vector<const Steps*> steps_of_track = by_track();
    for (std::size_t i = 0; i < trace_.events.size(); ++i) {
      if (!is_kernel(trace_.events.kind[i])) continue;
      const Steps* const steps = steps_of_track[trace::index_of(trace_.events.track[i])];
      if (steps == nullptr) continue;
      const std::optional<Time> asked = asked_at(i);
      if (!asked) continue;
      const auto* const step = steps->innermost_at(*asked);
      if (step != nullptr) add(i, work[step->item]);
    }
    return work;
  }

 private:
  // Of the tracks of devices; null where their rank has no steps.
  [[nodiscard]] std::vector<const Steps*> by_track() const {
    std::vector<const Steps*> of_track;
    for (const trace::Track& track : trace_.tracks) {
      const Steps& steps = steps_[trace::index_of(trace_.rank_of(track))];
      const bool is_device = track.side == trace::Track::Side::kDevice;
      of_track.push_back(is_device && !steps.all().empty() ? &steps : nullptr);
    }
    return of_track;
  }

  [[nodiscard]] bool is_kernel_on_device(std::size_t event) const {
    return is_kernel(trace_.events.kind[event]) && trace_.on_device(event);
  }

  void find_first_launched() {
    first_launched_.assign(trace_.tracks.size(), kNever);
    if (launches_.calls.empty()) return;
    for (std::size_t i = 0; i < trace_.events.size(); ++i) {
      if (launches_.calls[i] == trace::kNoEvent || !is_kernel_on_device(i)) continue;
      Time& first = first_launched_[trace::index_of(trace_.events.track[i])];
      first = std::min(first, trace_.events.start[i]);
    }
  }

  // Nothing where it was before the capture began.
  [[nodiscard]] std::optional<Time> asked_at(std::size_t kernel) const {
    const trace::EventId call = launches_.calls.empty() ? trace::kNoEvent : launches_.calls[kernel];
    if (call != trace::kNoEvent) return trace_.events.start[trace::index_of(call)];
    const Time start = trace_.events.start[kernel];
    const Time first = first_launched_[trace::index_of(trace_.events.track[kernel])];
    if (first != kNever && start < first) return std::nullopt;
    return start;
  }

  void add(std::size_t kernel, StepWork& work) const {
    const Time start = trace_.events.start[kernel];
    const Time end = trace_.events.end(kernel);
    if (!work.window) work.window = DeviceWindow{start, end};
    work.window->start = std::min(work.window->start, start);
    work.window->end = std::max(work.window->end, end);
    ++work.kernels;
  }

  const trace::Trace& trace_;
  trace::Launches launches_;
  std::vector<Steps> steps_;          // by rank
  std::vector<Time> first_launched_;  // by track: when the first kernel whose launch is known began
};

}  // namespace

std::vector<StepWork> work_of_steps(const trace::Trace& trace) {
  if (trace.steps.empty()) return {};
  return StepWorkCounter(trace).run();
}

}  // namespace lockstep::analysis::summary
