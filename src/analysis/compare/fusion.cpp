// Regroups the stretches between sure pairs by a small dynamic program over groups.
#include "analysis/compare/fusion.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <span>

#include "analysis/compare/pair_cost.h"

namespace lockstep::analysis::compare {
namespace {

// More kernels are never put against one.
constexpr std::uint32_t kMaxFused = 32;
// Longer stretches (in cells of the table) hold no pair that could be trusted; they stay as they
// are.
constexpr std::size_t kMaxCells = std::size_t{1} << 18;
// A group costs less than its kernels left alone, and less than one poor pair among them.
constexpr std::uint32_t kGroupCost = 16;
constexpr std::uint32_t kMemberCost = 4;
// Rows between a kernel that is left alone and a group that may take it.
constexpr std::size_t kReach = 8;
// Rows that a kernel may have moved.
constexpr std::size_t kMoveReach = 32;

using Positions = std::vector<std::uint32_t>;

class Fusions {
 public:
  Fusions(const BodyLikeness& likeness, const Body& a, const Body& b)
      : likeness_(likeness), book_(likeness.book()), a_(a), b_(b) {}

  [[nodiscard]] bool is_sure(const KernelGroup& group) const {
    if (group.a.empty() || group.b.empty()) return false;
    return lockstep::analysis::compare::is_sure(
        likeness_(a_.kernels[group.a.front()], b_.kernels[group.b.front()]));
  }

  // The groups of one stretch, regrouped at least cost.
  [[nodiscard]] std::vector<KernelGroup> regroup(std::span<const KernelGroup> stretch) {
    Positions left;
    Positions right;
    for (const KernelGroup& group : stretch) {
      left.insert(left.end(), group.a.begin(), group.a.end());
      right.insert(right.end(), group.b.begin(), group.b.end());
    }
    const bool is_worth_it = !left.empty() && !right.empty() && left.size() + right.size() > 2;
    if (!is_worth_it || left.size() * right.size() > kMaxCells) {
      return {stretch.begin(), stretch.end()};
    }
    fill_table(left, right);
    return walk_back(left, right);
  }

  // Joins kernels of one name that stand alone near each other.
  void join_moved(std::vector<KernelGroup>& groups) const {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (!groups[i].b.empty() || groups[i].a.size() != 1) continue;
      const KernelClass kernel = a_.kernels[groups[i].a.front()];
      const auto is_it = [&](std::size_t at) {
        return at < groups.size() && groups[at].a.empty() && groups[at].b.size() == 1 &&
               b_.kernels[groups[at].b.front()] == kernel;
      };
      for (std::size_t distance = 1; distance <= kMoveReach; ++distance) {
        const std::size_t other = is_it(i - distance) ? i - distance : i + distance;
        if (!is_it(other)) continue;
        groups[i].b.swap(groups[other].b);
        break;
      }
    }
    drop_empty(groups);
  }

  // Gives groups that stand alone on one side to near groups that miss their operation.
  void adopt_lonely(std::vector<KernelGroup>& groups) const {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (groups[i].b.empty() && groups[i].a.size() == 1) adopt(groups, i, true);
      if (groups[i].a.empty() && groups[i].b.size() == 1) adopt(groups, i, false);
    }
    drop_empty(groups);
  }

 private:
  static void drop_empty(std::vector<KernelGroup>& groups) {
    std::erase_if(groups, [](const KernelGroup& g) { return g.a.empty() && g.b.empty(); });
  }

  struct Cell {
    std::uint32_t cost = std::numeric_limits<std::uint32_t>::max();
    std::uint8_t from_a = 0;  // kernels of the last group
    std::uint8_t from_b = 0;
  };

  [[nodiscard]] Cell& cell(std::size_t i, std::size_t j) { return table_[i * width_ + j]; }

  void offer(std::size_t i, std::size_t j, std::uint32_t from_a, std::uint32_t from_b,
             std::uint32_t cost) {
    const std::uint32_t total = cell(i - from_a, j - from_b).cost + cost;
    if (total >= cell(i, j).cost) return;
    cell(i, j) = {total, static_cast<std::uint8_t>(from_a), static_cast<std::uint8_t>(from_b)};
  }

  void fill_table(const Positions& left, const Positions& right) {
    width_ = right.size() + 1;
    table_.assign((left.size() + 1) * width_, {});
    cell(0, 0).cost = 0;
    for (std::size_t i = 0; i <= left.size(); ++i) {
      for (std::size_t j = 0; j <= right.size(); ++j) {
        if (i > 0 && j > 0) offer_pairs(left, right, i, j);
        if (i > 0) offer(i, j, 1, 0, kGapCost);
        if (j > 0) offer(i, j, 0, 1, kGapCost);
      }
    }
  }

  void offer_pairs(const Positions& left, const Positions& right, std::size_t i, std::size_t j) {
    const KernelClass last_a = a_.kernels[left[i - 1]];
    const KernelClass last_b = b_.kernels[right[j - 1]];
    const std::uint16_t alike = likeness_cost(likeness_(last_a, last_b));
    if (alike != algo::kNeverAligned) {
      const int off = std::abs(size_of_duration(a_.mean_ps[left[i - 1]]) -
                               size_of_duration(b_.mean_ps[right[j - 1]]));
      const auto size_cost = static_cast<std::uint32_t>(std::min<int>(off, kMaxSizeCost));
      offer(i, j, 1, 1, alike + size_cost);
    }
    for (std::uint32_t k = 1; k <= std::min<std::size_t>(i, kMaxFused); ++k) {
      if (!book_.may_contain(last_b, a_.kernels[left[i - k]])) break;
      if (k > 1) offer(i, j, k, 1, kGroupCost + kMemberCost * k);
    }
    for (std::uint32_t k = 1; k <= std::min<std::size_t>(j, kMaxFused); ++k) {
      if (!book_.may_contain(last_a, b_.kernels[right[j - k]])) break;
      if (k > 1) offer(i, j, 1, k, kGroupCost + kMemberCost * k);
    }
  }

  [[nodiscard]] std::vector<KernelGroup> walk_back(const Positions& left, const Positions& right) {
    std::vector<KernelGroup> groups;
    std::size_t i = left.size();
    std::size_t j = right.size();
    while (i > 0 || j > 0) {
      const Cell last = cell(i, j);
      KernelGroup& group = groups.emplace_back();
      group.a.assign(left.begin() + static_cast<std::ptrdiff_t>(i - last.from_a),
                     left.begin() + static_cast<std::ptrdiff_t>(i));
      group.b.assign(right.begin() + static_cast<std::ptrdiff_t>(j - last.from_b),
                     right.begin() + static_cast<std::ptrdiff_t>(j));
      i -= last.from_a;
      j -= last.from_b;
    }
    std::ranges::reverse(groups);
    return groups;
  }

  [[nodiscard]] static OperationSet work_of(const KernelEntry& kernel) {
    OperationSet work = kernel.mentions;
    work.remove(Operation::kCopy);
    return work;
  }

  // Whether `group` has one kernel on the other side that may do the work of the lonely one, and
  // nothing on this side does it yet.
  [[nodiscard]] bool takes(const KernelGroup& group, KernelClass lonely, bool is_of_a) const {
    const Positions& others = is_of_a ? group.b : group.a;
    const Positions& own = is_of_a ? group.a : group.b;
    if (others.size() != 1 || own.empty() || own.size() >= kMaxFused) return false;
    const KernelClass whole = (is_of_a ? b_ : a_).kernels[others.front()];
    if (!book_.may_contain(whole, lonely)) return false;
    OperationSet done;
    for (const std::uint32_t position : own) {
      const KernelClass member = (is_of_a ? a_ : b_).kernels[position];
      if (member == whole) return false;  // the same kernel needs no help
      done |= work_of(book_[member]);
    }
    const OperationSet missing = work_of(book_[lonely]);
    return !missing.is_empty() && !done.meets(missing);
  }

  void adopt(std::vector<KernelGroup>& groups, std::size_t at, bool is_of_a) const {
    Positions& lonely = is_of_a ? groups[at].a : groups[at].b;
    const KernelClass kernel = (is_of_a ? a_ : b_).kernels[lonely.front()];
    for (std::size_t distance = 1; distance <= kReach; ++distance) {
      for (const std::size_t near : {at - distance, at + distance}) {
        if (near >= groups.size() || !takes(groups[near], kernel, is_of_a)) continue;
        Positions& own = is_of_a ? groups[near].a : groups[near].b;
        own.push_back(lonely.front());
        lonely.clear();
        return;
      }
    }
  }

  const BodyLikeness& likeness_;
  const KernelBook& book_;
  const Body& a_;
  const Body& b_;
  std::vector<Cell> table_;
  std::size_t width_ = 0;
};

}  // namespace

std::vector<KernelGroup> find_fusions(const BodyLikeness& likeness, const Body& a, const Body& b,
                                      std::vector<KernelGroup> groups) {
  Fusions fusions(likeness, a, b);
  std::vector<KernelGroup> result;
  for (std::size_t i = 0; i < groups.size();) {
    if (fusions.is_sure(groups[i])) {
      result.push_back(std::move(groups[i++]));
      continue;
    }
    std::size_t end = i;
    while (end < groups.size() && !fusions.is_sure(groups[end])) ++end;
    for (KernelGroup& group : fusions.regroup(std::span(groups).subspan(i, end - i))) {
      result.push_back(std::move(group));
    }
    i = end;
  }
  fusions.join_moved(result);
  fusions.adopt_lonely(result);
  return result;
}

}  // namespace lockstep::analysis::compare
