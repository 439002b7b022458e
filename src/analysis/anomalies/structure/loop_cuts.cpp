// Structures from the loops of `cycles`.
#include "analysis/anomalies/structure/loop_cuts.h"

#include <algorithm>
#include <map>
#include <utility>

namespace lockstep::analysis::anomalies {
namespace {

constexpr std::uint32_t kNotInStep = 0xFFFF'FFFF;

// Positions of a stream's kernels among those of the step. Takes no longer than the stretch of the
// stream that the step reaches over: there may be as many steps to take apart as kernels.
class StepPositions {
 public:
  StepPositions(const StructureInput& input, const cycles::KernelStream& stream,
                std::span<const std::uint32_t> offsets) {
    std::size_t next = 0;  // steps mostly go through their stream without leaving out a kernel
    std::vector<std::size_t> places;
    places.reserve(offsets.size());
    for (const std::uint32_t offset : offsets) {
      const DeviceWork& work = input.timeline.kernels[input.kernels[offset]];
      if (next >= stream.size() || stream.events[next] != work.event) next = place_in(stream, work);
      places.push_back(next);
      if (next < stream.size()) ++next;
    }
    const auto [least, most] = std::ranges::minmax(places);
    first_ = least;
    of_.assign(std::min(most + 1, stream.size()) - std::min(least, stream.size()), kNotInStep);
    for (std::uint32_t i = 0; i < places.size(); ++i) {
      if (places[i] < stream.size()) of_[places[i] - first_] = i;
    }
  }

  // Where an iteration lies in the step, when it does so wholly.
  [[nodiscard]] std::optional<cycles::Iteration> of(const cycles::Iteration& iteration) const {
    const std::uint32_t begin = at(iteration.start);
    for (std::uint32_t i = 0; i < iteration.size(); ++i) {
      if (begin == kNotInStep || at(iteration.start + i) != begin + i) return std::nullopt;
    }
    return cycles::Iteration{begin, begin + iteration.size()};
  }

  // Iterations of an instance that lie in the stretch of the step, or partly.
  [[nodiscard]] std::span<const cycles::Iteration> near(
      std::span<const cycles::Iteration> iterations) const {
    const auto begin = std::ranges::lower_bound(iterations, first_, {}, &cycles::Iteration::start);
    const auto end = std::ranges::lower_bound(begin, iterations.end(), first_ + of_.size(), {},
                                              &cycles::Iteration::start);
    return {begin, end};
  }

  // Instances that reach into the stretch of the step.
  [[nodiscard]] std::span<const cycles::LoopInstance> near(
      std::span<const cycles::LoopInstance> instances) const {
    const auto begin = std::ranges::upper_bound(
        instances, first_, {}, [](const cycles::LoopInstance& i) { return i.end(); });
    const auto end =
        std::ranges::lower_bound(begin, instances.end(), first_ + of_.size(), {},
                                 [](const cycles::LoopInstance& i) { return i.start(); });
    return {begin, end};
  }

 private:
  // The size of the stream for a kernel that it does not have.
  static std::size_t place_in(const cycles::KernelStream& stream, const DeviceWork& work) {
    const auto from = std::ranges::lower_bound(stream.starts, work.start);
    auto at = static_cast<std::size_t>(from - stream.starts.begin());
    while (at < stream.size() && stream.starts[at] == work.start) {
      if (stream.events[at] == work.event) return at;
      ++at;
    }
    return stream.size();
  }

  [[nodiscard]] std::uint32_t at(std::size_t place) const {
    return place >= first_ && place - first_ < of_.size() ? of_[place - first_] : kNotInStep;
  }

  std::size_t first_ = 0;  // of the stream's kernels, the first one of the step
  std::vector<std::uint32_t> of_;
};

bool is_layer(const cycles::Loop& loop, const cycles::NestLoop&) {
  return loop.role == cycles::LoopRole::kLayer;
}

// Loops that are no layers are structures only when their iterations do something. No threshold:
// findings do not look at structures.
constexpr std::uint32_t kLeastIterationKernels = 5;
bool is_long_enough(const cycles::Loop&, const cycles::NestLoop& nest) {
  return nest.period >= kLeastIterationKernels;
}

struct LoopPlace {
  cycles::Iteration kernels;
  std::uint32_t loop = 0;  // of StreamCycles
};

// Iterations inside the step of loops that `is_wanted`; the outermost where they nest.
template <typename IsWanted>
std::vector<LoopPlace> iterations_inside(const cycles::StreamCycles& stream,
                                         const StepPositions& positions, IsWanted is_wanted) {
  std::vector<LoopPlace> places;
  for (std::uint32_t i = 0; i < stream.loops.size(); ++i) {
    if (!is_wanted(stream.loops[i], stream.nest.loops[i])) continue;
    for (const cycles::LoopInstance& instance : positions.near(stream.nest.loops[i].instances)) {
      const std::size_t before = places.size();
      for (const cycles::Iteration& iteration : positions.near(instance.iterations)) {
        if (const auto inside = positions.of(iteration)) places.push_back({*inside, i});
      }
      if (places.size() - before < 2) places.resize(before);  // the step does not repeat it
    }
  }
  // A loop comes before those inside it.
  std::ranges::sort(places, {}, [](const LoopPlace& place) {
    return std::pair(place.kernels.start, place.loop);
  });
  std::uint32_t end = 0;
  std::erase_if(places, [&](const LoopPlace& place) {
    if (place.kernels.start < end) return true;
    end = place.kernels.end;
    return false;
  });
  return places;
}

LoopBody body_of(const cycles::Loop& loop, const cycles::NestLoop& nest) {
  // What is inside no other loop of the step is not inner there.
  const bool is_inner = loop.role == cycles::LoopRole::kInner;
  return {.role = is_inner ? cycles::LoopRole::kUnknown : loop.role,
          .phase = loop.phase,
          .kernels = nest.period};
}

// Loops of one body are one kind; bodies that would be called the same get a number.
class BodyNames {
 public:
  explicit BodyNames(const cycles::StreamCycles& stream) : stream_(stream) {}

  Stretch stretch_of(const LoopPlace& place) {
    const cycles::Loop& loop = stream_.loops[place.loop];
    const cycles::NestLoop& nest = stream_.nest.loops[place.loop];
    const LoopBody body = body_of(loop, nest);
    Known& known = known_[{nest.id, body}];
    if (known.iterations == 0) known.alike = ++bodies_[body];
    StructureName name;
    name.kind = LoopBody{body.role, body.phase, body.kernels, known.alike};
    name.number = ++known.iterations;
    return {place.kernels.start, place.kernels.end, std::move(name),
            loop.role == cycles::LoopRole::kLayer};
  }

 private:
  struct Known {
    std::uint32_t alike = 0;
    std::uint32_t iterations = 0;
  };
  const cycles::StreamCycles& stream_;
  std::map<std::pair<std::uint32_t, LoopBody>, Known> known_;
  std::map<LoopBody, std::uint32_t> bodies_;
};

std::uint32_t kernels_in(std::span<const LoopPlace> places) {
  std::uint32_t sum = 0;
  for (const LoopPlace& place : places) sum += place.kernels.size();
  return sum;
}

}  // namespace

std::vector<StructureCut> loop_cuts(const StructureInput& input, trace::TrackId main) {
  const auto is_main = [&](const cycles::StreamCycles* one) { return one->stream.track == main; };
  const auto found = std::ranges::find_if(input.streams, is_main);
  if (found == input.streams.end()) return {};
  const cycles::StreamCycles* const stream = *found;
  const std::vector<std::uint32_t> offsets = offsets_on(input, main);
  if (offsets.empty()) return {};
  const StepPositions positions(input, stream->stream, offsets);
  auto places = iterations_inside(*stream, positions, is_layer);
  if (places.empty()) {
    places = iterations_inside(*stream, positions, is_long_enough);
    if (std::size_t{2} * kernels_in(places) < offsets.size()) return {};
  }
  BodyNames names(*stream);
  std::vector<Stretch> stretches;
  stretches.reserve(places.size());
  for (const LoopPlace& place : places) stretches.push_back(names.stretch_of(place));
  return with_rest(stretches, offsets);
}

}  // namespace lockstep::analysis::anomalies
