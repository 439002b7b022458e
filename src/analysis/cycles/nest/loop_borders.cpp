// Looks for what begins with every iteration: a mark of the user, a graph launch, a pause.
#include "analysis/cycles/nest/loop_borders.h"

#include <algorithm>
#include <map>
#include <optional>

#include "algo/sequences/edit_distance.h"

namespace lockstep::analysis::cycles {
namespace {

// A mark is a border when so many iterations begin with one, or all but one (which the capture
// cuts) with what the user calls a step, ...
constexpr double kMarkedIterations = 0.8;
// ... and when there are not many more marks than iterations: those would be marks of layers.
constexpr double kMarksPerIteration = 1.25;

// By how many kernels the iterations can be moved without losing one.
struct Room {
  std::int64_t left = 0;
  std::int64_t right = 0;
};

Room room_of(const KernelStream& stream, std::uint32_t lo, std::uint32_t hi,
             const FoundLoop& loop) {
  const auto& names = stream.names;
  Room room;
  const std::uint32_t first_end = loop.iterations.front().end;
  while (loop.start() - room.left > lo && room.left < loop.period &&
         names[static_cast<std::size_t>(loop.start() - room.left - 1)] ==
             names[static_cast<std::size_t>(first_end - room.left - 1)])
    ++room.left;
  const std::uint32_t last_start = loop.iterations.back().start;
  while (loop.end() + room.right < hi && room.right < loop.period &&
         names[static_cast<std::size_t>(loop.end() + room.right)] ==
             names[static_cast<std::size_t>(last_start + room.right)])
    ++room.right;
  return room;
}

// Which kernel of the body a kernel of an iteration is; nothing for one that the body lacks.
std::optional<std::uint32_t> place_in_body(const KernelStream& stream, const FoundLoop& loop,
                                           const Iteration& iteration, std::uint32_t kernel) {
  if (iteration.size() == loop.period) return kernel - iteration.start;
  const std::span<const std::uint32_t> names = stream.names;
  const auto alignment =
      algo::edit_alignment(names.subspan(loop.body_start, loop.period),
                           names.subspan(iteration.start, iteration.size()), iteration.size());
  if (!alignment) return std::nullopt;
  const std::uint32_t partner = alignment->partners[kernel - iteration.start];
  if (partner == algo::kUnaligned) return std::nullopt;
  return partner;
}

// The kernel of the body that most iterations have a mark at, if these marks tell. What is left of
// iterations on either side counts, too.
std::optional<std::uint32_t> marked_place(const KernelStream& stream,
                                          std::span<const std::uint32_t> marks, bool are_steps,
                                          const FoundLoop& loop, const Room& room) {
  const auto first = std::lower_bound(marks.begin(), marks.end(), loop.start() - room.left);
  const auto last = std::lower_bound(first, marks.end(), loop.end() + room.right);
  const auto iterations = static_cast<double>(loop.iterations.size());
  if (static_cast<double>(last - first) > kMarksPerIteration * iterations + 1) return std::nullopt;
  std::map<std::uint32_t, std::uint32_t> votes;
  auto iteration = loop.iterations.begin();
  for (auto mark = first; mark != last; ++mark) {
    if (*mark < loop.start()) {
      ++votes[loop.period - (loop.start() - *mark)];
      continue;
    }
    if (*mark >= loop.end()) {
      ++votes[*mark - loop.end()];
      continue;
    }
    while (iteration->end <= *mark) ++iteration;
    if (const auto place = place_in_body(stream, loop, *iteration, *mark)) ++votes[*place];
  }
  std::uint32_t best = 0;
  std::uint32_t most = 0;
  for (const auto& [place, count] : votes) {
    if (count > most) best = place;
    most = std::max(most, count);
  }
  const double least = are_steps ? std::min(kMarkedIterations * iterations, iterations - 1)
                                 : kMarkedIterations * iterations;
  if (most < 2 || most < least) return std::nullopt;
  return best;
}

// The move that brings the place to the begin, if there is room for it.
std::optional<std::int64_t> move_to(std::uint32_t place, const FoundLoop& loop, const Room& room) {
  const std::int64_t right = place;
  const std::int64_t left = right - loop.period;
  if (right <= room.right) return right;
  if (-left <= room.left) return left;
  return std::nullopt;
}

Time median_gap(const KernelStream& stream, const FoundLoop& loop, std::int64_t move) {
  std::vector<Time> gaps;
  for (const Iteration& iteration : loop.iterations) {
    const auto at = static_cast<std::size_t>(iteration.start + move);
    if (at > 0 && at < stream.size()) gaps.push_back(stream.starts[at] - stream.ends[at - 1]);
  }
  if (gaps.empty()) return {};
  const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
  std::nth_element(gaps.begin(), middle, gaps.end());
  return *middle;
}

// Which places of the body lie inside one of its inner loops, so that a border there would take an
// iteration from it. Counted from the begin of the body.
std::vector<bool> places_inside(const FoundLoop& loop) {
  std::vector<bool> inside(loop.period, false);
  for (const InnerRun& run : loop.inner) {
    const std::int64_t length = (run.end - run.start) / run.period * run.period;
    // All iterations lie on one side of the other places.
    for (std::int64_t x = run.end - length + 1; x < run.start + length; ++x) {
      const std::int64_t place = (x - loop.body_start) % loop.period;
      inside[static_cast<std::size_t>(place < 0 ? place + loop.period : place)] = true;
    }
  }
  return inside;
}

// Which places of the body lie inside a graph launch, in any iteration.
std::vector<bool> places_inside_launches(const KernelStream& stream, const FoundLoop& loop) {
  std::vector<bool> inside(loop.period, false);
  for (const Iteration& iteration : loop.iterations) {
    if (iteration.size() != loop.period) continue;
    for (std::uint32_t i = iteration.start == 0 ? 1 : 0; i < loop.period; ++i) {
      const trace::EventId call = stream.launched_by[iteration.start + i];
      if (call != trace::kNoEvent && call == stream.launched_by[iteration.start + i - 1])
        inside[i] = true;
    }
  }
  return inside;
}

// Sampling ends a pass: what lies between the last layer and the last sampling kernel before the
// next layer is no place to begin one. Routers to experts use the same kernels; there it says
// nothing.
void close_before_sampling(const KernelStream& stream, const FoundLoop& loop,
                           std::vector<bool>& inside) {
  const auto role_at = [&](std::uint32_t place) {
    return stream.symbol(loop.body_start + place).facts.role;
  };
  for (std::uint32_t i = 0; i < loop.period; ++i) {
    if (role_at(i) == kernels::KernelRole::kMoeRouting ||
        role_at(i) == kernels::KernelRole::kExpertGemm)
      return;
  }
  const auto first = std::ranges::find(inside, true);
  if (first == inside.end()) return;
  // Backwards, once around from a layer: behind the first sampling kernel that is met, up to a
  // layer.
  const auto begin = static_cast<std::uint32_t>(first - inside.begin());
  bool ends_here = false;
  for (std::uint32_t step = 1; step < loop.period; ++step) {
    const std::uint32_t place = (begin + loop.period - step) % loop.period;
    if (inside[place]) {
      ends_here = false;
      continue;
    }
    if (role_at(place) == kernels::KernelRole::kSampling) ends_here = true;
    if (ends_here) inside[place] = true;
  }
}

// Among the moves to places that are not `inside` anything, where there are any.
std::int64_t move_to_largest_gap(const KernelStream& stream, const FoundLoop& loop,
                                 const Room& room, const std::vector<bool>& inside) {
  std::optional<std::int64_t> best;
  Time largest;
  bool best_is_inside = true;
  for (std::int64_t move = -room.left; move <= room.right; ++move) {
    const auto place = static_cast<std::size_t>((move + loop.period) % loop.period);
    if (inside[place] && !best_is_inside) continue;
    const Time gap = median_gap(stream, loop, move);
    if (best && inside[place] == best_is_inside && gap <= largest) continue;
    largest = gap;
    best = move;
    best_is_inside = inside[place];
  }
  return best.value_or(0);
}

// A fault near an end of the loop takes the room there, and what lies before the other end may go
// on like it: then no move in the room keeps layers whole. Of all other places, the one with the
// largest gap.
std::optional<std::uint32_t> largest_gap_outside(const KernelStream& stream, const FoundLoop& loop,
                                                 const std::vector<bool>& inside) {
  std::optional<std::uint32_t> best;
  Time largest;
  for (std::uint32_t place = 1; place < loop.period; ++place) {
    if (inside[place]) continue;
    const Time gap = median_gap(stream, loop, place);
    if (best && gap <= largest) continue;
    largest = gap;
    best = place;
  }
  return best;
}

}  // namespace

void move_by(std::int64_t kernels, FoundLoop& loop) {
  for (Iteration& iteration : loop.iterations) {
    iteration.start = static_cast<std::uint32_t>(iteration.start + kernels);
    iteration.end = static_cast<std::uint32_t>(iteration.end + kernels);
  }
  loop.body_start = static_cast<std::uint32_t>(loop.body_start + kernels);
}

BorderChoice choose_border(const KernelStream& stream, const BorderMarks& marks, std::uint32_t lo,
                           std::uint32_t hi, const FoundLoop& loop, BorderReach reach) {
  const Room room = room_of(stream, lo, hi, loop);
  const bool has_room = room.left + room.right > 0;
  if (!loop.holds_loop)
    return {has_room ? BorderEvidence::kLeftmost : BorderEvidence::kOnlyChoice, 0, 0};
  for (const MarkClass& mark : marks.annotations) {
    const bool are_steps = mark.is_step || mark.closes;
    const auto place = marked_place(stream, mark.first_kernels, are_steps, loop, room);
    if (!place) continue;
    const auto move = move_to(*place, loop, room);
    // What marks a part of the pass only is not worth an iteration, unless it ends a step.
    if (move || are_steps || 2 * mark.kernels >= loop.end() - loop.start())
      return {BorderEvidence::kAnnotation, *place, move};
  }
  const auto at_largest_gap = [&](BorderEvidence evidence, const std::vector<bool>& inside) {
    const std::int64_t move = move_to_largest_gap(stream, loop, room, inside);
    const auto offset = static_cast<std::uint32_t>((move + loop.period) % loop.period);
    return BorderChoice{evidence, offset, move};
  };
  if (const auto place = marked_place(stream, marks.graph_launches, false, loop, room)) {
    // What is launched by itself before or behind a graph belongs to its pass: any place that cuts
    // no graph will do, and the one that costs no iteration is the better one.
    const std::vector<bool> inside = places_inside_launches(stream, loop);
    const BorderChoice choice = at_largest_gap(BorderEvidence::kGraphLaunch, inside);
    if (!inside[choice.offset]) return choice;
    return {BorderEvidence::kGraphLaunch, *place, move_to(*place, loop, room)};
  }
  // Layers stall too: iterations of inner loops stay whole.
  std::vector<bool> inside = places_inside(loop);
  close_before_sampling(stream, loop, inside);
  const BorderChoice choice = at_largest_gap(BorderEvidence::kGap, inside);
  if (inside[choice.offset] && reach == BorderReach::kBeyondSlack) {
    if (const auto place = largest_gap_outside(stream, loop, inside))
      return {BorderEvidence::kGap, *place, std::nullopt};
  }
  if (!has_room) return {BorderEvidence::kOnlyChoice, 0, 0};
  return choice;
}

}  // namespace lockstep::analysis::cycles
