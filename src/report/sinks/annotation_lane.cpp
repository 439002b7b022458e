// Own annotations carry a category that tells them from the user's.
#include "report/sinks/annotation_lane.h"

#include "trace/steps.h"

namespace lockstep::report::sinks {

void AnnotationLane::add(std::string_view name, Time start, Time duration) {
  trace::Event event;
  event.start = start;
  event.duration = duration;
  event.name = trace_.strings.intern(name);
  event.category = trace_.strings.intern(trace::kOwnAnnotationCategory);
  event.track = track();
  event.kind = trace::Kind::kAnnotation;
  trace_.events.add(event);
}

trace::TrackId AnnotationLane::track() {
  if (track_) return *track_;
  trace::Track made = trace_.tracks[trace::index_of(beside_)];
  made.id = {trace_.strings.intern(name_), false};
  made.name = made.id.text;
  track_ = trace::TrackId{static_cast<std::uint32_t>(trace_.tracks.size())};
  trace_.tracks.push_back(made);
  return *track_;
}

}  // namespace lockstep::report::sinks
