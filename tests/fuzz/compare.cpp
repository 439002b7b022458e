// Any two runs compared: the rows of a pair add up to its walls, the pairs that lie in no other one
// to the totals, and a run compared with itself shows no difference. The first byte says which part
// of the others is run A; the rest is run B (made_kernels_for_test.h).
#include "analysis/compare/compare.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fuzz_check.h"
#include "made_kernels_for_test.h"

namespace lockstep {
namespace {

// Between 0 and 1, and a number.
bool is_share(double value) { return value >= 0 && value <= 1; }
bool is_share(const std::optional<double>& value) { return !value || is_share(*value); }

std::size_t size_of(const analysis::cycles::Cycles& cycles,
                    const analysis::compare::PairSide& side) {
  LOCKSTEP_FUZZ_CHECK(side.stream < cycles.streams.size());
  const analysis::cycles::StreamCycles& stream = cycles.streams[side.stream];
  LOCKSTEP_FUZZ_CHECK(!side.loop || *side.loop < stream.loops.size());
  return stream.stream.size();
}

void check_side(const analysis::cycles::Cycles& cycles, const analysis::compare::PairSide& side) {
  LOCKSTEP_FUZZ_CHECK(side.start < side.end && side.end <= size_of(cycles, side));
  LOCKSTEP_FUZZ_CHECK(side.iterations > 0 && side.folded > 0);
  LOCKSTEP_FUZZ_CHECK(std::isfinite(side.wall_mean_ps) && side.wall_stddev_ps >= 0);
}

// Returns the difference of a pair.
std::int64_t check_rows(const analysis::compare::ComparePair& pair) {
  std::int64_t of_a = 0;
  std::int64_t of_b = 0;
  std::int64_t delta = 0;
  for (const analysis::compare::CompareRow& row : pair.rows) {
    LOCKSTEP_FUZZ_CHECK(row.delta_ns == row.b.mean_ns - row.a.mean_ns);
    LOCKSTEP_FUZZ_CHECK(is_share(row.p) && is_share(row.adjusted_p));
    LOCKSTEP_FUZZ_CHECK(!row.percent || std::isfinite(*row.percent));
    of_a += row.a.mean_ns;
    of_b += row.b.mean_ns;
    delta += row.delta_ns;
  }
  LOCKSTEP_FUZZ_CHECK(of_a == pair.a->wall_ns && of_b == pair.b->wall_ns);
  LOCKSTEP_FUZZ_CHECK(pair.delta_ns && delta == *pair.delta_ns);
  return delta;
}

void check_pairs(const analysis::cycles::Cycles& a, const analysis::cycles::Cycles& b,
                 const analysis::compare::Comparison& comparison) {
  std::int64_t total = 0;
  for (const analysis::compare::ComparePair& pair : comparison.pairs) {
    LOCKSTEP_FUZZ_CHECK(pair.a || pair.b);
    LOCKSTEP_FUZZ_CHECK(is_share(pair.similarity));
    if (pair.a) check_side(a, *pair.a);
    if (pair.b) check_side(b, *pair.b);
    if (!pair.a || !pair.b) {
      LOCKSTEP_FUZZ_CHECK(!pair.delta_ns && pair.rows.empty());
      continue;
    }
    const std::int64_t delta = check_rows(pair);
    if (analysis::compare::is_compared(pair) && !pair.is_inside)
      total += delta * pair.a->iterations;
  }
  LOCKSTEP_FUZZ_CHECK(total == comparison.total_delta_ns);
  LOCKSTEP_FUZZ_CHECK(comparison.rows_significant <= comparison.rows_tested);
}

void check_with_itself(const trace::Trace& trace, const analysis::cycles::Cycles& cycles) {
  const analysis::compare::Comparison same =
      analysis::compare::compare(trace, cycles, trace, cycles);
  check_pairs(cycles, cycles, same);
  LOCKSTEP_FUZZ_CHECK(same.total_delta_ns == 0 && same.rows_significant == 0);
  for (const analysis::compare::ComparePair& pair : same.pairs) {
    LOCKSTEP_FUZZ_CHECK(pair.a && pair.b);
    LOCKSTEP_FUZZ_CHECK(pair.a->start == pair.b->start && pair.a->end == pair.b->end);
  }
}

}  // namespace
}  // namespace lockstep

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  if (size < 2) return 0;
  const auto bytes = std::span(data, size).subspan(1);
  const std::size_t of_a = bytes.size() * data[0] / 256;
  const MadeKernels a(bytes.first(of_a));
  const MadeKernels b(bytes.subspan(of_a));
  analysis::cycles::CyclesOptions options;
  options.threads = 1;
  const analysis::cycles::Cycles cycles_a = analysis::cycles::find_cycles(a.trace(), options);
  const analysis::cycles::Cycles cycles_b = analysis::cycles::find_cycles(b.trace(), options);
  check_pairs(cycles_a, cycles_b,
              analysis::compare::compare(a.trace(), cycles_a, b.trace(), cycles_b));
  check_with_itself(a.trace(), cycles_a);
  return 0;
}
