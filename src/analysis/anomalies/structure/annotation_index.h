// The user's annotations on host threads, to be asked for by the times of launches.
#pragma once

#include <cstdint>
#include <vector>

#include "base/time.h"
#include "trace/trace.h"

namespace lockstep::analysis::anomalies {

struct HostAnnotation {
  trace::TrackId thread{};
  Time start;
  Time end;
  trace::EventId event = trace::kNoEvent;
};

// Without markers of steps and without what lockstep itself wrote. Building takes O(n log n).
class AnnotationIndex {
 public:
  AnnotationIndex() = default;
  explicit AnnotationIndex(const trace::Trace& trace);

  // Appends the annotations of `thread` that meet [first, last], outer ones before inner ones, in
  // O(log n) for each: steps that all differ ask once each, and must not read all annotations.
  void append(trace::TrackId thread, Time first, Time last,
              std::vector<HostAnnotation>& found) const;

 private:
  void append_open(std::size_t node, std::size_t node_begin, std::size_t node_end,
                   const struct OpenQuery& query, std::vector<HostAnnotation>& found) const;

  std::vector<HostAnnotation> all_;  // by thread and start, a longer one first
  // A tree over all_, node i above 2 i and 2 i + 1: the latest end below each node.
  std::vector<Time> latest_;
  std::size_t leaves_ = 0;
};

}  // namespace lockstep::analysis::anomalies
