// One walk over the leaves of every thread, as bubbles come in the order of time.
#include "analysis/anomalies/evidence/host_evidence.h"

#include <algorithm>
#include <tuple>

#include "algo/intervals/covering_index.h"

namespace lockstep::analysis::anomalies {
namespace {

struct SeenOp {
  std::int64_t overlap = 0;
  std::int64_t begin = 0;
  trace::EventId event = trace::kNoEvent;
};

// Of equals the earlier one, whatever the order of the file.
bool is_seen_longer(const SeenOp& a, const SeenOp& b) {
  if (a.overlap != b.overlap) return a.overlap > b.overlap;
  return std::tie(a.begin, a.event) < std::tie(b.begin, b.event);
}

// One event without others inside.
struct HostLeaf {
  std::int64_t begin = 0;  // behind the leaf before, where two overlap
  std::int64_t end = 0;
  trace::EventId event = trace::kNoEvent;
  trace::Kind kind = trace::Kind::kHostOp;
};

HostLeaf leaf_at(const trace::Trace& trace, const HostThread& thread, std::size_t i) {
  const trace::EventId event = thread.leaves[i];
  const std::size_t row = trace::index_of(event);
  std::int64_t begin = trace.events.start[row].ps;
  if (i > 0) begin = std::max(begin, trace.events.end(trace::index_of(thread.leaves[i - 1])).ps);
  return {begin, trace.events.end(row).ps, event, trace.events.kind[row]};
}

// What was seen in one gap.
class GapView {
 public:
  GapView(const StepFrame& step, const Gap& gap) : step_(step), gap_(gap) {}

  void add_leaf(const HostLeaf& leaf) {
    if (spans_step(leaf)) return;
    const algo::Interval part{std::max(leaf.begin, gap_.start.ps), std::min(leaf.end, gap_.end.ps)};
    if (part.is_empty()) return;
    all_.push_back(part);
    over_threads_ += part.end - part.begin;
    if (leaf.kind == trace::Kind::kPython) python_.push_back(part);
    note({part.end - part.begin, part.begin, leaf.event});
  }

  void add_marks(const HostThread& thread) {
    append(thread.syncs, syncs_);
    append(thread.comms, comms_);
  }

  [[nodiscard]] HostCoverage coverage(const algo::CoveringIndex& overhead) const {
    HostCoverage seen;
    seen.host_covered = union_of(all_);
    seen.sync_covered = union_of(syncs_);
    seen.comm_covered = union_of(comms_);
    seen.python_covered = union_of(python_);
    seen.overhead_covered = {
        static_cast<std::int64_t>(overhead.length_in({gap_.start.ps, gap_.end.ps}))};
    if (seen.host_covered.ps > 0) {
      seen.host_parallelism =
          static_cast<double>(over_threads_) / static_cast<double>(seen.host_covered.ps);
    }
    for (const SeenOp& op : longest_) seen.evidence_ops.push_back(op.event);
    return seen;
  }

 private:
  // Calls of the runtime that last a whole step are what it waits for; frames and operators around
  // it say nothing.
  [[nodiscard]] bool spans_step(const HostLeaf& leaf) const {
    const bool is_frame = leaf.kind == trace::Kind::kPython || leaf.kind == trace::Kind::kHostOp;
    return is_frame && leaf.begin <= step_.start.ps && leaf.end >= step_.end.ps;
  }

  void note(SeenOp op) {
    longest_.insert(std::ranges::lower_bound(longest_, op, is_seen_longer), op);
    if (longest_.size() > kEvidenceOps) longest_.pop_back();
  }

  void append(const std::vector<algo::Interval>& covering,
              std::vector<algo::Interval>& parts) const {
    auto piece = std::ranges::upper_bound(covering, gap_.start.ps, {}, &algo::Interval::end);
    for (; piece != covering.end() && piece->begin < gap_.end.ps; ++piece)
      parts.push_back({std::max(piece->begin, gap_.start.ps), std::min(piece->end, gap_.end.ps)});
  }

  [[nodiscard]] static Time union_of(const std::vector<algo::Interval>& parts) {
    return {static_cast<std::int64_t>(algo::union_length(parts))};
  }

  const StepFrame& step_;
  const Gap& gap_;
  std::vector<algo::Interval> all_;
  std::vector<algo::Interval> python_;
  std::vector<algo::Interval> syncs_;
  std::vector<algo::Interval> comms_;
  std::vector<SeenOp> longest_;
  std::int64_t over_threads_ = 0;
};

// The innermost event of a thread that spans at least half of a gap.
trace::EventId op_around(const trace::Trace& trace, const HostThread& thread, const StepFrame& step,
                         const Gap& gap) {
  const Time middle{gap.start.ps + gap.length().ps / 2};
  const auto start_of = [&](trace::EventId e) { return trace.events.start[trace::index_of(e)]; };
  const auto after = std::ranges::upper_bound(thread.events, middle, {}, start_of);
  auto i = static_cast<std::int32_t>(after - thread.events.begin()) - 1;
  for (std::size_t looked_at = 0; i >= 0 && looked_at < kMostCallsAround;
       i = thread.parents[static_cast<std::size_t>(i)], ++looked_at) {
    const trace::EventId event = thread.events[static_cast<std::size_t>(i)];
    const Time from = std::max(start_of(event), gap.start);
    const Time to = std::min(trace.events.end(trace::index_of(event)), gap.end);
    if (2 * (to - from).ps < gap.length().ps) continue;
    const bool spans_step =
        start_of(event) <= step.start && trace.events.end(trace::index_of(event)) >= step.end;
    return spans_step ? trace::kNoEvent : event;
  }
  return trace::kNoEvent;
}

}  // namespace

std::vector<HostCoverage> host_coverage(const trace::Trace& trace, const HostIndex& host,
                                        std::span<const StepFrame> steps,
                                        std::span<const Gap> gaps) {
  const algo::CoveringIndex overhead(host.overhead);
  const auto end_of = [&](trace::EventId event) {
    return trace.events.end(trace::index_of(event));
  };
  const auto start_of = [&](trace::EventId event) {
    return trace.events.start[trace::index_of(event)];
  };
  std::vector<HostCoverage> found;
  found.reserve(gaps.size());
  std::vector<std::size_t> next(host.evidence.size(), 0);  // leaf of each thread
  for (const Gap& gap : gaps) {
    GapView view(steps[gap.step], gap);
    for (std::size_t t = 0; t < host.evidence.size(); ++t) {
      const HostThread& thread = host.threads[host.evidence[t]];
      const std::vector<trace::EventId>& leaves = thread.leaves;
      const auto from = leaves.begin() + static_cast<std::ptrdiff_t>(next[t]);
      next[t] = static_cast<std::size_t>(
          std::ranges::upper_bound(from, leaves.end(), gap.start, {}, end_of) - leaves.begin());
      for (std::size_t j = next[t]; j < leaves.size() && start_of(leaves[j]) < gap.end; ++j)
        view.add_leaf(leaf_at(trace, thread, j));
      view.add_marks(thread);
    }
    found.push_back(view.coverage(overhead));
  }
  return found;
}

std::vector<trace::EventId> ops_inside(const trace::Trace& trace, const HostIndex& host,
                                       std::span<const StepFrame> steps, std::span<const Gap> gaps,
                                       std::span<const LaunchSplit> launches) {
  std::vector<trace::EventId> found(gaps.size(), trace::kNoEvent);
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    const StepFrame& step = steps[gaps[i].step];
    // The thread that launches what comes next knows best.
    if (launches[i].launch_call != trace::kNoEvent) {
      const HostThread* thread = host.thread_of(trace, launches[i].launch_call);
      if (thread != nullptr) found[i] = op_around(trace, *thread, step, gaps[i]);
    }
    for (const std::uint32_t t : host.evidence) {
      if (found[i] != trace::kNoEvent) break;
      found[i] = op_around(trace, host.threads[t], step, gaps[i]);
    }
  }
  return found;
}

std::vector<std::uint64_t> count_python_frames(const HostIndex& host,
                                               std::span<const StepFrame> steps) {
  std::vector<std::uint64_t> counts(steps.size(), 0);
  for (std::size_t s = 0; s < steps.size(); ++s) {
    for (const std::uint32_t t : host.evidence) {
      const HostThread& thread = host.threads[t];
      const auto first = std::ranges::lower_bound(thread.python_starts, steps[s].start);
      const auto last = std::ranges::lower_bound(thread.python_starts, steps[s].end);
      counts[s] += static_cast<std::uint64_t>(last - first);
    }
  }
  return counts;
}

}  // namespace lockstep::analysis::anomalies
