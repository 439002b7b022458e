// Markers first, passes second, the capture last.
#include "analysis/anomalies/steps/step_windows.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "algo/part_table.h"

namespace lockstep::analysis::anomalies {
namespace {

// Markers of one class count: ProfilerStep#N before Iteration#N and Step#N before others.
int rank_of_class(std::string_view name) {
  if (name.starts_with("ProfilerStep#")) return 0;
  if (name.starts_with("Iteration#") || name.starts_with("Step#")) return 1;
  return 2;
}

// Those of one rank: the best class of them, each that begins a step of its own.
std::vector<trace::Step> markers_that_count(const trace::Trace& trace,
                                            const std::vector<const trace::Step*>& steps) {
  std::vector<trace::Step> markers;
  int best = 3;
  for (const trace::Step* step : steps)
    best = std::min(best, rank_of_class(trace.text(step->name)));
  for (const trace::Step* step : steps) {
    if (rank_of_class(trace.text(step->name)) == best) markers.push_back(*step);
  }
  std::ranges::stable_sort(markers, {},
                           [](const trace::Step& s) { return std::pair(s.start, s.end); });
  // A marker inside another one (of a second thread) begins no step of its own.
  std::vector<trace::Step> apart;
  for (const trace::Step& marker : markers) {
    if (!apart.empty() && marker.start < apart.back().end && marker.end <= apart.back().end)
      continue;
    if (!apart.empty() && marker.start == apart.back().start) {
      apart.back() = marker;
      continue;
    }
    apart.push_back(marker);
  }
  return apart;
}

// When the host asked for a kernel; when it began, where nobody knows.
Time asked_at(const trace::Trace& trace, const DeviceWork& work) {
  return work.launched_by != trace::kNoEvent ? trace.events.start[trace::index_of(work.launched_by)]
                                             : work.start;
}

// Kernels that a stream ran before the first one whose launch was recorded: they had been asked for
// before the capture began, by no step of it.
std::vector<bool> asked_before_capture(const trace::Trace& trace, const DeviceTimeline& timeline) {
  constexpr auto kNone = static_cast<std::size_t>(-1);
  algo::PartTable<std::size_t> first_launched(trace.tracks.size(), timeline.kernels.size(), kNone);
  for (std::size_t k = timeline.kernels.size(); k-- > 0;) {
    const DeviceWork& work = timeline.kernels[k];
    if (work.launched_by != trace::kNoEvent) first_launched[trace::index_of(work.track)] = k;
  }
  std::vector<bool> is_early(timeline.kernels.size(), false);
  for (std::size_t k = 0; k < is_early.size(); ++k) {
    const std::size_t first = first_launched[trace::index_of(timeline.kernels[k].track)];
    is_early[k] = first != kNone && k < first;
  }
  return is_early;
}

void set_device_windows(const DeviceTimeline& timeline, std::vector<StepFrame>& steps) {
  for (StepFrame& step : steps) {
    for (const std::uint32_t k : step.kernels) {
      const DeviceWork& work = timeline.kernels[k];
      if (!step.device_window) step.device_window = std::pair(work.start, work.end);
      step.device_window->second = std::max(step.device_window->second, work.end);
    }
  }
}

// The index of the step whose window holds `at`; nothing outside of all.
std::optional<std::size_t> step_at(const std::vector<StepFrame>& steps, Time at) {
  const auto after = std::ranges::upper_bound(steps, at, {}, &StepFrame::start);
  if (after == steps.begin()) return std::nullopt;
  const auto i = static_cast<std::size_t>(after - steps.begin()) - 1;
  return at < steps[i].end ? std::optional(i) : std::nullopt;
}

// The last step ends with the work that was asked for inside its marker.
void close_last_step(const trace::Trace& trace, const DeviceTimeline& timeline, StepFrame& last) {
  for (auto k = timeline.kernels.rbegin(); k != timeline.kernels.rend(); ++k) {
    const Time asked = asked_at(trace, *k);
    if (asked >= last.start && asked < last.marker_end) last.end = std::max(last.end, k->end);
  }
}

// The marker in whose window something was asked for; nothing before the first.
std::optional<std::size_t> marker_at(std::span<const trace::Step> markers, Time asked) {
  const auto after = std::ranges::upper_bound(markers, asked, {}, &trace::Step::start);
  if (after == markers.begin()) return std::nullopt;
  return static_cast<std::size_t>(after - markers.begin()) - 1;
}

// Which markers become steps, in order: all, or those in whose windows the device was asked for
// something.
std::vector<std::size_t> wanted_markers(const trace::Trace& trace, const DeviceTimeline& timeline,
                                        std::span<const trace::Step> markers, EmptySteps empty) {
  std::vector<std::size_t> wanted;
  if (empty == EmptySteps::kKeep) {
    for (std::size_t i = 0; i < markers.size(); ++i) wanted.push_back(i);
    return wanted;
  }
  for (const DeviceWork& kernel : timeline.kernels) {
    if (const auto marker = marker_at(markers, asked_at(trace, kernel))) wanted.push_back(*marker);
  }
  std::ranges::sort(wanted);
  const auto repeated = std::ranges::unique(wanted);
  wanted.erase(repeated.begin(), repeated.end());
  return wanted;
}

StepFrame step_of(const trace::Trace& trace, std::span<const trace::Step> markers, std::size_t i) {
  StepFrame step;
  step.marker = trace.text(markers[i].name);
  step.window = StepWindow::kHost;
  step.start = markers[i].start;
  step.end = i + 1 < markers.size() ? markers[i + 1].start : markers[i].end;
  step.marker_end = std::min(markers[i].end, step.end);
  return step;
}

std::vector<StepFrame> marked_steps(const trace::Trace& trace, const DeviceTimeline& timeline,
                                    std::span<const trace::Step> markers, EmptySteps empty) {
  std::vector<StepFrame> steps;
  const std::vector<std::size_t> wanted = wanted_markers(trace, timeline, markers, empty);
  for (const std::size_t i : wanted) steps.push_back(step_of(trace, markers, i));
  if (steps.empty()) return steps;
  const bool has_last = wanted.back() + 1 == markers.size();
  if (has_last) close_last_step(trace, timeline, steps.back());
  const std::vector<bool> is_early = asked_before_capture(trace, timeline);
  for (std::uint32_t k = 0; k < timeline.kernels.size(); ++k) {
    if (is_early[k]) continue;
    const Time asked = asked_at(trace, timeline.kernels[k]);
    const std::optional<std::size_t> i = step_at(steps, asked);
    // What is asked for behind the last marker is no step's, whatever else still runs.
    const bool is_last = has_last && i && *i + 1 == steps.size();
    if (i && (!is_last || asked < steps[*i].marker_end)) steps[*i].kernels.push_back(k);
  }
  return steps;
}

// The stream of the device that works most.
const cycles::StreamCycles* main_stream(std::span<const cycles::StreamCycles* const> streams) {
  const cycles::StreamCycles* best = nullptr;
  WideTime most = -1;
  for (const cycles::StreamCycles* one : streams) {
    WideTime work = 0;
    for (std::size_t i = 0; i < one->stream.size(); ++i) work += one->stream.duration(i).ps;
    if (work > most) best = one;
    most = std::max(most, work);
  }
  return best;
}

struct Pass {
  cycles::PhaseName phase = cycles::PhaseName::kUnknown;
  std::uint32_t number = 0;  // from 1 among those of its phase
  std::uint32_t start = 0;   // kernels [start, end) of the stream
  std::uint32_t end = 0;
};

// Iterations of the loops of passes, and the single passes between them.
std::vector<Pass> passes_of(const cycles::StreamCycles& cycles) {
  std::vector<Pass> passes;
  std::map<cycles::PhaseName, std::uint32_t> counts;
  bool has_loop = false;
  for (const cycles::PhaseSpan& span : cycles.phases) {
    const std::size_t before = passes.size();
    if (span.loop != cycles::kNoLoop) {
      for (const cycles::LoopInstance& instance :
           cycles.nest.loops[static_cast<std::size_t>(span.loop)].instances) {
        for (const cycles::Iteration& one : instance.iterations) {
          if (one.start < span.start || one.end > span.end) continue;
          passes.push_back({span.phase, ++counts[span.phase], one.start, one.end});
          has_loop = true;
        }
      }
    }
    if (passes.size() == before)
      passes.push_back({span.phase, ++counts[span.phase], span.start, span.end});
  }
  return has_loop || passes.size() > 1 ? passes : std::vector<Pass>();
}

std::vector<StepFrame> pass_steps(const DeviceTimeline& timeline,
                                  std::span<const cycles::StreamCycles* const> streams) {
  std::vector<StepFrame> steps;
  const cycles::StreamCycles* main = main_stream(streams);
  if (main == nullptr) return steps;
  const cycles::KernelStream& stream = main->stream;
  for (const Pass& pass : passes_of(*main)) {
    StepFrame step;
    step.window = StepWindow::kDevice;
    step.phase = pass.phase;
    step.number = pass.number;
    step.start = stream.starts[pass.start];
    step.marker_end =
        *std::max_element(stream.ends.begin() + pass.start, stream.ends.begin() + pass.end);
    step.end = step.marker_end;
    if (!steps.empty()) {
      steps.back().end = step.start;
      steps.back().marker_end = std::min(steps.back().marker_end, step.start);
    }
    steps.push_back(std::move(step));
  }
  for (std::uint32_t k = 0; k < timeline.kernels.size(); ++k) {
    const std::optional<std::size_t> i = step_at(steps, timeline.kernels[k].start);
    if (i) steps[*i].kernels.push_back(k);
  }
  return steps;
}

// What was recorded before the first kernel and after the last is no time of the device: a capture
// that begins long before, or with copies of weights, would make every gap look small.
std::vector<StepFrame> pseudo_step(const DeviceTimeline& timeline) {
  StepFrame step;
  step.window = StepWindow::kPseudo;
  if (!timeline.busy.empty()) {
    step.start = {timeline.busy.front().begin};
    step.end = {timeline.busy.back().end};
  }
  step.marker_end = step.end;
  step.kernels.resize(timeline.kernels.size());
  for (std::uint32_t k = 0; k < step.kernels.size(); ++k) step.kernels[k] = k;
  std::vector<StepFrame> steps;
  steps.push_back(std::move(step));
  return steps;
}

}  // namespace

StepMarkers::StepMarkers(const trace::Trace& trace) : by_rank_(trace.ranks.size()) {
  std::vector<std::vector<const trace::Step*>> steps(trace.ranks.size());
  for (const trace::Step& step : trace.steps) steps[trace::index_of(step.rank)].push_back(&step);
  for (std::size_t rank = 0; rank < steps.size(); ++rank)
    by_rank_[rank] = markers_that_count(trace, steps[rank]);
}

std::vector<StepFrame> step_windows(const trace::Trace& trace, const DeviceTimeline& timeline,
                                    std::span<const trace::Step> markers,
                                    std::span<const cycles::StreamCycles* const> streams,
                                    std::string_view id_prefix, EmptySteps empty) {
  std::vector<StepFrame> steps = marked_steps(trace, timeline, markers, empty);
  const auto has_kernels = [](const StepFrame& step) { return !step.kernels.empty(); };
  // Markers around none of the device's work are those of something else.
  if (std::ranges::none_of(steps, has_kernels)) steps = pass_steps(timeline, streams);
  if (steps.empty()) steps = pseudo_step(timeline);
  for (std::size_t i = 0; i < steps.size(); ++i)
    steps[i].id = std::string(id_prefix) + std::to_string(i);
  set_device_windows(timeline, steps);
  return steps;
}

}  // namespace lockstep::analysis::anomalies
