// Tracks are made when their first event comes.
#include "report/cycles/cycles_annotate.h"

#include <array>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "report/cycles/cycles_view.h"
#include "report/sinks/annotation_lane.h"

namespace lockstep::report::cycles {
namespace {

enum class Lane : std::uint8_t { kPhases, kPasses, kLayers, kOutliers };
constexpr std::array<std::string_view, 4> kLaneNames = {"lockstep phases", "lockstep passes",
                                                        "lockstep layers", "lockstep outliers"};

// Where the iterations of a loop are shown; nothing for loops inside layers.
std::optional<Lane> lane_of(const analysis::cycles::NestLoop& nest,
                            const analysis::cycles::Loop& loop) {
  switch (loop.role) {
    case analysis::cycles::LoopRole::kRequest:
    case analysis::cycles::LoopRole::kRound:
    case analysis::cycles::LoopRole::kStep:
    case analysis::cycles::LoopRole::kMicroStep:
    case analysis::cycles::LoopRole::kPass:
      return Lane::kPasses;
    case analysis::cycles::LoopRole::kLayer:
      return Lane::kLayers;
    case analysis::cycles::LoopRole::kUnknown:
      return nest.parent == analysis::cycles::kNoLoop ? std::optional(Lane::kPasses) : std::nullopt;
    case analysis::cycles::LoopRole::kInner:
      break;
  }
  return std::nullopt;
}

class StreamAnnotator {
 public:
  StreamAnnotator(const analysis::cycles::StreamCycles& cycles, trace::Trace& trace)
      : cycles_(cycles) {
    for (const std::string_view name : kLaneNames) {
      lanes_.emplace_back(trace, cycles.stream.track,
                          fmt::format("{} of stream {}", name, cycles.stream.stream_id));
    }
  }

  void add_all() {
    for (const analysis::cycles::PhaseSpan& span : cycles_.phases) add_phase(span);
    for (std::size_t i = 0; i < cycles_.loops.size(); ++i) {
      const analysis::cycles::Loop& loop = cycles_.loops[i];
      const std::optional<Lane> lane = lane_of(cycles_.nest.loops[i], loop);
      if (lane) add_iterations(loop, *lane);
      if (lane) add_outliers(loop);
    }
  }

 private:
  void add_phase(const analysis::cycles::PhaseSpan& span) {
    if (span.start >= span.end) return;
    add(Lane::kPhases, name_of(span.phase), cycles_.stream.starts[span.start],
        wall_of(cycles_.stream, span.start, span.end));
  }

  void add_iterations(const analysis::cycles::Loop& loop, Lane lane) {
    const std::string words = loop_words(loop);
    // Passes are numbered through, layers from 1 in each pass.
    std::uint32_t number = 0;
    std::uint32_t expected = 0;
    for (const analysis::cycles::IterationTime& one : loop.iterations) {
      if (lane == Lane::kLayers && one.kernels.start != expected) number = 0;
      expected = one.kernels.end;
      ++number;
      add(lane, fmt::format("{} {}", words, number), one.start, one.wall);
    }
  }

  void add_outliers(const analysis::cycles::Loop& loop) {
    for (const analysis::cycles::Outlier& outlier : loop.outliers) {
      const analysis::cycles::IterationTime& one = loop.iterations[outlier.iteration];
      add(Lane::kOutliers, fmt::format("{} {}", loop_words(loop), outlier.iteration + 1), one.start,
          one.wall);
    }
  }

  void add(Lane lane, std::string_view name, Time start, Time duration) {
    lanes_[static_cast<std::size_t>(lane)].add(name, start, duration);
  }

  const analysis::cycles::StreamCycles& cycles_;
  std::vector<sinks::AnnotationLane> lanes_;  // by Lane
};

}  // namespace

void annotate_cycles(const analysis::cycles::Cycles& cycles, trace::Trace& trace) {
  for (const analysis::cycles::StreamCycles& stream : cycles.streams)
    StreamAnnotator(stream, trace).add_all();
}

}  // namespace lockstep::report::cycles
