// Pairs streams, then items, then kernels; adjusts p over all rows at the end.
#include "analysis/compare/compare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "algo/statistics/significance.h"
#include "algo/statistics/statistics.h"
#include "analysis/compare/elapsed.h"
#include "analysis/compare/items/folding.h"
#include "analysis/compare/matching.h"
#include "analysis/compare/rows.h"

namespace lockstep::analysis::compare {
namespace {

constexpr std::array<std::string_view, 2> kPairNames = {"loop", "segment"};
constexpr std::array<std::string_view, 8> kRowNames = {"same",   "similar", "fused", "split",
                                                       "only_a", "only_b",  "idle",  "overlap"};

// A clock coarser than this is none of a device; durations that happen to be round are not ticks.
constexpr std::int64_t kCoarsestTickPs = kPicosecondsPerMicrosecond;

// Folding must make a pair more alike by at least this.
constexpr double kMinFoldGain = 0.05;

// One trace of the two.
struct Side {
  const cycles::Cycles& cycles;
  std::vector<std::vector<KernelClass>> classes;  // by stream, by symbol
  std::vector<std::vector<CompareItem>> items;    // by stream
  std::vector<std::vector<CompareItem>> inner;    // likewise: layers of passes that are items
  breakdown::DeviceOccupancy occupancy;
  std::int64_t tick_ps = 0;  // the largest step that all durations are whole multiples of

  Side(const trace::Trace& trace, const cycles::Cycles& found, KernelBook& book,
       IterationShare share, const ItemRules& rules)
      : cycles(found), occupancy(trace) {
    for (std::uint32_t i = 0; i < cycles.streams.size(); ++i) {
      const cycles::StreamCycles& stream = cycles.streams[i];
      classes.push_back(book.enter(trace, stream.stream));
      items.push_back(compare_items(stream, i, share, rules));
      inner.push_back(inner_items(stream, i, rules));
      for (std::size_t k = 0; k < stream.stream.size(); ++k) {
        tick_ps = std::gcd(tick_ps, stream.stream.duration(k).ps);
      }
    }
    tick_ps = std::min(tick_ps, kCoarsestTickPs);
  }

  [[nodiscard]] StreamItems stream(std::uint32_t i) const {
    return {cycles.streams[i].stream, classes[i], items[i]};
  }
  [[nodiscard]] StreamItems inner_of(std::uint32_t i) const {
    return {cycles.streams[i].stream, classes[i], inner[i]};
  }
  // What its device did in these windows.
  void break_down(std::uint32_t i, const std::vector<breakdown::Window>& windows,
                  PairSide& side) const {
    if (windows.empty()) return;
    const cycles::KernelStream& stream = cycles.streams[i].stream;
    const breakdown::Occupancy& device = occupancy.of(stream.rank, stream.device);
    side.breakdown = device.over(windows);
    side.extent = windows.front();
    for (const breakdown::Window& window : windows)
      side.extent.end = std::max(side.extent.end, window.end);
    std::vector<std::int64_t> stretches;
    for (const Time stretch : device.idle_stretches(windows)) stretches.push_back(stretch.ps);
    if (!stretches.empty()) side.idle = {stretches.size(), Time{algo::median(stretches)}};
  }
  [[nodiscard]] ItemSamples samples(std::uint32_t i, const CompareItem& item,
                                    SampleWindow window) const {
    return take_samples(item, cycles.streams[i].stream, classes[i], window);
  }
};

class Comparer {
 public:
  Comparer(const KernelBook& book, const Side& a, const Side& b, const CompareOptions& options)
      : book_(book), a_(a), b_(b) {
    result_.options = options;
    limits_.share = options.min_change;
    limits_.floor =
        static_cast<double>(std::max({a.tick_ps, b.tick_ps, options.min_difference.ps}));
  }

  Comparison run() {
    const Partners partners =
        match_streams(book_, a_.cycles.streams, a_.classes, b_.cycles.streams, b_.classes);
    std::vector<bool> is_partner(b_.cycles.streams.size(), false);
    for (std::uint32_t i = 0; i < partners.size(); ++i) {
      if (partners[i]) is_partner[*partners[i]] = true;
      add_stream(i, partners[i]);
    }
    for (std::uint32_t j = 0; j < is_partner.size(); ++j) {
      if (!is_partner[j]) add_stream(std::nullopt, j);
    }
    drop_unwanted();
    add_totals();
    result_.unmatched_a = unmatched(&ComparePair::a);
    result_.unmatched_b = unmatched(&ComparePair::b);
    find_elapsed(a_.cycles, result_);
    judge();
    return std::move(result_);
  }

 private:
  void add_stream(std::optional<std::uint32_t> i, std::optional<std::uint32_t> j) {
    StreamPair pair{i, j, 0};
    if (i && j) {
      pair.similarity = stream_similarity(book_, a_.cycles.streams[*i].stream, a_.classes[*i],
                                          b_.cycles.streams[*j].stream, b_.classes[*j]);
      add_pairs(*i, *j);
      add_inner_pairs(*i, *j);
    } else if (i) {
      for (const CompareItem& item : a_.items[*i]) add_lonely(item, a_, *i, &ComparePair::a);
    } else if (j) {
      for (const CompareItem& item : b_.items[*j]) add_lonely(item, b_, *j, &ComparePair::b);
    }
    result_.streams.push_back(pair);
  }

  void add_pairs(std::uint32_t i, std::uint32_t j) {
    const std::vector<CompareItem>& left = a_.items[i];
    const std::vector<CompareItem>& right = b_.items[j];
    const Partners partners =
        match_items(book_, a_.stream(i), b_.stream(j), result_.options.min_similarity,
                    result_.options.pair_phases);
    std::vector<bool> is_partner(right.size(), false);
    for (std::size_t k = 0; k < left.size(); ++k) {
      if (!partners[k]) {
        add_lonely(left[k], a_, i, &ComparePair::a);
        continue;
      }
      const CompareItem& other = right[*partners[k]];
      ComparePair pair = best_pair({i, left[k]}, {j, other});
      // Profiles promised more than the order of the kernels keeps.
      if (pair.similarity < result_.options.min_similarity) {
        add_lonely(left[k], a_, i, &ComparePair::a);
        continue;
      }
      is_partner[*partners[k]] = true;
      result_.pairs.push_back(std::move(pair));
    }
    for (std::size_t k = 0; k < right.size(); ++k) {
      if (!is_partner[k]) add_lonely(right[k], b_, j, &ComparePair::b);
    }
  }

  // What has no partner is in the pass around it, and told there.
  void add_inner_pairs(std::uint32_t i, std::uint32_t j) {
    const Partners partners =
        match_items(book_, a_.inner_of(i), b_.inner_of(j), result_.options.min_similarity,
                    result_.options.pair_phases);
    for (std::size_t k = 0; k < partners.size(); ++k) {
      if (!partners[k]) continue;
      ComparePair pair = best_pair({i, a_.inner[i][k]}, {j, b_.inner[j][*partners[k]]});
      if (pair.similarity < result_.options.min_similarity) continue;
      pair.is_inside = true;
      result_.pairs.push_back(std::move(pair));
    }
  }

  struct StreamItem {
    std::uint32_t stream;
    const CompareItem& item;
  };

  [[nodiscard]] ComparePair pair_up(const StreamItem& a, const StreamItem& b) const {
    const SampleWindow window = window_for(a.item, b.item);
    const ItemSamples of_a = a_.samples(a.stream, a.item, window);
    const ItemSamples of_b = b_.samples(b.stream, b.item, window);
    ComparePair pair = pair_items(book_, a.item, of_a, b.item, of_b, limits_);
    a_.break_down(a.stream, of_a.windows, *pair.a);
    b_.break_down(b.stream, of_b.windows, *pair.b);
    return pair;
  }

  // As the items are, or with iterations of the shorter one folded where that makes them more
  // alike.
  [[nodiscard]] ComparePair best_pair(const StreamItem& a, const StreamItem& b) const {
    ComparePair best = pair_up(a, b);
    const bool is_a_shorter = a.item.body.size() < b.item.body.size();
    const StreamItem& shorter = is_a_shorter ? a : b;
    const StreamItem& longer = is_a_shorter ? b : a;
    double wanted = best.similarity + kMinFoldGain;
    for (const std::uint32_t count :
         fold_counts(shorter.item.body.size(), longer.item.body.size())) {
      const std::optional<CompareItem> folded = fold(shorter.item, count);
      if (!folded) continue;
      const StreamItem joined{shorter.stream, *folded};
      ComparePair pair = is_a_shorter ? pair_up(joined, b) : pair_up(a, joined);
      if (pair.similarity <= wanted) continue;
      wanted = pair.similarity;
      best = std::move(pair);
    }
    return best;
  }

  void add_lonely(const CompareItem& item, const Side& side, std::uint32_t stream,
                  std::optional<PairSide> ComparePair::* where) {
    ComparePair pair;
    pair.kind = item.side.loop ? PairKind::kLoop : PairKind::kSegment;
    pair.*where = side_of(item, side.samples(stream, item, window_for(item, item)).wall);
    result_.pairs.push_back(std::move(pair));
  }

  void drop_unwanted() {
    const auto& keep = result_.options.keep;
    if (keep) std::erase_if(result_.pairs, [&](const ComparePair& pair) { return !keep(pair); });
  }

  void add_totals() {
    // 64 bits of nanoseconds hold the longest walls of some hundred streams, not of all.
    WideTime of_a = 0;
    WideTime delta = 0;
    for (const ComparePair& pair : result_.pairs) {
      if (!is_compared(pair) || pair.is_inside) continue;
      of_a += WideTime{pair.a->wall_ns} * pair.a->iterations;
      delta += WideTime{*pair.delta_ns} * pair.a->iterations;
    }
    result_.total_ns_a = in_64_bits(of_a);
    result_.total_delta_ns = in_64_bits(delta);
  }

  [[nodiscard]] Unmatched unmatched(std::optional<PairSide> ComparePair::* side) const {
    WideTime alone = 0;
    WideTime all = 0;
    for (const ComparePair& pair : result_.pairs) {
      if (!(pair.*side) || pair.is_inside) continue;
      const WideTime wall = WideTime{(pair.*side)->wall_ns} * (pair.*side)->iterations;
      all += wall;
      if (!is_compared(pair)) alone += wall;
    }
    return {in_64_bits(alone),
            all == 0 ? 0 : static_cast<double>(alone) / static_cast<double>(all)};
  }

  [[nodiscard]] static std::int64_t in_64_bits(WideTime ns) {
    using Limits = std::numeric_limits<std::int64_t>;
    return static_cast<std::int64_t>(
        std::clamp<WideTime>(ns, WideTime{Limits::min()}, WideTime{Limits::max()}));
  }

  // Adjusts p over all rows and walls together, and says which differences are beyond noise.
  void judge() {
    std::vector<double> p;
    for_each_tested([&](auto& tested, double, double) { p.push_back(*tested.p); });
    const std::vector<double> adjusted = algo::adjust_for_many(p);
    std::size_t at = 0;
    for_each_tested([&](auto& tested, double mean_a, double mean_b) {
      tested.adjusted_p = adjusted[at++];
      tested.is_significant = *tested.adjusted_p <= result_.options.false_discovery_rate &&
                              tested.is_sound && limits_.allow(mean_a, mean_b);
    });
    for (ComparePair& pair : result_.pairs) {
      pair.is_significant = pair.is_significant && pair.is_same_work;
      for (CompareRow& row : pair.rows) {
        row.is_significant = row.is_significant && pair.is_same_work;
        result_.rows_tested += row.p && pair.is_same_work ? 1 : 0;
        result_.rows_significant += row.is_significant ? 1 : 0;
      }
    }
  }

  template <typename Use>
  void for_each_tested(Use use) {
    for (ComparePair& pair : result_.pairs) {
      if (pair.p) use(pair, pair.a->wall_mean_ps, pair.b->wall_mean_ps);
      for (CompareRow& row : pair.rows) {
        if (row.p) use(row, row.a.mean_ps, row.b.mean_ps);
      }
    }
  }

  const KernelBook& book_;
  const Side& a_;
  const Side& b_;
  algo::DifferenceLimits limits_;
  Comparison result_;
};

}  // namespace

std::string_view name_of(PairKind kind) { return kPairNames[static_cast<std::size_t>(kind)]; }
std::string_view name_of(RowKind kind) { return kRowNames[static_cast<std::size_t>(kind)]; }

bool is_compared(const ComparePair& pair) { return pair.a && pair.b && pair.is_same_work; }

std::optional<double> Comparison::total_percent() const {
  if (total_ns_a == 0) return std::nullopt;
  return 100 * static_cast<double>(total_delta_ns) / static_cast<double>(total_ns_a);
}

std::optional<double> Comparison::elapsed_percent() const {
  if (elapsed_ns_a == 0) return std::nullopt;
  return 100 * static_cast<double>(elapsed_delta_ns) / static_cast<double>(elapsed_ns_a);
}

Comparison compare(const trace::Trace& a, const cycles::Cycles& cycles_a, const trace::Trace& b,
                   const cycles::Cycles& cycles_b, const CompareOptions& options) {
  KernelBook book;
  const ItemRules rules = item_rules(cycles_a, cycles_b);
  const Side left(a, cycles_a, book, options.iterations_a, rules);
  const Side right(b, cycles_b, book, options.iterations_b, rules);
  return Comparer(book, left, right, options).run();
}

}  // namespace lockstep::analysis::compare
