// Walks through the busy pieces of a device, step by step.
#include "analysis/anomalies/evidence/bubbles.h"

#include <algorithm>

#include "algo/intervals/covering_index.h"
#include "algo/part_table.h"

namespace lockstep::analysis::anomalies {
namespace {

// Which kernels begin and end the pieces of `busy`.
struct PieceEnds {
  std::vector<std::uint32_t> first;  // by piece: the kernel that begins it
  std::vector<std::uint32_t> last;   // the one that ends it
};

PieceEnds piece_ends(const DeviceTimeline& timeline) {
  PieceEnds ends;
  std::size_t piece = 0;
  for (std::uint32_t k = 0; k < timeline.kernels.size(); ++k) {
    const DeviceWork& work = timeline.kernels[k];
    if (work.end <= work.start) continue;
    while (timeline.busy[piece].end < work.end.ps) ++piece;
    if (ends.first.size() <= piece) {
      ends.first.push_back(k);
      ends.last.push_back(k);
    } else if (work.end >= timeline.kernels[ends.last[piece]].end) {
      ends.last[piece] = k;
    }
  }
  return ends;
}

// Kernels that are not the first one of their launch: replayed by a graph.
std::vector<bool> replayed_kernels(const trace::Trace& trace, const DeviceTimeline& timeline) {
  std::vector<bool> is_replayed(timeline.kernels.size(), false);
  algo::PartTable<char> has_begun(trace.events.size(), is_replayed.size(), 0);  // by launching call
  for (std::size_t k = 0; k < timeline.kernels.size(); ++k) {
    const trace::EventId call = timeline.kernels[k].launched_by;
    if (call == trace::kNoEvent) continue;
    char& begun = has_begun[trace::index_of(call)];
    is_replayed[k] = begun != 0;
    begun = 1;
  }
  return is_replayed;
}

// The first piece that ends after `at`.
std::size_t piece_after(const std::vector<algo::Interval>& pieces, std::int64_t at) {
  const auto found = std::ranges::upper_bound(pieces, at, {}, &algo::Interval::end);
  return static_cast<std::size_t>(found - pieces.begin());
}

Time covered(const algo::CoveringIndex& covering, Time start, Time end) {
  return {static_cast<std::int64_t>(covering.length_in({start.ps, end.ps}))};
}

class GapFinder {
 public:
  GapFinder(const trace::Trace& trace, const DeviceTimeline& timeline, const Thresholds& thresholds,
            std::uint32_t step_count)
      : timeline_(timeline),
        thresholds_(thresholds),
        ends_(piece_ends(timeline)),
        is_replayed_(replayed_kernels(trace, timeline)),
        has_launches_(std::ranges::any_of(
            timeline.kernels,
            [](const DeviceWork& work) { return work.launched_by != trace::kNoEvent; })),
        step_count_(step_count),
        busy_(timeline.busy),
        any_busy_(timeline.any_busy),
        computing_(timeline.computing) {}

  MeasuredGaps take(std::uint32_t number, const StepFrame& step) {
    number_ = number;
    step_ = &step;
    gaps_ = {};
    gaps_.service = step.end - step.start;
    significant_ =
        limit_of(thresholds_.significant_us, thresholds_.significant_share, gaps_.service);
    measure_unions();
    walk();
    gaps_.prelaunch_launch = prelaunch_of_launch();
    return gaps_;
  }

  [[nodiscard]] std::vector<Gap> significant() && { return std::move(found_); }

 private:
  void measure_unions() {
    gaps_.device_busy = covered(busy_, step_->start, step_->end);
    gaps_.any_busy = covered(any_busy_, step_->start, step_->end);
    gaps_.computing = covered(computing_, step_->start, step_->end);
    gaps_.underfeed = gaps_.service - gaps_.device_busy;
    gaps_.exposed_copy = gaps_.any_busy - gaps_.device_busy;
  }

  void walk() {
    const std::vector<algo::Interval>& busy = timeline_.busy;
    const std::size_t first = piece_after(busy, step_->start.ps);
    const bool is_empty = first == busy.size() || busy[first].begin >= step_->end.ps;
    if (is_empty) {
      gaps_.prelaunch = gaps_.service;
      add(BubbleScope::kPrelaunch, first, step_->start, step_->end);
      return;
    }
    gaps_.prelaunch = {std::max<std::int64_t>(0, busy[first].begin - step_->start.ps)};
    add(BubbleScope::kPrelaunch, first, step_->start, step_->start + gaps_.prelaunch);
    std::size_t piece = first;
    while (piece + 1 < busy.size() && busy[piece + 1].begin < step_->end.ps) {
      ++piece;
      add_internal(piece, {busy[piece - 1].end}, {busy[piece].begin});
    }
    add_tail(piece + 1, {std::min(busy[piece].end, step_->end.ps)});
  }

  void add_internal(std::size_t piece, Time start, Time end) {
    const Time length = end - start;
    ++gaps_.bubble_count;
    gaps_.internal_total += length;
    gaps_.largest_internal = std::max(gaps_.largest_internal, length);
    if (is_replayed_[ends_.first[piece]]) {
      ++gaps_.dispatch_count;
      gaps_.dispatch_total += length;
      return;
    }
    add(BubbleScope::kInternal, piece, start, end);
  }

  // What lies behind the end of the marker is between two steps.
  void add_tail(std::size_t piece, Time start) {
    gaps_.tail = step_->end - start;
    const Time border = std::clamp(step_->marker_end, start, step_->end);
    gaps_.inter_step = number_ + 1 < step_count_ ? step_->end - border : Time{};
    const Time inside_end = step_->end - gaps_.inter_step;
    add(BubbleScope::kTail, piece, start, inside_end);
    add(BubbleScope::kInterStep, piece, inside_end, step_->end);
  }

  // `piece` is the one that follows.
  void add(BubbleScope scope, std::size_t piece, Time start, Time end) {
    if (end <= start || end - start < significant_) return;
    ++gaps_.significant_bubble_count;
    Gap gap;
    gap.step = number_;
    gap.scope = scope;
    gap.start = start;
    gap.end = end;
    if (piece > 0) gap.kernel_before = ends_.last[piece - 1];
    if (piece < ends_.first.size()) gap.kernel_after = ends_.first[piece];
    const auto at = std::ranges::lower_bound(step_->kernels, gap.kernel_after);
    if (at != step_->kernels.end() && *at == gap.kernel_after)
      gap.position = static_cast<std::uint32_t>(at - step_->kernels.begin());
    gap.copied = covered(any_busy_, start, end);
    gap.touches_edge = touches_edge(gap);
    found_.push_back(gap);
  }

  // The edges of a marked step are known, unless the work that ends the first gap of the first one
  // was asked for before the capture began. Others begin and end with kernels.
  [[nodiscard]] bool touches_edge(const Gap& gap) const {
    return step_->window == StepWindow::kHost && number_ == 0 &&
           gap.scope == BubbleScope::kPrelaunch && has_launches_ && gap.kernel_after != kNoKernel &&
           timeline_.kernels[gap.kernel_after].launched_by == trace::kNoEvent;
  }

  // From the end of earlier work, so that a kernel of the step before does not hide the wait.
  [[nodiscard]] Time prelaunch_of_launch() const {
    if (step_->kernels.empty()) return gaps_.service;
    const std::uint32_t own = step_->kernels.front();
    const Time begin = timeline_.kernels[own].start;
    const std::size_t piece = piece_after(timeline_.busy, begin.ps);
    const bool begins_piece =
        piece < timeline_.busy.size() && timeline_.busy[piece].begin == begin.ps;
    if (!begins_piece) return {};
    const Time earlier = piece > 0 ? Time{timeline_.busy[piece - 1].end} : step_->start;
    return std::max(Time{}, begin - std::max(step_->start, earlier));
  }

  const DeviceTimeline& timeline_;
  const Thresholds& thresholds_;
  const PieceEnds ends_;
  const std::vector<bool> is_replayed_;
  const bool has_launches_;
  const std::uint32_t step_count_;
  const algo::CoveringIndex busy_;
  const algo::CoveringIndex any_busy_;
  const algo::CoveringIndex computing_;
  std::vector<Gap> found_;
  std::uint32_t number_ = 0;
  const StepFrame* step_ = nullptr;
  MeasuredGaps gaps_;
  Time significant_;
};

}  // namespace

FoundGaps find_gaps(const trace::Trace& trace, const DeviceTimeline& timeline,
                    const Thresholds& thresholds, std::span<const StepFrame> steps) {
  GapFinder finder(trace, timeline, thresholds, static_cast<std::uint32_t>(steps.size()));
  std::vector<MeasuredGaps> by_step;
  by_step.reserve(steps.size());
  for (std::uint32_t i = 0; i < steps.size(); ++i) by_step.push_back(finder.take(i, steps[i]));
  return {std::move(by_step), std::move(finder).significant()};
}

std::vector<Bubble> join_bubbles(std::span<const Gap> gaps, GapEvidence evidence) {
  std::vector<Bubble> bubbles;
  bubbles.reserve(gaps.size());
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    bubbles.push_back({gaps[i], std::move(evidence.host[i]), evidence.launches[i],
                       evidence.artefacts[i], evidence.inside[i], evidence.labels[i]});
  }
  return bubbles;
}

bool is_heavy(const Bubble& bubble, Time service, const Thresholds& thresholds) {
  return !bubble.is_artefact() &&
         bubble.length() >= limit_of(thresholds.heavy_gap_us, thresholds.heavy_gap_share, service);
}

}  // namespace lockstep::analysis::anomalies
