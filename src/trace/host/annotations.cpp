// One pass over the kinds of events.
#include "trace/host/annotations.h"

#include <optional>

#include "trace/steps.h"

namespace lockstep::trace {

std::vector<EventId> annotations_of(const Trace& trace) {
  const EventTable& events = trace.events;
  const std::optional<StringId> own = trace.strings.find(kOwnAnnotationCategory);
  std::vector<EventId> annotations;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events.kind[i] != Kind::kAnnotation || events.shape[i] != Shape::kSpan) continue;
    if (own && events.category[i] == *own) continue;
    annotations.push_back(EventId{static_cast<std::uint32_t>(i)});
  }
  return annotations;
}

}  // namespace lockstep::trace
