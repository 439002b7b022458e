// What changed between two traces: loops and the segments between them paired up, the kernels of a
// pair aligned, and for every row whether the difference is beyond noise. `lockstep compare` prints
// it.
//
// All sums are exact. Of a pair, on each side, the rows' mean_ns add up to wall_ns (idle is a row,
// overlap is a negative one), so the rows' delta_ns add up to the pair's delta_ns.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algo/statistics/series_difference.h"
#include "analysis/breakdown/breakdown.h"
#include "analysis/cycles/cycles.h"
#include "analysis/kernels/role.h"
#include "base/time.h"
#include "trace/trace.h"

namespace lockstep::analysis::compare {

// A part [from, to) of a loop's iterations, as shares of their number: {0, 0.5} is the first half.
struct IterationShare {
  double from = 0;
  double to = 1;
};

struct ComparePair;

struct CompareOptions {
  double min_similarity = 0.15;        // pairs below it are left unmatched
  double false_discovery_rate = 0.05;  // of the rows called significant (Benjamini-Hochberg)
  // A difference is called significant only beyond both: 1 % of the larger mean, and 64 ns (two
  // ticks of the coarsest device timer in use).
  double min_change = 0.01;
  Time min_difference{64'000};
  bool pair_phases = false;     // a prefill may go with a decode
  IterationShare iterations_a;  // segments are always compared whole
  IterationShare iterations_b;
  // Which pairs are wanted; all where it is empty. The others are in no sum, and p is not adjusted
  // for them.
  std::function<bool(const ComparePair&)> keep;
};

enum class PairKind : std::uint8_t { kLoop, kSegment };
[[nodiscard]] std::string_view name_of(PairKind kind);  // "loop", "segment"

enum class RowKind : std::uint8_t {
  kSame,     // one kernel on each side, same name
  kSimilar,  // one on each side: same signature, same role, or alone between the same neighbours
  kFused,    // several of A do what one of B does
  kSplit,    // one of A does what several of B do
  kOnlyA,
  kOnlyB,
  kIdle,     // no kernel runs
  kOverlap,  // several kernels run at once: counted once, hence a negative row
};
[[nodiscard]] std::string_view name_of(RowKind kind);  // "same", ..., "only_a", ..., "overlap"

struct RowKernel {
  std::string name;  // demangled
  std::string raw_name;
  kernels::KernelRole role = kernels::KernelRole::kOther;
  std::uint32_t position = 0;  // in the body, from 0; for kernels beyond the body its first place
  std::uint64_t count = 1;     // in the body; above 1 only where rows are names (see by_name)
};

// One side of a row. Times are per iteration; an iteration without the kernel counts as 0.
struct RowSide {
  std::vector<RowKernel> kernels;  // empty for idle, overlap and the other side of only_a, only_b
  std::int64_t mean_ns = 0;        // rounded so that all rows add up to wall_ns
  double mean_ps = 0;
  double stddev_ps = 0;  // of the population, as in `cycles`
  Time min;
  Time max;
};

struct CompareRow {
  RowKind kind = RowKind::kSame;
  // Kernels that some iterations have beyond the body of their loop, all of one name together.
  bool is_beyond_body = false;
  RowSide a;
  RowSide b;
  std::int64_t delta_ns = 0;         // b.mean_ns - a.mean_ns
  std::optional<double> percent;     // of A's mean; nothing where that is 0
  std::optional<double> p;           // two-sided; nothing where a side has one iteration
  std::optional<double> adjusted_p;  // for all rows and walls of the comparison
  bool is_sound = false;             // no drift, stray iteration or want of iterations explains it
  bool is_significant = false;
};

// The stretches of an iteration in which its device does nothing.
struct IdleStretches {
  std::uint64_t count = 0;  // in all iterations together
  Time median;
};

// A loop, or equal segments, of one side. Times are per iteration.
struct PairSide {
  std::uint32_t stream = 0;           // index of Cycles::streams
  std::optional<std::uint32_t> loop;  // index of StreamCycles::loops; nothing for a segment
  std::uint32_t start = 0;            // kernels [start, end) of the first occurrence or instance
  std::uint32_t end = 0;
  cycles::PhaseName phase = cycles::PhaseName::kUnknown;
  cycles::LoopRole role = cycles::LoopRole::kUnknown;
  std::uint32_t kernels = 0;     // of the body
  std::uint32_t iterations = 0;  // the sample: of the loop, or how often the segment occurs
  // Iterations of the loop that are compared as one, because one of the other side does the work of
  // so many; `kernels`, `iterations` and times are of those.
  std::uint32_t folded = 1;
  std::int64_t wall_ns = 0;  // mean, floored
  double wall_mean_ps = 0;
  double wall_stddev_ps = 0;
  // Of its device over the compared iterations, all streams together; empty where it has no
  // partner.
  breakdown::Breakdown breakdown = {};
  IdleStretches idle = {};
  breakdown::Window extent = {};  // from the first compared iteration to the end of the last
};

struct ComparePair {
  PairKind kind = PairKind::kLoop;  // kLoop when a side is one
  std::optional<PairSide> a;
  std::optional<PairSide> b;
  double similarity = 0;       // share of kernel time and count that is aligned, 0 to 1
  std::uint32_t rotation = 0;  // position of B's body that stands against position 0 of A's
  bool by_name = false;        // too long to align: a row is all kernels of one name
  // False where less than half is aligned, and where one side has far more kernels than the other,
  // and they stand alone: another level of the nest, or another workload. Nothing of it is
  // significant, and it is in no sum.
  bool is_same_work = true;
  // Layers of a pass that is compared whole, as another pair: in no sum.
  bool is_inside = false;
  // Its time passed by itself: no pair of another stream of the device has it already.
  bool is_elapsed = false;
  // Nothing (or empty) where a side is missing.
  std::optional<std::int64_t> delta_ns;  // b->wall_ns - a->wall_ns, the sum of the rows
  std::optional<double> percent;
  std::optional<double> p;  // of the walls
  std::optional<double> adjusted_p;
  bool is_sound = false;
  algo::Doubt doubt = algo::Doubt::kNone;  // where it is not sound
  bool is_significant = false;
  std::vector<CompareRow>
      rows;  // in the order of A's body; only_b where it stands; then what is
             // beyond the bodies, idle, overlap (left out where 0 on both sides)
};

// Whether both sides are there and do the same work: what sums are made of, but for layers inside.
[[nodiscard]] bool is_compared(const ComparePair& pair);

struct StreamPair {
  std::optional<std::uint32_t> a;  // indices of Cycles::streams
  std::optional<std::uint32_t> b;
  double similarity = 0;
};

// What of one trace has no partner in the other, or none that is the same work.
struct Unmatched {
  std::int64_t ns = 0;  // wall_ns x iterations
  double share = 0;     // of all that is compared of the trace, matched or not
};

struct Comparison {
  CompareOptions options;
  std::vector<StreamPair> streams;  // by A, then what only B has
  std::vector<ComparePair> pairs;   // stream by stream, by start in A; then what only B has
  std::int64_t total_ns_a = 0;      // of pairs that count: wall_ns x iterations in A
  std::int64_t total_delta_ns = 0;  // of those: delta_ns x iterations in A
  // The same without what streams of one device do at once, of the device on which A takes longest.
  std::int64_t elapsed_ns_a = 0;
  std::int64_t elapsed_delta_ns = 0;
  Unmatched unmatched_a;
  Unmatched unmatched_b;
  std::uint64_t rows_tested = 0;  // with a p, of pairs of the same work
  std::uint64_t rows_significant = 0;

  [[nodiscard]] std::optional<double> total_percent() const;
  [[nodiscard]] std::optional<double> elapsed_percent() const;
};

// Deterministic. O(mn) in the kernels of the two bodies of a pair, memory O(m + n).
[[nodiscard]] Comparison compare(const trace::Trace& a, const cycles::Cycles& cycles_a,
                                 const trace::Trace& b, const cycles::Cycles& cycles_b,
                                 const CompareOptions& options = {});

}  // namespace lockstep::analysis::compare
