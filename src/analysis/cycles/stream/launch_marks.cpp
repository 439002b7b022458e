// Joins annotations and kernels through the host calls that launched them.
#include "analysis/cycles/stream/launch_marks.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/cycles/phases/annotation_phases.h"
#include "analysis/kernels/signature.h"
#include "trace/host/annotations.h"

namespace lockstep::analysis::cycles {
namespace {

// More classes than this are names of modules and operators, not of steps or passes.
constexpr std::size_t kMostClasses = 64;

// Every stream asks every class, so that there are no more of them than this.
constexpr std::size_t kMostCandidates = 1024;

using Window = trace::Window<trace::NoItem>;
using WindowsByName = std::map<std::string, std::vector<Window>>;

struct Kernel {
  Time launch;
  std::uint32_t index = 0;
};

// Kernels with a known launch, by its time.
std::vector<Kernel> by_launch(const trace::Trace& trace, const KernelStream& stream) {
  std::vector<Kernel> kernels;
  for (std::uint32_t i = 0; i < stream.size(); ++i) {
    const trace::EventId call = stream.launched_by[i];
    if (call != trace::kNoEvent) kernels.push_back({trace.events.start[trace::index_of(call)], i});
  }
  const auto before = [](const Kernel& a, const Kernel& b) {
    return std::tuple(a.launch, a.index) < std::tuple(b.launch, b.index);
  };
  if (!std::is_sorted(kernels.begin(), kernels.end(), before))
    std::sort(kernels.begin(), kernels.end(), before);
  return kernels;
}

// Window by window: of a stream that has more kernels.
void mark_by_windows(const trace::WindowIndex<>& windows, const std::vector<Kernel>& kernels,
                     MarkClass& mark) {
  const auto is_before = [](const Kernel& kernel, Time t) { return kernel.launch < t; };
  for (const Window& window : windows.all()) {
    const auto first = std::lower_bound(kernels.begin(), kernels.end(), window.start, is_before);
    const auto last = std::lower_bound(first, kernels.end(), window.end, is_before);
    if (first == last) continue;
    // The first to run is nearly always the first to be launched.
    mark.first_kernels.push_back(first->index);
    mark.kernels += static_cast<std::uint64_t>(last - first);
  }
}

// The kernels behind each window: what updates weights belongs to it too, as the scale of gradients
// does behind the optimizer itself.
void mark_behind_windows(const trace::WindowIndex<>& windows, const std::vector<Kernel>& kernels,
                         const KernelStream& stream, MarkClass& mark) {
  const auto is_before = [](const Kernel& kernel, Time t) { return kernel.launch < t; };
  for (const Window& window : windows.all()) {
    const auto first = std::lower_bound(kernels.begin(), kernels.end(), window.start, is_before);
    const auto last = std::lower_bound(first, kernels.end(), window.end, is_before);
    if (first == last) continue;
    std::uint32_t behind = (last - 1)->index + 1;
    while (behind < stream.size() &&
           stream.symbol(behind).facts.role == kernels::KernelRole::kOptimizer)
      ++behind;
    mark.first_kernels.push_back(behind);
    mark.kernels += static_cast<std::uint64_t>(last - first);
  }
}

// Kernel by kernel: thousands of streams with a kernel each need not look at all windows. The same
// kernels, for a window's first kernel is the first one behind its begin.
void mark_by_kernels(const trace::WindowIndex<>& windows, const std::vector<Kernel>& kernels,
                     MarkClass& mark) {
  Time before{std::numeric_limits<std::int64_t>::min()};
  for (const Kernel& kernel : kernels) {
    mark.kernels += windows.count_at(kernel.launch);
    const Window* const innermost = windows.innermost_at(kernel.launch);
    if (innermost != nullptr && innermost->start > before)
      mark.first_kernels.push_back(kernel.index);
    before = kernel.launch;
  }
}

// Behind the last kernel that was launched inside the last window that launched any.
std::uint32_t end_of_last(const trace::WindowIndex<>& windows, const std::vector<Kernel>& kernels) {
  const auto is_before = [](const Kernel& kernel, Time t) { return kernel.launch < t; };
  const auto all = windows.all();
  for (std::size_t i = all.size(); i-- > 0;) {
    const auto last = std::lower_bound(kernels.begin(), kernels.end(), all[i].end, is_before);
    if (last != kernels.begin() && (last - 1)->launch >= all[i].start) return (last - 1)->index + 1;
  }
  return 0;
}

void mark_kernels(const MarkWindows::Class& asked, const std::vector<Kernel>& kernels,
                  const KernelStream& stream, MarkClass& mark) {
  mark.total = asked.total;
  mark.is_step = asked.is_step;
  mark.closes = asked.closes;
  mark.last_end = end_of_last(asked.windows, kernels);
  if (asked.closes) {
    mark_behind_windows(asked.windows, kernels, stream, mark);
  } else if (kernels.size() < asked.windows.all().size()) {
    mark_by_kernels(asked.windows, kernels, mark);
  } else {
    mark_by_windows(asked.windows, kernels, mark);
  }
  std::vector<std::uint32_t>& firsts = mark.first_kernels;
  std::sort(firsts.begin(), firsts.end());
  firsts.erase(std::unique(firsts.begin(), firsts.end()), firsts.end());
}

// Only the longest are kept of so many.
void keep_candidates(WindowsByName& classes) {
  if (classes.size() <= kMostCandidates) return;
  std::vector<std::pair<WideTime, std::string>> totals;  // less is longer
  for (const auto& [name, windows] : classes) {
    WideTime total = 0;
    for (const Window& window : windows) total -= (window.end - window.start).ps;
    totals.emplace_back(total, name);
  }
  std::sort(totals.begin(), totals.end());
  for (std::size_t i = kMostCandidates; i < totals.size(); ++i) classes.erase(totals[i].second);
}

MarkWindows::Class class_of(const std::string& name, std::vector<Window> windows) {
  Time total;
  for (const Window& window : windows) total += window.end - window.start;
  const bool closes = annotated_phase(name) == PhaseName::kOptimizer;
  return {trace::WindowIndex(std::move(windows)), total, false, closes};
}

}  // namespace

MarkWindows::MarkWindows(const trace::Trace& trace) : by_rank_(trace.ranks.size()) {
  std::vector<std::map<StringId, std::vector<Window>>> by_name(trace.ranks.size());
  for (const trace::EventId event : trace::annotations_of(trace)) {
    const std::size_t i = trace::index_of(event);
    const trace::Track& track = trace.track_of(i);
    if (track.side != trace::Track::Side::kHost) continue;
    by_name[trace::index_of(trace.rank_of(track))][trace.events.name[i]].push_back(
        {trace.events.start[i], trace.events.end(i)});
  }
  for (const trace::Step& step : trace.steps)
    by_name[trace::index_of(step.rank)][step.name].push_back({step.start, step.end});
  for (std::size_t rank = 0; rank < by_name.size(); ++rank) {
    WindowsByName classes;
    for (const auto& [name, windows] : by_name[rank]) {
      std::vector<Window>& all = classes[kernels::name_without_numbers(trace.text(name))];
      all.insert(all.end(), windows.begin(), windows.end());
    }
    // One window marks nothing, and gradients are set to zero anywhere in a step.
    std::erase_if(classes, [](const auto& entry) {
      return entry.second.size() < 2 || entry.first.contains("zero_grad");
    });
    all_classes_ += classes.size();
    keep_candidates(classes);
    asked_classes_ += classes.size();
    for (auto& [name, windows] : classes) by_rank_[rank][name] = class_of(name, std::move(windows));
  }
  for (const trace::Step& step : trace.steps) {
    std::map<std::string, Class>& classes = by_rank_[trace::index_of(step.rank)];
    const auto found = classes.find(kernels::name_without_numbers(trace.text(step.name)));
    if (found != classes.end()) found->second.is_step = true;
  }
}

std::vector<MarkClass> launch_marks(const trace::Trace& trace, const MarkWindows& windows,
                                    const KernelStream& stream) {
  std::vector<MarkClass> marks;
  if (windows.of(stream.rank).empty()) return marks;
  const std::vector<Kernel> kernels = by_launch(trace, stream);
  if (kernels.empty()) return marks;
  for (const auto& [name, all] : windows.of(stream.rank)) {
    MarkClass mark;
    mark.name = name;
    mark_kernels(all, kernels, stream, mark);
    if (mark.first_kernels.size() >= 2) marks.push_back(std::move(mark));
  }
  std::stable_sort(marks.begin(), marks.end(), [](const MarkClass& a, const MarkClass& b) {
    return std::tuple(!a.is_step, !a.closes, b.total) < std::tuple(!b.is_step, !b.closes, a.total);
  });
  if (marks.size() > kMostClasses) marks.resize(kMostClasses);
  return marks;
}

std::vector<std::uint32_t> graph_launch_marks(const KernelStream& stream) {
  std::vector<std::uint32_t> marks;
  for (std::uint32_t i = 0; i < stream.size();) {
    std::uint32_t next = i + 1;
    while (next < stream.size() && stream.launched_by[next] == stream.launched_by[i]) ++next;
    if (next - i > 1 && stream.launched_by[i] != trace::kNoEvent) marks.push_back(i);
    i = next;
  }
  return marks;
}

}  // namespace lockstep::analysis::cycles
