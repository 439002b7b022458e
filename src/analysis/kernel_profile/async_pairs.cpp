// Two queues per launch, event and token: begins by their earliest possible time, ends by their
// latest.
#include "analysis/kernel_profile/async_pairs.h"

#include <algorithm>
#include <span>
#include <string>
#include <tuple>

#include "analysis/kernel_profile/saturated_time.h"

namespace lockstep {

const DiagnosticKind kLoneAsyncBegin{
    "lone_async_begin", Severity::kDataLoss,
    "Asynchronous work begins and no lane of the launch has an end with its event and token."};
const DiagnosticKind kLoneAsyncEnd{
    "lone_async_end", Severity::kDataLoss,
    "Asynchronous work ends and no lane of the launch has a begin before it with its event and "
    "token."};

namespace {

auto key_of(const TimedAsyncEdge& edge) { return std::tuple(edge.launch, edge.event, edge.token); }

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
                  std::vector<AsyncPair>& pairs, Diagnostics& findings) {
  std::size_t next = 0;
  for (const TimedAsyncEdge& begin : begins) {
    while (next < ends.size() && !may_end(begin, ends[next])) {
      report(kLoneAsyncEnd, ends[next++], findings);
    }
    if (next == ends.size()) {
      report(kLoneAsyncBegin, begin, findings);
      continue;
    }
    const TimedAsyncEdge& end = ends[next++];
    pairs.push_back({begin.event, begin.token, begin.lane, end.lane, begin.at, end.at});
  }
  for (; next < ends.size(); ++next) report(kLoneAsyncEnd, ends[next], findings);
}

}  // namespace

std::vector<AsyncPair> pair_async_edges(std::vector<TimedAsyncEdge> edges, Diagnostics& findings) {
  std::ranges::sort(edges, {}, [](const TimedAsyncEdge& edge) {
    return std::tuple(edge.launch, edge.event, edge.token, !edge.is_begin, reach_of(edge),
                      edge.at.time, edge.lane);
  });
  std::vector<AsyncPair> pairs;
  for (auto first = edges.begin(); first != edges.end();) {
    const auto last = std::find_if(first, edges.end(), [&](const TimedAsyncEdge& edge) {
      return key_of(edge) != key_of(*first);
    });
    const auto middle = std::ranges::find(first, last, false, &TimedAsyncEdge::is_begin);
    pair_one_key(std::span(first, middle), std::span(middle, last), pairs, findings);
    first = last;
  }
  std::ranges::sort(pairs, {}, [](const AsyncPair& pair) {
    return std::tuple(pair.begin.time, pair.begin_lane, pair.event, pair.token, pair.end.time,
                      pair.end_lane);
  });
  return pairs;
}

}  // namespace lockstep
