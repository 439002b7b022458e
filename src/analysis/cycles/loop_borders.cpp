// Looks for what begins with every iteration: a mark of the user, a graph launch, a pause.
#include "analysis/cycles/loop_borders.h"

#include <algorithm>
#include <map>
#include <optional>

namespace lockstep {
namespace {

// A mark is a border when so many iterations begin with one, ...
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

// The move that puts a mark at the begin of most iterations, if these marks tell.
std::optional<std::int64_t> move_to_marks(std::span<const std::uint32_t> marks,
                                          const FoundLoop& loop, const Room& room) {
  const auto first = std::lower_bound(marks.begin(), marks.end(), loop.start() - room.left);
  const auto last = std::upper_bound(first, marks.end(), loop.end() + room.right);
  const auto iterations = static_cast<double>(loop.iterations.size());
  if (static_cast<double>(last - first) > kMarksPerIteration * iterations + 1) return std::nullopt;
  std::map<std::int64_t, std::uint32_t> votes;
  for (auto mark = first; mark != last; ++mark) {
    const auto after = std::upper_bound(
        loop.iterations.begin(), loop.iterations.end(), *mark,
        [](std::uint32_t at, const Iteration& iteration) { return at < iteration.start; });
    if (after != loop.iterations.begin()) ++votes[std::int64_t{*mark} - std::prev(after)->start];
    if (after != loop.iterations.end()) ++votes[std::int64_t{*mark} - after->start];
  }
  std::optional<std::int64_t> best;
  std::uint32_t most = 0;
  for (const auto& [move, count] : votes) {
    if (move < -room.left || move > room.right || count <= most) continue;
    most = count;
    best = move;
  }
  return most >= kMarkedIterations * iterations ? best : std::nullopt;
}

Time median_gap(const KernelStream& stream, const FoundLoop& loop, std::int64_t move) {
  std::vector<Time> gaps;
  for (const Iteration& iteration : loop.iterations) {
    const auto at = static_cast<std::size_t>(iteration.start + move);
    if (at > 0) gaps.push_back(stream.starts[at] - stream.ends[at - 1]);
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

// Among the moves that leave the inner loops whole, where there are any: layers stall too.
std::int64_t move_to_largest_gap(const KernelStream& stream, const FoundLoop& loop,
                                 const Room& room) {
  const std::vector<bool> inside = places_inside(loop);
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

void move_by(std::int64_t kernels, FoundLoop& loop) {
  for (Iteration& iteration : loop.iterations) {
    iteration.start = static_cast<std::uint32_t>(iteration.start + kernels);
    iteration.end = static_cast<std::uint32_t>(iteration.end + kernels);
  }
  loop.body_start = static_cast<std::uint32_t>(loop.body_start + kernels);
}

}  // namespace

void set_borders(const KernelStream& stream, const BorderMarks& marks, std::uint32_t lo,
                 std::uint32_t hi, FoundLoop& loop) {
  const Room room = room_of(stream, lo, hi, loop);
  if (!loop.holds_loop) {
    loop.border =
        room.left + room.right > 0 ? BorderEvidence::kLeftmost : BorderEvidence::kOnlyChoice;
    return;
  }
  for (const MarkClass& mark : marks.annotations) {
    const auto move = move_to_marks(mark.first_kernels, loop, room);
    if (!move) continue;
    loop.border = BorderEvidence::kAnnotation;
    return move_by(*move, loop);
  }
  if (const auto move = move_to_marks(marks.graph_launches, loop, room)) {
    loop.border = BorderEvidence::kGraphLaunch;
    return move_by(*move, loop);
  }
  if (room.left + room.right == 0) return;
  loop.border = BorderEvidence::kGap;
  move_by(move_to_largest_gap(stream, loop, room), loop);
}

}  // namespace lockstep
