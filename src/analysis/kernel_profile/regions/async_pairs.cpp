// Two queues per block, event and token: begins by their earliest possible time, ends by their
// latest. Then the same per launch with what is left.
#include "analysis/kernel_profile/regions/async_pairs.h"

#include <algorithm>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "analysis/kernel_profile/clocks/saturated_time.h"

namespace lockstep::analysis::kernel_profile {

const DiagnosticKind kLoneAsyncBegin{
    "lone_async_begin", Severity::kDataLoss,
    "Asynchronous work begins and no lane of the launch has an end with its event and token."};
const DiagnosticKind kLoneAsyncEnd{
    "lone_async_end", Severity::kDataLoss,
    "Asynchronous work ends and no lane of the launch has a begin before it with its event and "
    "token."};

namespace {

// What edges must share to be paired.
struct KeyOfBlock {
  auto operator()(const TimedAsyncEdge& edge) const {
    return std::tuple(edge.launch, edge.block, edge.event, edge.token);
  }
};
struct KeyOfLaunch {
  auto operator()(const TimedAsyncEdge& edge) const {
    return std::tuple(edge.launch, edge.event, edge.token);
  }
};

// As early as a begin, or as late as an end, may have been.
WideTime reach_of(const TimedAsyncEdge& edge) {
  const WideTime band = edge.at.uncertainty.ps;
  return WideTime{edge.at.time.ps} + (edge.is_begin ? -band : band);
}

bool may_end(const TimedAsyncEdge& begin, const TimedAsyncEdge& end) {
  if (begin.lane == end.lane) return end.at.time >= begin.at.time;
  return reach_of(end) >= reach_of(begin);
}

void report(const DiagnosticKind& kind, const TimedAsyncEdge& edge, Diagnostics& findings) {
  if (findings.count_of(kind) != 0) return findings.add(kind);
  findings.add(kind, {},
               "event " + std::to_string(edge.event) + ", token " + std::to_string(edge.token) +
                   ", lane " + std::to_string(edge.lane));
}

// Begins, then ends, of one key, each in order of reach.
void pair_one_key(std::span<const TimedAsyncEdge> begins, std::span<const TimedAsyncEdge> ends,
                  std::vector<AsyncPair>& pairs, std::vector<TimedAsyncEdge>& left) {
  std::size_t next = 0;
  for (const TimedAsyncEdge& begin : begins) {
    while (next < ends.size() && !may_end(begin, ends[next])) left.push_back(ends[next++]);
    if (next == ends.size()) {
      left.push_back(begin);
      continue;
    }
    const TimedAsyncEdge& end = ends[next++];
    pairs.push_back({begin.event, begin.token, begin.lane, end.lane, begin.at, end.at});
  }
  left.insert(left.end(), ends.begin() + static_cast<std::ptrdiff_t>(next), ends.end());
}

// Gives those that are left.
template <typename Key>
std::vector<TimedAsyncEdge> pair_by(Key key, std::vector<TimedAsyncEdge> edges,
                                    std::vector<AsyncPair>& pairs) {
  std::ranges::sort(edges, {}, [&](const TimedAsyncEdge& edge) {
    return std::tuple(key(edge), !edge.is_begin, reach_of(edge), edge.at.time, edge.lane);
  });
  std::vector<TimedAsyncEdge> left;
  for (auto first = edges.begin(); first != edges.end();) {
    const auto last = std::find_if(
        first, edges.end(), [&](const TimedAsyncEdge& edge) { return key(edge) != key(*first); });
    const auto middle = std::ranges::find(first, last, false, &TimedAsyncEdge::is_begin);
    pair_one_key(std::span(first, middle), std::span(middle, last), pairs, left);
    first = last;
  }
  return left;
}

}  // namespace

std::vector<AsyncPair> pair_async_edges(std::vector<TimedAsyncEdge> edges, Diagnostics& findings) {
  std::vector<AsyncPair> pairs;
  edges = pair_by(KeyOfBlock{}, std::move(edges), pairs);
  edges = pair_by(KeyOfLaunch{}, std::move(edges), pairs);
  for (const TimedAsyncEdge& edge : edges) {
    report(edge.is_begin ? kLoneAsyncBegin : kLoneAsyncEnd, edge, findings);
  }
  std::ranges::sort(pairs, {}, [](const AsyncPair& pair) {
    return std::tuple(pair.begin.time, pair.begin_lane, pair.event, pair.token, pair.end.time,
                      pair.end_lane);
  });
  return pairs;
}

}  // namespace lockstep::analysis::kernel_profile
