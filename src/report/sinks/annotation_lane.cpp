// Own annotations carry a category that tells them from the user's.
#include "report/sinks/annotation_lane.h"

#include "trace/steps.h"

namespace lockstep {

void AnnotationLane::add(std::string_view name, Time start, Time duration) {
  Event event;
  event.start = start;
  event.duration = duration;
  event.name = trace_.strings.intern(name);
  event.category = trace_.strings.intern(kOwnAnnotationCategory);
  event.track = track();
  event.kind = Kind::kAnnotation;
  trace_.events.add(event);
}

TrackId AnnotationLane::track() {
  if (track_) return *track_;
  Track made = trace_.tracks[index_of(beside_)];
  made.id = {trace_.strings.intern(name_), false};
  made.name = made.id.text;
  track_ = TrackId{static_cast<std::uint32_t>(trace_.tracks.size())};
  trace_.tracks.push_back(made);
  return *track_;
}

}  // namespace lockstep
