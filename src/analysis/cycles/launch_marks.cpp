// Joins annotations and kernels through the host calls that launched them.
#include "analysis/cycles/launch_marks.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/kernels/signature.h"

namespace lockstep {
namespace {

// More classes than this are names of modules and operators, not of steps or passes.
constexpr std::size_t kMostClasses = 64;

using Window = MarkWindows::Window;

struct Kernel {
  Time launch;
  std::uint32_t index = 0;
};

// Kernels with a known launch, by its time.
std::vector<Kernel> by_launch(const Trace& trace, const KernelStream& stream) {
  std::vector<Kernel> kernels;
  for (std::uint32_t i = 0; i < stream.size(); ++i) {
    const EventId call = stream.launched_by[i];
    if (call != kNoEvent) kernels.push_back({trace.events.start[index_of(call)], i});
  }
  const auto before = [](const Kernel& a, const Kernel& b) {
    return std::tuple(a.launch, a.index) < std::tuple(b.launch, b.index);
  };
  if (!std::is_sorted(kernels.begin(), kernels.end(), before))
    std::sort(kernels.begin(), kernels.end(), before);
  return kernels;
}

void mark_kernels(const std::vector<Window>& windows, const std::vector<Kernel>& kernels,
                  MarkClass& mark) {
  const auto is_before = [](const Kernel& kernel, Time t) { return kernel.launch < t; };
  for (const Window& window : windows) {
    mark.total += window.end - window.start;
    const auto first = std::lower_bound(kernels.begin(), kernels.end(), window.start, is_before);
    const auto last = std::lower_bound(first, kernels.end(), window.end, is_before);
    if (first == last) continue;
    // The first to run is nearly always the first to be launched.
    mark.first_kernels.push_back(first->index);
    mark.kernels += static_cast<std::uint64_t>(last - first);
  }
  std::vector<std::uint32_t>& firsts = mark.first_kernels;
  std::sort(firsts.begin(), firsts.end());
  firsts.erase(std::unique(firsts.begin(), firsts.end()), firsts.end());
}

}  // namespace

MarkWindows::MarkWindows(const Trace& trace) : by_rank_(trace.ranks.size()) {
  std::vector<std::map<StringId, std::vector<Window>>> by_name(trace.ranks.size());
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    if (trace.events.kind[i] != Kind::kAnnotation || trace.events.shape[i] != Shape::kSpan)
      continue;
    const Track& track = trace.track_of(i);
    if (track.side != Track::Side::kHost) continue;
    by_name[index_of(trace.rank_of(track))][trace.events.name[i]].push_back(
        {trace.events.start[i], trace.events.end(i)});
  }
  for (const Step& step : trace.steps)
    by_name[index_of(step.rank)][step.name].push_back({step.start, step.end});
  for (std::size_t rank = 0; rank < by_name.size(); ++rank) {
    for (const auto& [name, windows] : by_name[rank]) {
      std::vector<Window>& all = by_rank_[rank][name_without_numbers(trace.text(name))];
      all.insert(all.end(), windows.begin(), windows.end());
    }
  }
}

std::vector<MarkClass> launch_marks(const Trace& trace, const MarkWindows& windows,
                                    const KernelStream& stream) {
  std::vector<MarkClass> marks;
  if (windows.of(stream.rank).empty()) return marks;
  const std::vector<Kernel> kernels = by_launch(trace, stream);
  if (kernels.empty()) return marks;
  for (const auto& [name, all] : windows.of(stream.rank)) {
    MarkClass mark;
    mark.name = name;
    mark_kernels(all, kernels, mark);
    if (mark.first_kernels.size() >= 2) marks.push_back(std::move(mark));
  }
  std::stable_sort(marks.begin(), marks.end(),
                   [](const MarkClass& a, const MarkClass& b) { return a.total > b.total; });
  if (marks.size() > kMostClasses) marks.resize(kMostClasses);
  return marks;
}

std::vector<std::uint32_t> graph_launch_marks(const KernelStream& stream) {
  std::vector<std::uint32_t> marks;
  for (std::uint32_t i = 0; i < stream.size();) {
    std::uint32_t next = i + 1;
    while (next < stream.size() && stream.launched_by[next] == stream.launched_by[i]) ++next;
    if (next - i > 1 && stream.launched_by[i] != kNoEvent) marks.push_back(i);
    i = next;
  }
  return marks;
}

}  // namespace lockstep
