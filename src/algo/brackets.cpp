// Ordering of brackets, longest rising subsequence, and longest runs that a line meets.
#include "algo/brackets.h"

#include <algorithm>
#include <limits>

namespace lockstep {
namespace {

__extension__ using Wide = __int128;

std::int64_t middle(const Bracket& bracket) {
  return bracket.low + (bracket.high - bracket.low) / 2;
}

// A point seen from the first bracket of a run.
struct Point {
  std::int64_t x = 0;
  std::int64_t y = 0;
};

// The side of the line a-b on which c lies: above 0 to the left.
Wide cross(Point a, Point b, Point c) {
  return static_cast<Wide>(b.x - a.x) * (c.y - a.y) - static_cast<Wide>(b.y - a.y) * (c.x - a.x);
}

// The lines that meet all brackets added so far, by their steepest and flattest members. The
// steepest touches a low on the left and a high on the right, the flattest the other way round;
// both can only close in as brackets are added, so each point of a hull is passed once.
class LineFan {
 public:
  // Adds the bracket with its ends at (x, low) and (x, high), to the right of all before. False,
  // and nothing changed, where no line meets it as well.
  bool add(std::int64_t x, std::int64_t low, std::int64_t high) {
    const Point bottom{x, low};
    const Point top{x, high};
    if (count_ >= 2) {
      if (cross(flat_left_, flat_right_, top) < 0) return false;
      if (cross(steep_left_, steep_right_, bottom) > 0) return false;
    }
    if (count_ == 0) {
      flat_left_ = top;
      steep_left_ = bottom;
    } else {
      if (count_ == 1 || cross(steep_left_, steep_right_, top) < 0) lower_steepest(top);
      if (count_ == 1 || cross(flat_left_, flat_right_, bottom) > 0) raise_flattest(bottom);
    }
    push(tops_, tops_begin_, top, 1);
    push(bottoms_, bottoms_begin_, bottom, -1);
    ++count_;
    return true;
  }

  void write(BracketRun& run) const {
    if (count_ < 2) return;
    const double flat = slope(flat_left_, flat_right_);
    const double steep = slope(steep_left_, steep_right_);
    run.slope = (flat + steep) / 2;
    // Where the two lines cross, every line between them passes.
    const double flat_at_0 = value_at_0(flat_left_, flat);
    const double steep_at_0 = value_at_0(steep_left_, steep);
    run.at_first = (flat_at_0 + steep_at_0) / 2;
  }

 private:
  static double slope(Point a, Point b) {
    return static_cast<double>(b.y - a.y) / static_cast<double>(b.x - a.x);
  }
  static double value_at_0(Point a, double slope) {
    return static_cast<double>(a.y) - slope * static_cast<double>(a.x);
  }

  void lower_steepest(Point top) {
    while (bottoms_begin_ + 1 < bottoms_.size() &&
           cross(bottoms_[bottoms_begin_], bottoms_[bottoms_begin_ + 1], top) <= 0) {
      ++bottoms_begin_;
    }
    steep_left_ = bottoms_[bottoms_begin_];
    steep_right_ = top;
  }

  void raise_flattest(Point bottom) {
    while (tops_begin_ + 1 < tops_.size() &&
           cross(tops_[tops_begin_], tops_[tops_begin_ + 1], bottom) >= 0) {
      ++tops_begin_;
    }
    flat_left_ = tops_[tops_begin_];
    flat_right_ = bottom;
  }

  // Tops are kept as their lower hull (side 1), bottoms as their upper hull (side -1).
  static void push(std::vector<Point>& hull, std::size_t begin, Point point, int side) {
    while (hull.size() >= begin + 2 &&
           side * cross(hull[hull.size() - 2], hull.back(), point) <= 0) {
      hull.pop_back();
    }
    hull.push_back(point);
  }

  std::size_t count_ = 0;
  Point flat_left_, flat_right_, steep_left_, steep_right_;
  std::vector<Point> tops_, bottoms_;
  std::size_t tops_begin_ = 0, bottoms_begin_ = 0;
};

BracketRun longest_run(std::span<const Bracket> brackets, std::size_t first) {
  BracketRun run{.first = first, .count = 0};
  const Bracket& origin = brackets[first];
  run.at_first = static_cast<double>(origin.high - origin.low) / 2;
  LineFan fan;
  for (std::size_t i = first; i < brackets.size(); ++i) {
    const Bracket& next = brackets[i];
    if (!fan.add(next.x - origin.x, next.low - origin.low, next.high - origin.low)) break;
    ++run.count;
  }
  fan.write(run);
  return run;
}

bool all_rise(std::span<const Bracket> brackets) {
  std::int64_t reached = std::numeric_limits<std::int64_t>::min();
  for (const Bracket& bracket : brackets) {
    if (bracket.high < reached) return false;
    reached = std::max(reached, bracket.low);
  }
  return true;
}

}  // namespace

std::size_t merge_brackets(std::vector<Bracket>& brackets) {
  std::ranges::sort(brackets, [](const Bracket& a, const Bracket& b) {
    if (a.x != b.x) return a.x < b.x;
    const auto width_a = a.high - a.low;
    const auto width_b = b.high - b.low;
    return width_a != width_b ? width_a < width_b : a.low < b.low;
  });
  std::size_t contradictions = 0;
  std::size_t kept = 0;
  for (const Bracket& next : brackets) {
    if (kept == 0 || brackets[kept - 1].x != next.x) {
      brackets[kept++] = next;
      continue;
    }
    Bracket& merged = brackets[kept - 1];
    const std::int64_t low = std::max(merged.low, next.low);
    const std::int64_t high = std::min(merged.high, next.high);
    if (low > high) {
      ++contradictions;
    } else {
      merged.low = low;
      merged.high = high;
    }
  }
  brackets.resize(kept);
  return contradictions;
}

std::size_t keep_rising(std::vector<Bracket>& brackets) {
  if (all_rise(brackets)) return 0;
  // Patience sorting by middles: ends[k] is the bracket with the least middle that ends a rising
  // subsequence of k + 1 brackets.
  constexpr auto kNone = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> ends;
  std::vector<std::size_t> before(brackets.size(), kNone);
  for (std::size_t i = 0; i < brackets.size(); ++i) {
    const auto place = std::ranges::upper_bound(ends, middle(brackets[i]), {},
                                                [&](std::size_t e) { return middle(brackets[e]); });
    if (place != ends.begin()) before[i] = *std::prev(place);
    if (place == ends.end()) {
      ends.push_back(i);
    } else {
      *place = i;
    }
  }
  std::vector<Bracket> kept;
  kept.reserve(ends.size());
  for (std::size_t i = ends.back(); i != kNone; i = before[i]) kept.push_back(brackets[i]);
  std::ranges::reverse(kept);
  const std::size_t dropped = brackets.size() - kept.size();
  brackets = std::move(kept);
  return dropped;
}

std::vector<BracketRun> cut_into_lines(std::span<const Bracket> brackets) {
  std::vector<BracketRun> runs;
  std::size_t first = 0;
  while (first < brackets.size()) {
    runs.push_back(longest_run(brackets, first));
    const std::size_t last = first + runs.back().count - 1;
    if (last + 1 == brackets.size()) break;
    first = last;
  }
  return runs;
}

}  // namespace lockstep
