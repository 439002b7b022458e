// Edit distances by the furthest rows on diagonals (Ukkonen; Landau and Vishkin).
//
// In the table of distances between prefixes, rows are symbols of `a`, columns symbols of `b`, and
// diagonal k holds the cells whose column is k more than the row. Distances never fall along a
// diagonal, so that for a number of edits the furthest cell on each diagonal tells all.
#include "algo/sequences/edit_distance.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace lockstep::algo {
namespace {

using Symbols = std::span<const std::uint32_t>;
using Row = std::int64_t;
using Diagonal = std::int64_t;

constexpr Row kUnreached = std::numeric_limits<Row>::min() / 2;

Row length_of(Symbols symbols) { return static_cast<Row>(symbols.size()); }

// The furthest row on each diagonal that so many edits reach, one more edit at a time.
//
// Where the diagonal on which it shall end is known, diagonals from which the edits that are left
// do not lead there are left out.
template <typename Iterator>
class Frontier {
 public:
  Frontier(Iterator a, Row rows, Iterator b, Row columns, std::uint32_t limit)
      : a_(a),
        b_(b),
        rows_(rows),
        columns_(columns),
        // No two sequences are further apart than the longer one is long.
        limit_(std::min<Row>(limit, std::max(rows, columns))),
        reached_(static_cast<std::size_t>(2 * limit_ + 3), kUnreached) {
    reached(0) = slide(0, 0);
  }

  void end_on(Diagonal diagonal, Row most_edits) {
    end_ = diagonal;
    most_edits_ = most_edits;
  }

  [[nodiscard]] bool can_advance() const { return edits_ < limit_; }
  [[nodiscard]] Row edits() const { return edits_; }
  [[nodiscard]] Diagonal lowest() const {
    return std::max({-edits_, -rows_, end_ - (most_edits_ - edits_)});
  }
  [[nodiscard]] Diagonal highest() const {
    return std::min({edits_, columns_, end_ + (most_edits_ - edits_)});
  }

  [[nodiscard]] Row row(Diagonal diagonal) const {
    if (diagonal < lowest() || diagonal > highest()) return kUnreached;
    return reached_[index_of(diagonal)];
  }
  // Of the diagonals from the lowest to the highest.
  [[nodiscard]] std::span<const Row> all_rows() const {
    if (highest() < lowest()) return {};
    return std::span(reached_).subspan(index_of(lowest()),
                                       static_cast<std::size_t>(highest() + 1 - lowest()));
  }

  void advance() {
    ++edits_;
    const Diagonal last = highest();
    Diagonal diagonal = lowest();
    Row below = reached(diagonal - 1);
    for (; diagonal <= last; ++diagonal) {
      const Row here = reached(diagonal);
      const Row furthest = std::max(std::max(here, reached(diagonal + 1)) + 1, below);
      // An edit that would leave the table can be made earlier on the diagonal that it leaves.
      reached(diagonal) = slide(furthest, diagonal);
      below = here;
    }
  }

 private:
  [[nodiscard]] std::size_t index_of(Diagonal diagonal) const {
    return static_cast<std::size_t>(diagonal + limit_ + 1);
  }
  Row& reached(Diagonal diagonal) { return reached_[index_of(diagonal)]; }

  [[nodiscard]] Row slide(Row row, Diagonal diagonal) const {
    const Row last = std::min(rows_, columns_ - diagonal);
    row = std::min(row, last);
    while (row < last && a_[row] == b_[row + diagonal]) ++row;
    return row;
  }

  Iterator a_;
  Iterator b_;
  Row rows_;
  Row columns_;
  Row limit_;
  Row edits_ = 0;
  Diagonal end_ = 0;
  Row most_edits_ = std::numeric_limits<Row>::max() / 2;
  std::vector<Row> reached_;
};

using ForwardFrontier = Frontier<Symbols::iterator>;
using BackwardFrontier = Frontier<Symbols::reverse_iterator>;

ForwardFrontier forwards(Symbols a, Symbols b, std::uint32_t limit) {
  return {a.begin(), length_of(a), b.begin(), length_of(b), limit};
}

BackwardFrontier backwards(Symbols a, Symbols b, std::uint32_t limit) {
  return {a.rbegin(), length_of(a), b.rbegin(), length_of(b), limit};
}

// The diagonal on which whole sequences end.
Diagonal last_diagonal(Symbols a, Symbols b) { return length_of(b) - length_of(a); }

bool is_out_of_reach(Symbols a, Symbols b, std::uint32_t limit) {
  const Diagonal last = last_diagonal(a, b);
  return std::max(last, -last) > Row{limit};
}

// The diagonal nearest to the main one, then the lower one, on which all rows are used up.
template <typename Iterator>
std::optional<Diagonal> finished_diagonal(const Frontier<Iterator>& frontier, Row rows) {
  for (Diagonal away = 0; away <= frontier.edits(); ++away) {
    if (frontier.row(-away) == rows) return -away;
    if (frontier.row(away) == rows) return away;
  }
  return std::nullopt;
}

template <typename Iterator>
std::optional<NearestPart> nearest_part(Frontier<Iterator> frontier, Row rows) {
  while (true) {
    if (const auto diagonal = finished_diagonal(frontier, rows)) {
      return NearestPart{.distance = static_cast<std::uint32_t>(frontier.edits()),
                         .length = static_cast<std::uint32_t>(rows + *diagonal)};
    }
    if (!frontier.can_advance()) return std::nullopt;
    frontier.advance();
  }
}

// The empty part is as far away as the body is long, however long the text is.
std::uint32_t limit_of_part(Symbols body, std::uint32_t limit) {
  return static_cast<std::uint32_t>(std::min<std::size_t>(limit, body.size()));
}

// One stretch of `a` that stands against one of `b`, at a known distance.
struct Part {
  std::size_t a_begin = 0;
  std::size_t a_end = 0;
  std::size_t b_begin = 0;
  std::size_t b_end = 0;
  std::uint32_t distance = 0;
};

// All frontiers on the way to the end, for the way back.
class Trail {
 public:
  void clear() {
    rows_.clear();
    steps_.clear();
  }
  void add(const ForwardFrontier& frontier) {
    steps_.push_back({frontier.lowest(), rows_.size()});
    const std::span<const Row> rows = frontier.all_rows();
    rows_.insert(rows_.end(), rows.begin(), rows.end());
  }
  [[nodiscard]] Row row(std::size_t edits, Diagonal diagonal) const {
    const Step& step = steps_[edits];
    const std::size_t end = edits + 1 < steps_.size() ? steps_[edits + 1].begin : rows_.size();
    if (diagonal < step.lowest) return kUnreached;
    const std::size_t at = step.begin + static_cast<std::size_t>(diagonal - step.lowest);
    return at < end ? rows_[at] : kUnreached;
  }

 private:
  struct Step {
    Diagonal lowest = 0;
    std::size_t begin = 0;
  };
  std::vector<Row> rows_;
  std::vector<Step> steps_;
};

class Aligner {
 public:
  Aligner(Symbols a, Symbols b) : a_(a), b_(b), partners_(b.size(), kUnaligned) {}

  // Few edits are traced back through all frontiers; many are halved first, since all frontiers of
  // d edits would take d^2 of memory.
  void align(const Part& part) {
    if (part.distance <= kMostTraced) {
      trace_back(part);
    } else {
      align_halves(part);
    }
  }

  std::vector<std::uint32_t> take_partners() && { return std::move(partners_); }

 private:
  static constexpr std::uint32_t kMostTraced = 255;

  [[nodiscard]] Symbols a_of(const Part& part) const {
    return a_.subspan(part.a_begin, part.a_end - part.a_begin);
  }
  [[nodiscard]] Symbols b_of(const Part& part) const {
    return b_.subspan(part.b_begin, part.b_end - part.b_begin);
  }

  // Half of the edits from the front and the other half from the back meet on some diagonal.
  void align_halves(const Part& part) {
    const Symbols a = a_of(part);
    const Symbols b = b_of(part);
    const Diagonal last = last_diagonal(a, b);
    const std::uint32_t back_edits = part.distance / 2;
    const std::uint32_t front_edits = part.distance - back_edits;
    auto front = forwards(a, b, front_edits);
    auto back = backwards(a, b, back_edits);
    front.end_on(last, part.distance);
    back.end_on(last, part.distance);
    while (front.can_advance()) front.advance();
    while (back.can_advance()) back.advance();

    Diagonal diagonal = front.lowest();
    while (front.row(diagonal) + back.row(last - diagonal) < length_of(a)) ++diagonal;
    const auto a_middle = part.a_begin + static_cast<std::size_t>(front.row(diagonal));
    const auto b_middle = part.b_begin + static_cast<std::size_t>(front.row(diagonal) + diagonal);
    align({part.a_begin, a_middle, part.b_begin, b_middle, front_edits});
    align({a_middle, part.a_end, b_middle, part.b_end, back_edits});
  }

  void trace_back(const Part& part) {
    Row row = length_of(a_of(part));
    Diagonal diagonal = last_diagonal(a_of(part), b_of(part));
    lay_trail(part);
    for (std::size_t edits = part.distance; edits-- > 0;) {
      const Row replaced = trail_.row(edits, diagonal) + 1;
      const Row deleted = trail_.row(edits, diagonal + 1) + 1;
      const Row inserted = trail_.row(edits, diagonal - 1);
      const Row edited = std::min(row, std::max({replaced, deleted, inserted}));
      pair_up(part, edited, row, diagonal);
      row = edited;
      if (replaced >= edited) {
        pair_up(part, row - 1, row, diagonal);
        --row;
      } else if (deleted >= edited) {
        --row;
        ++diagonal;
      } else {
        --diagonal;
      }
    }
    pair_up(part, 0, row, 0);
  }

  void lay_trail(const Part& part) {
    auto frontier = forwards(a_of(part), b_of(part), part.distance);
    frontier.end_on(last_diagonal(a_of(part), b_of(part)), part.distance);
    trail_.clear();
    while (frontier.can_advance()) {
      trail_.add(frontier);
      frontier.advance();
    }
  }

  // Rows [begin, end) of the part stand against the columns on the diagonal.
  void pair_up(const Part& part, Row begin, Row end, Diagonal diagonal) {
    for (Row row = begin; row < end; ++row) {
      partners_[part.b_begin + static_cast<std::size_t>(row + diagonal)] =
          static_cast<std::uint32_t>(part.a_begin + static_cast<std::size_t>(row));
    }
  }

  Symbols a_;
  Symbols b_;
  Trail trail_;
  std::vector<std::uint32_t> partners_;
};

}  // namespace

std::optional<std::uint32_t> bounded_edit_distance(std::span<const std::uint32_t> a,
                                                   std::span<const std::uint32_t> b,
                                                   std::uint32_t limit) {
  if (is_out_of_reach(a, b, limit)) return std::nullopt;
  auto frontier = forwards(a, b, limit);
  const Diagonal last = last_diagonal(a, b);
  frontier.end_on(last, limit);
  while (frontier.row(last) < length_of(a)) {
    if (!frontier.can_advance()) return std::nullopt;
    frontier.advance();
  }
  return static_cast<std::uint32_t>(frontier.edits());
}

std::optional<NearestPart> nearest_prefix(std::span<const std::uint32_t> body,
                                          std::span<const std::uint32_t> text,
                                          std::uint32_t limit) {
  return nearest_part(forwards(body, text, limit_of_part(body, limit)), length_of(body));
}

std::optional<NearestPart> nearest_suffix(std::span<const std::uint32_t> body,
                                          std::span<const std::uint32_t> text,
                                          std::uint32_t limit) {
  return nearest_part(backwards(body, text, limit_of_part(body, limit)), length_of(body));
}

std::optional<EditAlignment> edit_alignment(std::span<const std::uint32_t> a,
                                            std::span<const std::uint32_t> b, std::uint32_t limit) {
  const auto distance = bounded_edit_distance(a, b, limit);
  if (!distance) return std::nullopt;
  Aligner aligner(a, b);
  aligner.align({0, a.size(), 0, b.size(), *distance});
  return EditAlignment{.distance = *distance, .partners = std::move(aligner).take_partners()};
}

}  // namespace lockstep::algo
