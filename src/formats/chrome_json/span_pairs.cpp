// Stack matching of begin and end events.
#include "formats/chrome_json/span_pairs.h"

#include <algorithm>
#include <tuple>

#include "formats/chrome_json/defects.h"

namespace lockstep::chrome_json {

void SpanPairs::join(Trace& trace, Diagnostics& diagnostics) {
  std::ranges::sort(ends_, [](const End& a, const End& b) {
    return std::tuple(a.lane, a.event.start, a.offset) <
           std::tuple(b.lane, b.event.start, b.offset);
  });
  for (std::size_t first = 0; first < ends_.size();) {
    std::size_t last = first;
    while (last < ends_.size() && ends_[last].lane == ends_[first].lane) ++last;
    join_lane(first, last, trace, diagnostics);
    first = last;
  }
  ends_.clear();
}

void SpanPairs::join_lane(std::size_t first, std::size_t last, Trace& trace,
                          Diagnostics& diagnostics) {
  std::vector<End*> open;
  const auto matches = [](const End* begin, const End& end) {
    return end.event.name == kEmptyString || begin->event.name == end.event.name;
  };
  for (std::size_t i = first; i < last; ++i) {
    End& end = ends_[i];
    if (end.is_begin) {
      open.push_back(&end);
      continue;
    }
    // An end that names a span further out leaves those inside it unfinished.
    const auto begin = std::find_if(open.rbegin(), open.rend(),
                                    [&](const End* candidate) { return matches(candidate, end); });
    if (begin == open.rend()) {
      diagnostics.add(kEndWithoutBegin, Place::byte(end.offset));
      continue;
    }
    while (open.back() != *begin) {
      diagnostics.add(kUnfinishedSpan, Place::byte(open.back()->offset));
      open.pop_back();
    }
    End* const start = open.back();
    open.pop_back();
    const WideTime duration = WideTime{end.event.start.ps} - start->event.start.ps;
    if (duration > kMaxDistanceFromOriginPs) {
      diagnostics.add(kTimeOutOfRange, Place::byte(start->offset));
      continue;
    }
    start->event.duration = Time{static_cast<std::int64_t>(duration)};
    std::vector<Argument> arguments = std::move(start->arguments);
    arguments.insert(arguments.end(), end.arguments.begin(), end.arguments.end());
    trace.arguments.set(trace.events.add(start->event), arguments);
  }
  for (const End* unfinished : open)
    diagnostics.add(kUnfinishedSpan, Place::byte(unfinished->offset));
}

}  // namespace lockstep::chrome_json
