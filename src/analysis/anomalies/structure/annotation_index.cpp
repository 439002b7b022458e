// Sorted annotations under a tree of latest ends.
#include "analysis/anomalies/structure/annotation_index.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <tuple>

#include "trace/steps.h"

namespace lockstep::analysis::anomalies {
namespace {

constexpr Time kNever{std::numeric_limits<std::int64_t>::min()};

std::vector<HostAnnotation> annotations_of(const trace::Trace& trace) {
  std::vector<HostAnnotation> annotations;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    if (trace.events.kind[i] != trace::Kind::kAnnotation) continue;
    if (trace::is_step_name(trace.text(trace.events.name[i]))) continue;
    if (trace.text(trace.events.category[i]) == trace::kOwnAnnotationCategory) continue;
    annotations.push_back({trace.events.track[i], trace.events.start[i], trace.events.end(i),
                           trace::EventId{static_cast<std::uint32_t>(i)}});
  }
  std::ranges::sort(annotations, [](const HostAnnotation& a, const HostAnnotation& b) {
    return std::tuple(a.thread, a.start, b.end, a.event) <
           std::tuple(b.thread, b.start, a.end, b.event);
  });
  return annotations;
}

}  // namespace

// Annotations [begin, end) of the sorted ones that end after `after`.
struct OpenQuery {
  std::size_t begin = 0;
  std::size_t end = 0;
  Time after;
};

AnnotationIndex::AnnotationIndex(const trace::Trace& trace)
    : all_(annotations_of(trace)), leaves_(std::bit_ceil(all_.size())) {
  latest_.assign(2 * leaves_, kNever);
  for (std::size_t i = 0; i < all_.size(); ++i) latest_[leaves_ + i] = all_[i].end;
  for (std::size_t i = leaves_; i-- > 1;) latest_[i] = std::max(latest_[2 * i], latest_[2 * i + 1]);
}

void AnnotationIndex::append_open(std::size_t node, std::size_t node_begin, std::size_t node_end,
                                  const OpenQuery& query,
                                  std::vector<HostAnnotation>& found) const {
  if (node_begin >= query.end || node_end <= query.begin || latest_[node] <= query.after) return;
  if (node >= leaves_) {
    found.push_back(all_[node_begin]);
    return;
  }
  const std::size_t middle = node_begin + (node_end - node_begin) / 2;
  append_open(2 * node, node_begin, middle, query, found);
  append_open(2 * node + 1, middle, node_end, query, found);
}

void AnnotationIndex::append(trace::TrackId thread, Time first, Time last,
                             std::vector<HostAnnotation>& found) const {
  if (all_.empty()) return;
  const auto begin = std::ranges::lower_bound(all_, thread, {}, &HostAnnotation::thread);
  const auto end = std::ranges::upper_bound(
      all_, std::pair(thread, last), {},
      [](const HostAnnotation& one) { return std::pair(one.thread, one.start); });
  const OpenQuery query{static_cast<std::size_t>(begin - all_.begin()),
                        static_cast<std::size_t>(end - all_.begin()), first};
  append_open(1, 0, leaves_, query, found);
}

}  // namespace lockstep::analysis::anomalies
