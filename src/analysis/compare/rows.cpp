// Rows of a pair: their samples, their means rounded to add up, their p.
#include "analysis/compare/rows.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "algo/statistics/largest_remainder.h"
#include "algo/statistics/statistics.h"

namespace lockstep::analysis::compare {
namespace {

// Samples of both sides of each row, beside the rows.
struct RowSamples {
  Sample a;
  Sample b;
};

std::optional<double> percent_of(double change, double whole) {
  if (whole == 0) return std::nullopt;
  return 100 * change / whole;
}

class PairRows {
 public:
  PairRows(const KernelBook& book, const ItemSamples& a, const ItemSamples& b)
      : book_(book), a_(a), b_(b) {}

  void add_groups(const BodyPairing& pairing) {
    for (const KernelGroup& group : pairing.groups) {
      CompareRow row;
      row.kind = group.kind;
      row.a.kernels = kernels_at(a_, group.a, pairing.by_name);
      row.b.kernels = kernels_at(b_, group.b, pairing.by_name);
      add(std::move(row), sum_at(a_, group.a), sum_at(b_, group.b));
    }
  }

  void add_beyond() {
    std::map<KernelClass, const ExtraKernels*> of_b;
    for (const ExtraKernels& extra : b_.beyond) of_b.emplace(extra.kernel, &extra);
    for (const ExtraKernels& extra : a_.beyond) {
      const auto found = of_b.find(extra.kernel);
      const bool is_common = found != of_b.end();
      add_extra(&extra, is_common ? found->second : nullptr);
      if (is_common) of_b.erase(found);
    }
    for (const ExtraKernels& extra : b_.beyond) {
      if (of_b.contains(extra.kernel)) add_extra(nullptr, &extra);
    }
  }

  void add_rest(RowKind kind, const Sample& a, const Sample& b) {
    const auto is_zero = [](std::int64_t value) { return value == 0; };
    if (std::ranges::all_of(a, is_zero) && std::ranges::all_of(b, is_zero)) return;
    CompareRow row;
    row.kind = kind;
    add(std::move(row), a, b);
  }

  [[nodiscard]] std::vector<CompareRow> finish(const algo::DifferenceLimits& limits) {
    round_means(&CompareRow::a, &RowSamples::a);
    round_means(&CompareRow::b, &RowSamples::b);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      CompareRow& row = rows_[i];
      row.delta_ns = row.b.mean_ns - row.a.mean_ns;
      row.percent = percent_of(row.b.mean_ps - row.a.mean_ps, std::abs(row.a.mean_ps));
      const algo::SeriesDifference found =
          algo::compare_series(samples_[i].a, samples_[i].b, limits);
      row.p = found.p;
      row.is_sound = found.is_sound;
    }
    return std::move(rows_);
  }

 private:
  [[nodiscard]] RowKernel kernel(KernelClass its_class, std::uint32_t position) const {
    const KernelEntry& entry = book_[its_class];
    return {entry.name, entry.raw_name, entry.facts.role, position, 1};
  }

  [[nodiscard]] std::vector<RowKernel> kernels_at(const ItemSamples& samples,
                                                  const std::vector<std::uint32_t>& positions,
                                                  bool by_name) const {
    std::vector<RowKernel> kernels;
    for (const std::uint32_t position : positions) {
      if (by_name && !kernels.empty()) {
        ++kernels.front().count;
      } else {
        kernels.push_back(kernel(samples.body.kernels[position], position));
      }
    }
    return kernels;
  }

  [[nodiscard]] static Sample sum_at(const ItemSamples& samples,
                                     const std::vector<std::uint32_t>& positions) {
    Sample sum(samples.wall.size());
    for (const std::uint32_t position : positions) {
      const Sample& one = samples.positions[position];
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += one[i];
    }
    return sum;
  }

  void add_extra(const ExtraKernels* a, const ExtraKernels* b) {
    CompareRow row;
    row.kind = b == nullptr ? RowKind::kOnlyA : (a == nullptr ? RowKind::kOnlyB : RowKind::kSame);
    row.is_beyond_body = true;
    if (a != nullptr) row.a.kernels = {kernel(a->kernel, a->first_place)};
    if (b != nullptr) row.b.kernels = {kernel(b->kernel, b->first_place)};
    add(std::move(row), a != nullptr ? a->sample : Sample(a_.wall.size()),
        b != nullptr ? b->sample : Sample(b_.wall.size()));
  }

  static void fill(RowSide& side, const Sample& sample) {
    const algo::Moments of_sample = algo::moments(sample);
    side.mean_ps = of_sample.mean();
    side.stddev_ps = of_sample.stddev();
    const auto [min, max] = std::ranges::minmax(sample);
    side.min = {min};
    side.max = {max};
  }

  void add(CompareRow row, Sample a, Sample b) {
    fill(row.a, a);
    fill(row.b, b);
    rows_.push_back(std::move(row));
    samples_.push_back({std::move(a), std::move(b)});
  }

  void round_means(RowSide CompareRow::* side, Sample RowSamples::* sample) {
    if (rows_.empty()) return;
    std::vector<WideTime> sums;
    for (const RowSamples& of_row : samples_) sums.push_back(algo::moments(of_row.*sample).sum());
    const auto count = static_cast<std::int64_t>((samples_.front().*sample).size());
    const std::vector<std::int64_t> means =
        algo::round_to_sum(sums, WideTime{count} * kPicosecondsPerNanosecond);
    for (std::size_t i = 0; i < rows_.size(); ++i) (rows_[i].*side).mean_ns = means[i];
  }

  const KernelBook& book_;
  const ItemSamples& a_;
  const ItemSamples& b_;
  std::vector<CompareRow> rows_;
  std::vector<RowSamples> samples_;
};

// Beyond this many kernels of one side to one of the other, most must stand in groups of both: one
// fused kernel does the work of several, but half of an iteration never does that of a whole one.
constexpr double kMaxKernelRatio = 1.5;
constexpr double kMaxAlone = 1.0 / 3;
// With less in common than this it is other work: segments are whatever lies between loops, and
// iterations as one make any two lengths alike. The same model on two vendors' devices, compiled or
// not, has 0.7 and more in common.
constexpr double kMinAlike = 0.5;

bool is_same_work(const BodyPairing& pairing, std::size_t size_a, std::size_t size_b) {
  if (pairing.similarity < kMinAlike) return false;
  const auto shorter = static_cast<double>(std::min(size_a, size_b));
  const auto longer = static_cast<double>(std::max(size_a, size_b));
  if (longer <= kMaxKernelRatio * shorter) return true;
  std::size_t alone = 0;
  for (const KernelGroup& group : pairing.groups) {
    if (group.kind == RowKind::kOnlyA && size_a > size_b) alone += group.a.size();
    if (group.kind == RowKind::kOnlyB && size_b > size_a) alone += group.b.size();
  }
  return static_cast<double>(alone) <= kMaxAlone * longer;
}

}  // namespace

PairSide side_of(const CompareItem& item, const Sample& walls) {
  PairSide side = item.side;
  const algo::Moments of_walls = algo::moments(walls);
  const auto count = static_cast<std::int64_t>(walls.size());
  side.wall_ns = static_cast<std::int64_t>(
      algo::floor_divide(of_walls.sum(), WideTime{count} * kPicosecondsPerNanosecond));
  side.wall_mean_ps = of_walls.mean();
  side.wall_stddev_ps = of_walls.stddev();
  return side;
}

ComparePair pair_items(const KernelBook& book, const CompareItem& a, const ItemSamples& samples_a,
                       const CompareItem& b, const ItemSamples& samples_b,
                       const algo::DifferenceLimits& limits) {
  ComparePair pair;
  const bool are_loops = a.side.loop.has_value() && b.side.loop.has_value();
  pair.kind = a.side.loop || b.side.loop ? PairKind::kLoop : PairKind::kSegment;
  pair.a = side_of(a, samples_a.wall);
  pair.b = side_of(b, samples_b.wall);
  const BodyPairing pairing = pair_bodies(book, samples_a.body, samples_b.body, are_loops);
  pair.similarity = pairing.similarity;
  pair.rotation = pairing.rotation;
  pair.by_name = pairing.by_name;
  pair.is_same_work = is_same_work(pairing, samples_a.body.size(), samples_b.body.size());
  pair.delta_ns = pair.b->wall_ns - pair.a->wall_ns;
  pair.percent = percent_of(pair.b->wall_mean_ps - pair.a->wall_mean_ps, pair.a->wall_mean_ps);
  const algo::SeriesDifference walls = algo::compare_series(samples_a.wall, samples_b.wall, limits);
  pair.p = walls.p;
  pair.is_sound = walls.is_sound;
  pair.doubt = walls.doubt;
  PairRows rows(book, samples_a, samples_b);
  rows.add_groups(pairing);
  rows.add_beyond();
  rows.add_rest(RowKind::kIdle, samples_a.idle, samples_b.idle);
  rows.add_rest(RowKind::kOverlap, samples_a.overlap, samples_b.overlap);
  pair.rows = rows.finish(limits);
  return pair;
}

}  // namespace lockstep::analysis::compare
