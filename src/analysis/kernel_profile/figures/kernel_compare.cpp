// Events of two summaries matched by name or number, and their figures subtracted.
#include "analysis/kernel_profile/figures/kernel_compare.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "algo/statistics/series_difference.h"
#include "algo/statistics/significance.h"
#include "algo/statistics/statistics.h"
#include "analysis/kernel_profile/clocks/saturated_time.h"

namespace lockstep::analysis::kernel_profile {
namespace {

constexpr DiagnosticKind kUnlikeTime{
    "compared_unlike_time", Severity::kError,
    "One profile has time and the other only cycles; their durations cannot be subtracted."};
constexpr DiagnosticKind kUnlikeLaunches{
    "compared_unlike_launches", Severity::kInfo,
    "The profiles hold different numbers of launches or lanes; totals differ for that alone, look "
    "at p50 and at the time per launch."};

using Match = std::pair<const EventStatistics*, const EventStatistics*>;

bool has_given_name(const trace::KernelProfile& profile, std::uint32_t event) {
  return event < profile.event_names.size() && !profile.event_names[event].empty();
}

std::vector<const EventStatistics*> by_event(const KernelSummary& summary) {
  std::vector<const EventStatistics*> events;
  for (const EventStatistics& event : summary.events) events.push_back(&event);
  std::ranges::sort(events, {}, &EventStatistics::event);
  return events;
}

// First all pairs of equal given names (of events that share one, in order of their numbers), then
// of what is left those of equal numbers where a side has no name to contradict.
std::vector<Match> match_events(const KernelCompareSide& a, const KernelCompareSide& b) {
  const auto events_a = by_event(*a.summary);
  const auto events_b = by_event(*b.summary);
  std::vector<bool> is_taken_a(events_a.size());
  std::vector<bool> is_taken_b(events_b.size());
  std::vector<Match> matches;
  const auto take = [&](std::size_t i, std::size_t j) {
    matches.emplace_back(events_a[i], events_b[j]);
    is_taken_a[i] = true;
    is_taken_b[j] = true;
  };
  std::multimap<std::string_view, std::size_t> named;  // keeps equal names in order
  for (std::size_t j = 0; j < events_b.size(); ++j) {
    const std::uint32_t event = events_b[j]->event;
    if (has_given_name(*b.profile, event)) named.emplace(b.profile->event_names[event], j);
  }
  for (std::size_t i = 0; i < events_a.size(); ++i) {
    const std::uint32_t event = events_a[i]->event;
    if (!has_given_name(*a.profile, event)) continue;
    const std::string_view name = a.profile->event_names[event];
    const auto found = named.lower_bound(name);
    if (found == named.end() || found->first != name) continue;
    take(i, found->second);
    named.erase(found);
  }
  for (std::size_t i = 0, j = 0; i < events_a.size(); ++i) {
    const std::uint32_t event = events_a[i]->event;
    while (j < events_b.size() && events_b[j]->event < event) ++j;
    if (is_taken_a[i] || j == events_b.size() || events_b[j]->event != event) continue;
    if (is_taken_b[j]) continue;
    if (!has_given_name(*a.profile, event) || !has_given_name(*b.profile, event)) take(i, j);
  }
  for (std::size_t i = 0; i < events_a.size(); ++i) {
    if (!is_taken_a[i]) matches.emplace_back(events_a[i], nullptr);
  }
  for (std::size_t j = 0; j < events_b.size(); ++j) {
    if (!is_taken_b[j]) matches.emplace_back(nullptr, events_b[j]);
  }
  return matches;
}

TimeChange change_of(Time a, Time b) {
  TimeChange change{.delta = saturated_time(WideTime{b.ps} - a.ps), .ratio = {}};
  if (a.ps != 0) change.ratio = static_cast<double>(b.ps) / static_cast<double>(a.ps);
  return change;
}

Time shared_out(Time total, std::size_t parts) {
  return parts == 0 ? Time{} : Time{total.ps / static_cast<std::int64_t>(parts)};
}

Time mean_launch_time(const KernelSummary& summary) {
  WideTime total = 0;
  for (const LaunchResult& launch : summary.launches)
    total += time_between(launch.start, launch.end).ps;
  return shared_out(saturated_time(total), summary.launches.size());
}

Time mean_lane_time(const KernelSummary& summary) {
  WideTime total = 0;
  for (const LaneResult& lane : summary.lanes) total += time_between(lane.start, lane.end).ps;
  return shared_out(saturated_time(total), summary.lanes.size());
}

// The step of the coarser clock, in ps: lanes that differ by less say nothing.
double resolution_of(const KernelCompareSide& a, const KernelCompareSide& b) {
  return std::max(a.summary->time.tick_ns, b.summary->time.tick_ns) * kPicosecondsPerNanosecond;
}

EventChange change_of(const Match& match, const KernelCompareSide& a, const KernelCompareSide& b) {
  EventChange change;
  const EventStatistics none;
  const EventStatistics& left = match.first != nullptr ? *match.first : none;
  const EventStatistics& right = match.second != nullptr ? *match.second : none;
  change.name = match.first != nullptr ? a.profile->event_name(left.event)
                                       : b.profile->event_name(right.event);
  if (match.first != nullptr && !has_given_name(*a.profile, left.event) && match.second != nullptr)
    change.name = b.profile->event_name(right.event);
  if (match.first != nullptr) change.a = left;
  if (match.second != nullptr) change.b = right;
  change.total = change_of(left.total, right.total);
  change.per_launch = change_of(shared_out(left.total, a.summary->launches.size()),
                                shared_out(right.total, b.summary->launches.size()));
  change.count_delta =
      saturated(static_cast<WideTime>(right.count) - static_cast<WideTime>(left.count));
  if (!change.a || !change.b) return change;
  change.p50 = change_of(left.p50, right.p50);
  change.p95 = change_of(left.p95, right.p95);
  change.share_delta = right.lane_share - left.lane_share;
  change.p = algo::difference_p(left.lane_means, right.lane_means, resolution_of(a, b));
  return change;
}

void judge(std::vector<EventChange>& events, const KernelCompareOptions& options,
           double resolution) {
  std::vector<double> p;
  for (const EventChange& event : events) {
    if (event.p) p.push_back(*event.p);
  }
  const std::vector<double> adjusted = algo::adjust_for_many(p);
  const algo::DifferenceLimits limits{.share = options.min_change, .floor = resolution};
  std::size_t next = 0;
  for (EventChange& event : events) {
    if (!event.p) continue;
    event.adjusted_p = adjusted[next++];
    event.is_significant = *event.adjusted_p <= options.false_discovery_rate &&
                           limits.allow(static_cast<double>(algo::median(event.a->lane_means)),
                                        static_cast<double>(algo::median(event.b->lane_means)));
  }
}

void report(const KernelCompareSide& a, const KernelCompareSide& b, Diagnostics& findings) {
  const bool has_time_a = a.summary->time.source != TimeSource::kCycles;
  const bool has_time_b = b.summary->time.source != TimeSource::kCycles;
  if (has_time_a != has_time_b) findings.add(kUnlikeTime);
  if (a.summary->launches.size() != b.summary->launches.size() ||
      a.summary->lanes.size() != b.summary->lanes.size()) {
    findings.add(kUnlikeLaunches);
  }
}

}  // namespace

KernelComparison compare_kernels(const KernelCompareSide& a, const KernelCompareSide& b,
                                 const KernelCompareOptions& options, Diagnostics& findings) {
  report(a, b, findings);
  KernelComparison comparison;
  for (const Match& match : match_events(a, b)) {
    comparison.events.push_back(change_of(match, a, b));
    comparison.only_a += match.second == nullptr ? 1 : 0;
    comparison.only_b += match.first == nullptr ? 1 : 0;
  }
  judge(comparison.events, options, resolution_of(a, b));
  const auto size_of = [](Time delta) { return delta.ps < 0 ? -WideTime{delta.ps} : delta.ps; };
  std::ranges::stable_sort(comparison.events, {}, [&](const EventChange& event) {
    return std::tuple(-size_of(event.total.delta), event.name);
  });
  comparison.launch_time = change_of(mean_launch_time(*a.summary), mean_launch_time(*b.summary));
  comparison.lane_time = change_of(mean_lane_time(*a.summary), mean_lane_time(*b.summary));
  comparison.significant = static_cast<std::uint64_t>(
      std::ranges::count_if(comparison.events, &EventChange::is_significant));
  return comparison;
}

}  // namespace lockstep::analysis::kernel_profile
