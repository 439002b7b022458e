// Edit distances by the furthest rows on diagonals (Ukkonen; Landau and Vishkin).
//
// In the table of distances between prefixes, rows are symbols of `a`, columns symbols of `b`, and
// diagonal k holds the cells whose column is k more than the row. Distances never fall along a
// diagonal, so that for a number of edits the furthest cell on each diagonal tells all.
#include "algo/edit_distance.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace lockstep {
namespace {

using Symbols = std::span<const std::uint32_t>;
using Row = std::int64_t;
using Diagonal = std::int64_t;

constexpr Row kUnreached = std::numeric_limits<Row>::min() / 2;

Row length_of(Symbols symbols) { return static_cast<Row>(symbols.size()); }

// The furthest row on each diagonal that so many edits reach, one more edit at a time.
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

  [[nodiscard]] bool can_advance() const { return edits_ < limit_; }
  [[nodiscard]] Row edits() const { return edits_; }
  [[nodiscard]] Diagonal lowest() const { return std::max(-edits_, -rows_); }
  [[nodiscard]] Diagonal highest() const { return std::min(edits_, columns_); }

  [[nodiscard]] Row row(Diagonal diagonal) const {
    if (diagonal < lowest() || diagonal > highest()) return kUnreached;
    return reached_[static_cast<std::size_t>(diagonal + limit_ + 1)];
  }

  void advance() {
    ++edits_;
    Row below = kUnreached;
    for (Diagonal diagonal = lowest(); diagonal <= highest(); ++diagonal) {
      const Row here = reached(diagonal);
      const Row above = reached(diagonal + 1);
      const Row furthest = std::max({here + 1, below, above + 1});
      // An edit that would leave the table can be made earlier on the diagonal that it leaves.
      reached(diagonal) = slide(std::min({furthest, rows_, columns_ - diagonal}), diagonal);
      below = here;
    }
  }

 private:
  Row& reached(Diagonal diagonal) {
    return reached_[static_cast<std::size_t>(diagonal + limit_ + 1)];
  }

  Row slide(Row row, Diagonal diagonal) const {
    const Row last = std::min(rows_, columns_ - diagonal);
    while (row < last && a_[row] == b_[row + diagonal]) ++row;
    return row;
  }

  Iterator a_;
  Iterator b_;
  Row rows_;
  Row columns_;
  Row limit_;
  Row edits_ = 0;
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

// Where one stretch of `a` stands against one of `b`, at a known distance.
struct Part {
  std::size_t a_begin = 0;
  std::size_t a_end = 0;
  std::size_t b_begin = 0;
  std::size_t b_end = 0;
  std::uint32_t distance = 0;
};

class Aligner {
 public:
  Aligner(Symbols a, Symbols b) : a_(a), b_(b), partners_(b.size(), kUnaligned) {}

  // Few edits are traced back through all frontiers; many are halved first, since all frontiers of
  // d edits would take d^2 of memory.
  void align(const Part& part) {
    if (part.distance <= kMostTraced) return trace_back(part);
    const auto [first, second] = halves(part);
    align(first);
    align(second);
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
  [[nodiscard]] std::pair<Part, Part> halves(const Part& part) const {
    const Symbols a = a_of(part);
    const Symbols b = b_of(part);
    const std::uint32_t back_edits = part.distance / 2;
    const std::uint32_t front_edits = part.distance - back_edits;
    auto front = forwards(a, b, front_edits);
    auto back = backwards(a, b, back_edits);
    while (front.can_advance()) front.advance();
    while (back.can_advance()) back.advance();

    Diagonal diagonal = front.lowest();
    const Diagonal last = length_of(b) - length_of(a);
    while (front.row(diagonal) + back.row(last - diagonal) < length_of(a)) ++diagonal;
    const auto a_middle = part.a_begin + static_cast<std::size_t>(front.row(diagonal));
    const auto b_middle = part.b_begin + static_cast<std::size_t>(front.row(diagonal) + diagonal);
    return {{part.a_begin, a_middle, part.b_begin, b_middle, front_edits},
            {a_middle, part.a_end, b_middle, part.b_end, back_edits}};
  }

  void trace_back(const Part& part) {
    std::vector<ForwardFrontier> frontiers;
    frontiers.push_back(forwards(a_of(part), b_of(part), part.distance));
    while (frontiers.size() <= part.distance) {
      frontiers.push_back(frontiers.back());
      frontiers.back().advance();
    }
    Row row = length_of(a_of(part));
    Diagonal diagonal = length_of(b_of(part)) - row;
    for (std::size_t edits = part.distance; edits > 0; --edits) {
      const ForwardFrontier& before = frontiers[edits - 1];
      const Row replaced = before.row(diagonal) + 1;
      const Row deleted = before.row(diagonal + 1) + 1;
      const Row inserted = before.row(diagonal - 1);
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

  // Rows [begin, end) of the part stand against the columns on the diagonal.
  void pair_up(const Part& part, Row begin, Row end, Diagonal diagonal) {
    for (Row row = begin; row < end; ++row) {
      partners_[part.b_begin + static_cast<std::size_t>(row + diagonal)] =
          static_cast<std::uint32_t>(part.a_begin + static_cast<std::size_t>(row));
    }
  }

  Symbols a_;
  Symbols b_;
  std::vector<std::uint32_t> partners_;
};

}  // namespace

std::optional<std::uint32_t> bounded_edit_distance(std::span<const std::uint32_t> a,
                                                   std::span<const std::uint32_t> b,
                                                   std::uint32_t limit) {
  const Diagonal last = length_of(b) - length_of(a);
  if (std::max(last, -last) > Row{limit}) return std::nullopt;
  auto frontier = forwards(a, b, limit);
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

}  // namespace lockstep
