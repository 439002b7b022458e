// Joins begin and end events (B/E on a thread, b/e by id) into spans.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/diagnostics.h"
#include "trace/trace.h"

namespace lockstep::formats::chrome_json {

// Ends are collected while reading and joined at the end of the file, in time order, because
// writers do not promise any order.
class SpanPairs {
 public:
  // `lane` says what pairs with what: a thread, or the id of async events. `event.start` is the
  // time of this end; of the end of a pair only time, name and arguments count.
  // `step` names the step that the span marks, or is empty.
  void add(std::uint64_t lane, const trace::Event& event, StringId step, bool is_begin,
           std::uint64_t offset, std::span<const trace::Argument> arguments);
  void join(trace::Trace& trace, trace::RankId rank, Diagnostics& diagnostics);

 private:
  static constexpr std::uint32_t kNoArguments = 0xFFFF'FFFF;

  // Small on purpose: a file may hold millions.
  struct End {
    std::uint64_t lane = 0;
    Time time;
    std::uint64_t offset = 0;  // in the file; orders ends of one time
    std::int64_t correlation = trace::kNoCorrelation;
    StringId name{};
    StringId category{};
    StringId step{};
    trace::TrackId track{};
    std::uint32_t arguments = kNoArguments;  // index into arguments_
    trace::Kind kind = trace::Kind::kHostOp;
    bool is_begin = true;
  };

  void join_lane(std::size_t first, std::size_t last, trace::Trace& trace, trace::RankId rank,
                 Diagnostics& diagnostics);
  void add_span(const End& begin, const End& end, trace::Trace& trace, trace::RankId rank,
                Diagnostics& diagnostics) const;

  Column<End> ends_;
  std::vector<std::vector<trace::Argument>> arguments_;
};

}  // namespace lockstep::formats::chrome_json
