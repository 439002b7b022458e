// Joins annotations and kernels through the host calls that launched them.
#include "analysis/cycles/stream/launch_marks.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/kernels/signature.h"

namespace lockstep::analysis::cycles {
namespace {

// More classes than this are names of modules and operators, not of steps or passes.
constexpr std::size_t kMostClasses = 64;

// Every stream asks every class, so that there are no more of them than this.
constexpr std::size_t kMostCandidates = 1024;

using Window = MarkWindows::Window;
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
void mark_by_windows(const std::vector<Window>& windows, const std::vector<Kernel>& kernels,
                     MarkClass& mark) {
  const auto is_before = [](const Kernel& kernel, Time t) { return kernel.launch < t; };
  for (const Window& window : windows) {
    const auto first = std::lower_bound(kernels.begin(), kernels.end(), window.start, is_before);
    const auto last = std::lower_bound(first, kernels.end(), window.end, is_before);
    if (first == last) continue;
    // The first to run is nearly always the first to be launched.
    mark.first_kernels.push_back(first->index);
    mark.kernels += static_cast<std::uint64_t>(last - first);
  }
}

// Kernel by kernel: thousands of streams with a kernel each need not look at all windows. The same
// kernels, for a window's first kernel is the first one behind its begin.
void mark_by_kernels(const MarkWindows::Class& windows, const std::vector<Kernel>& kernels,
                     MarkClass& mark) {
  Time before{std::numeric_limits<std::int64_t>::min()};
  for (const Kernel& kernel : kernels) {
    mark.kernels += windows.open_at(kernel.launch);
    if (windows.has_new_at(before, kernel.launch)) mark.first_kernels.push_back(kernel.index);
    before = kernel.launch;
  }
}

void mark_kernels(const MarkWindows::Class& windows, const std::vector<Kernel>& kernels,
                  MarkClass& mark) {
  mark.total = windows.total();
  if (kernels.size() < windows.windows().size()) {
    mark_by_kernels(windows, kernels, mark);
  } else {
    mark_by_windows(windows.windows(), kernels, mark);
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

}  // namespace

MarkWindows::Class::Class(std::vector<Window> windows)
    : windows_(std::move(windows)), latest_(2 * windows_.size()) {
  const auto key = [](const Window& window) { return std::tuple(window.start, window.end); };
  std::ranges::sort(windows_, {}, key);
  for (std::size_t i = 0; i < windows_.size(); ++i) {
    ends_.push_back(windows_[i].end);
    latest_[windows_.size() + i] = windows_[i].end;
    total_ += windows_[i].end - windows_[i].start;
  }
  std::ranges::sort(ends_);
  for (std::size_t i = windows_.size(); i-- > 1;)
    latest_[i] = std::max(latest_[2 * i], latest_[2 * i + 1]);
}

std::uint64_t MarkWindows::Class::open_at(Time at) const {
  const auto begun = std::ranges::upper_bound(windows_, at, {}, &Window::start) - windows_.begin();
  const auto ended = std::ranges::upper_bound(ends_, at) - ends_.begin();
  return static_cast<std::uint64_t>(begun - ended);
}

bool MarkWindows::Class::has_new_at(Time after, Time at) const {
  const auto first = std::ranges::upper_bound(windows_, after, {}, &Window::start);
  const auto last = std::ranges::upper_bound(first, windows_.end(), at, {}, &Window::start);
  const auto end = latest_end(static_cast<std::size_t>(first - windows_.begin()),
                              static_cast<std::size_t>(last - windows_.begin()));
  return end && *end > at;
}

std::optional<Time> MarkWindows::Class::latest_end(std::size_t first, std::size_t last) const {
  std::optional<Time> latest;
  const auto take = [&](std::size_t node) {
    latest = latest ? std::max(*latest, latest_[node]) : latest_[node];
  };
  for (first += windows_.size(), last += windows_.size(); first < last; first /= 2, last /= 2) {
    if (first % 2 == 1) take(first++);
    if (last % 2 == 1) take(--last);
  }
  return latest;
}

MarkWindows::MarkWindows(const trace::Trace& trace) : by_rank_(trace.ranks.size()) {
  std::vector<std::map<StringId, std::vector<Window>>> by_name(trace.ranks.size());
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    if (trace.events.kind[i] != trace::Kind::kAnnotation ||
        trace.events.shape[i] != trace::Shape::kSpan)
      continue;
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
    // One window marks nothing.
    std::erase_if(classes, [](const auto& entry) { return entry.second.size() < 2; });
    all_classes_ += classes.size();
    keep_candidates(classes);
    asked_classes_ += classes.size();
    for (auto& [name, windows] : classes) by_rank_[rank].try_emplace(name, std::move(windows));
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
    if (next - i > 1 && stream.launched_by[i] != trace::kNoEvent) marks.push_back(i);
    i = next;
  }
  return marks;
}

}  // namespace lockstep::analysis::cycles
