// Stack matching of begin and end events.
#include "formats/chrome_json/map/span_pairs.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "formats/chrome_json/defects.h"

namespace lockstep::formats::chrome_json {

void SpanPairs::add(std::uint64_t lane, const trace::Event& event, StringId step, bool is_begin,
                    std::uint64_t offset, std::span<const trace::Argument> arguments) {
  End end;
  end.lane = lane;
  end.time = event.start;
  end.offset = offset;
  end.correlation = event.correlation;
  end.name = event.name;
  end.category = event.category;
  end.step = step;
  end.track = event.track;
  end.kind = event.kind;
  end.is_begin = is_begin;
  if (!arguments.empty()) {
    end.arguments = static_cast<std::uint32_t>(arguments_.size());
    arguments_.emplace_back(arguments.begin(), arguments.end());
  }
  ends_.push_back(end);
}

void SpanPairs::join(trace::Trace& trace, trace::RankId rank, Diagnostics& diagnostics) {
  std::ranges::sort(ends_, [](const End& a, const End& b) {
    return std::tuple(a.lane, a.time, a.offset) < std::tuple(b.lane, b.time, b.offset);
  });
  for (std::size_t first = 0; first < ends_.size();) {
    std::size_t last = first;
    while (last < ends_.size() && ends_[last].lane == ends_[first].lane) ++last;
    join_lane(first, last, trace, rank, diagnostics);
    first = last;
  }
  ends_ = {};
  arguments_.clear();
}

void SpanPairs::join_lane(std::size_t first, std::size_t last, trace::Trace& trace,
                          trace::RankId rank, Diagnostics& diagnostics) {
  std::vector<std::uint32_t> open;  // indices of begins, the innermost last
  std::unordered_map<StringId, std::size_t> open_names;
  const auto close_innermost = [&] {
    const std::uint32_t begin = open.back();
    open.pop_back();
    --open_names[ends_[begin].name];
    return begin;
  };
  const auto leave_unfinished = [&] {
    diagnostics.add(shared::kUnfinishedSpan, Place::byte(ends_[close_innermost()].offset));
  };
  for (std::size_t i = first; i < last; ++i) {
    const End& end = ends_[i];
    if (end.is_begin) {
      open.push_back(static_cast<std::uint32_t>(i));
      ++open_names[end.name];
      continue;
    }
    const bool is_any = end.name == kEmptyString;  // it ends whatever is innermost
    if (is_any ? open.empty() : open_names[end.name] == 0) {
      diagnostics.add(shared::kEndWithoutBegin, Place::byte(end.offset));
      continue;
    }
    // An end that names a span further out leaves those inside it unfinished.
    while (!is_any && ends_[open.back()].name != end.name) leave_unfinished();
    add_span(ends_[close_innermost()], end, trace, rank, diagnostics);
  }
  while (!open.empty()) leave_unfinished();
}

void SpanPairs::add_span(const End& begin, const End& end, trace::Trace& trace, trace::RankId rank,
                         Diagnostics& diagnostics) const {
  const WideTime duration = WideTime{end.time.ps} - begin.time.ps;
  if (duration > kMaxDistanceFromOriginPs) {
    diagnostics.add(shared::kTimeOutOfRange, Place::byte(begin.offset));
    return;
  }
  trace::Event event;
  event.start = begin.time;
  event.duration = Time{static_cast<std::int64_t>(duration)};
  event.name = begin.name;
  event.category = begin.category;
  event.track = begin.track;
  event.kind = begin.kind;
  event.correlation = begin.correlation;
  std::vector<trace::Argument> arguments;
  for (const std::uint32_t some : {begin.arguments, end.arguments}) {
    if (some == kNoArguments) continue;
    arguments.insert(arguments.end(), arguments_[some].begin(), arguments_[some].end());
  }
  trace.arguments.set(trace.events.add(event), arguments);
  if (begin.step != kEmptyString) {
    trace.steps.push_back({begin.step, rank, event.start, event.start + event.duration});
  }
}

}  // namespace lockstep::formats::chrome_json
