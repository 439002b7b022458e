// A track of annotations beside a stream of a trace, made when the first one comes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "trace/trace.h"

namespace lockstep::report::sinks {

class AnnotationLane {
 public:
  // In the process and on the device of track `beside`.
  AnnotationLane(trace::Trace& trace, trace::TrackId beside, std::string name)
      : trace_(trace), beside_(beside), name_(std::move(name)) {}

  void add(std::string_view name, Time start, Time duration);

 private:
  [[nodiscard]] trace::TrackId track();

  trace::Trace& trace_;
  trace::TrackId beside_;
  std::string name_;
  std::optional<trace::TrackId> track_;
};

}  // namespace lockstep::report::sinks
