// Two passes over the events: which lie in a window, and which of those hold others.
#include "report/anomalies/host_marks.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "analysis/anomalies/evidence/host_calls.h"

namespace lockstep::report::anomalies {
namespace {

bool is_host_work(trace::Kind kind) {
  return kind == trace::Kind::kHostOp || kind == trace::Kind::kRuntimeCall ||
         kind == trace::Kind::kSynchronize || kind == trace::Kind::kPython ||
         kind == trace::Kind::kOverhead;
}

std::string_view sign_of(analysis::anomalies::HostCall call, trace::Kind kind) {
  if (kind == trace::Kind::kOverhead) return "x";
  if (call == analysis::anomalies::HostCall::kSynchronize ||
      call == analysis::anomalies::HostCall::kCopy)
    return "s";
  if (call == analysis::anomalies::HostCall::kCommunication) return "c";
  if (kind == trace::Kind::kSynchronize) return "s";
  if (kind == trace::Kind::kRuntimeCall) return "r";
  return kind == trace::Kind::kPython ? "p" : "o";
}

class HostMarks {
 public:
  HostMarks(const trace::Trace& trace, trace::RankId rank, std::span<const HostWindow> windows)
      : trace_(trace), rank_(rank), windows_(windows), order_(windows.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::sort(order_, {}, [&](std::size_t i) { return windows_[i].time.begin; });
    std::int64_t reached = 0;
    for (const std::size_t i : order_) {
      reached = reach_.empty() ? windows_[i].time.end : std::max(reached, windows_[i].time.end);
      reach_.push_back(reached);
    }
  }

  [[nodiscard]] std::vector<std::vector<DrawnSpan>> find() {
    std::vector<std::vector<DrawnSpan>> marks(windows_.size());
    if (windows_.empty()) return marks;
    collect();
    find_holders();
    analysis::anomalies::HostCalls calls(trace_.strings);
    // Shorter ones later: what lies inside is drawn over what lies around.
    std::ranges::sort(found_, std::ranges::greater{}, [&](const Found& one) {
      return std::tuple(trace_.events.duration[one.event], one.event);
    });
    for (const Found& one : found_) {
      const trace::Kind kind = trace_.events.kind[one.event];
      const std::string_view sign =
          one.is_holder ? "-" : sign_of(calls.of(trace_.events.name[one.event], kind), kind);
      marks[one.window].push_back(
          {trace_.events.start[one.event], trace_.events.end(one.event), sign});
    }
    return marks;
  }

 private:
  struct Found {
    std::size_t event = 0;
    std::size_t window = 0;
    bool is_holder = false;
  };

  template <typename Use>
  void each_host_event(Use use) const {
    for (std::size_t i = 0; i < trace_.events.size(); ++i) {
      if (!is_host_work(trace_.events.kind[i]) || trace_.events.shape[i] != trace::Shape::kSpan)
        continue;
      const trace::Track& track = trace_.track_of(i);
      if (track.side != trace::Track::Side::kHost || trace_.rank_of(track) != rank_) continue;
      use(i);
    }
  }

  void collect() {
    each_host_event([&](std::size_t i) {
      const std::int64_t start = trace_.events.start[i].ps;
      const std::int64_t end = trace_.events.end(i).ps;
      auto last = std::ranges::lower_bound(order_, end, {},
                                           [&](std::size_t w) { return windows_[w].time.begin; });
      for (auto at = last - order_.begin();
           at > 0 && reach_[static_cast<std::size_t>(at - 1)] > start; --at) {
        const std::size_t window = order_[static_cast<std::size_t>(at - 1)];
        if (windows_[window].time.end <= start) continue;
        if (trace_.events.duration[i] > windows_[window].longest) continue;
        found_.push_back({i, window, false});
      }
    });
  }

  // Of what was found: the events that another one of their thread lies inside of. It is enough to
  // ask the nearest one that was found: events nest, so one around that holds it already.
  void find_holders() {
    const auto key = [&](std::size_t event) {
      return std::tuple(trace_.events.track[event], trace_.events.start[event],
                        Time{} - trace_.events.duration[event], event);
    };
    std::vector<std::size_t> events;
    for (const Found& one : found_) events.push_back(one.event);
    std::ranges::sort(events, {}, key);
    const auto repeated = std::ranges::unique(events);
    events.erase(repeated.begin(), repeated.end());
    std::vector<bool> is_holder(events.size(), false);
    each_host_event([&](std::size_t i) {
      const auto after = std::ranges::lower_bound(events, key(i), {}, key);
      if (after == events.begin()) return;
      const std::size_t before = *(after - 1);
      if (trace_.events.track[before] != trace_.events.track[i] || !holds(before, i)) return;
      is_holder[static_cast<std::size_t>(after - 1 - events.begin())] = true;
    });
    for (Found& one : found_) {
      const auto at = std::ranges::lower_bound(events, key(one.event), {}, key) - events.begin();
      one.is_holder = is_holder[static_cast<std::size_t>(at)];
    }
  }

  // `outer` stands before `inner` in the order of its thread.
  [[nodiscard]] bool holds(std::size_t outer, std::size_t inner) const {
    return trace_.events.end(outer) >= trace_.events.end(inner) &&
           trace_.events.end(outer) > trace_.events.start[inner];
  }

  const trace::Trace& trace_;
  trace::RankId rank_;
  std::span<const HostWindow> windows_;
  std::vector<std::size_t> order_;   // windows by begin
  std::vector<std::int64_t> reach_;  // the latest end up to there
  std::vector<Found> found_;
};

}  // namespace

std::vector<std::vector<DrawnSpan>> host_marks(const trace::Trace& trace, trace::RankId rank,
                                               std::span<const HostWindow> windows) {
  return HostMarks(trace, rank, windows).find();
}

}  // namespace lockstep::report::anomalies
