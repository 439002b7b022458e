// Sides with deterministic noise, and the sums that every comparison keeps, for tests.
#pragma once

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "analysis/compare/compare.h"
#include "analysis/compare/side_for_test.h"

namespace lockstep::analysis::compare {

// Deterministic noise of a few ns.
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : state_(seed) {}
  std::int64_t next(std::int64_t below) {
    state_ = state_ * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
    return static_cast<std::int64_t>((state_ >> 33) % static_cast<std::uint64_t>(below));
  }

 private:
  std::uint64_t state_;
};

// A loop of GEMM, mul, attention and five adds; `gemm_ns` is what the GEMM takes besides noise.
inline TestSide loop_side(std::int64_t gemm_ns, std::uint64_t seed, std::uint32_t iterations = 16) {
  SideBuilder builder;
  Noise noise(seed);
  for (std::uint32_t i = 0; i < iterations; ++i) {
    builder.add({std::string(kGemmName), gemm_ns + noise.next(100), 300 + noise.next(50)});
    builder.add({std::string(kMulName), 2000 + noise.next(100)});
    builder.add({std::string(kFlashName), 9000 + noise.next(100)});
    for (int k = 0; k < 5; ++k) builder.add({std::string(kAddName), 1500 + noise.next(100)});
  }
  builder.loop(cycles::loop_of(0, 8, {cycles::instance_of(0, 8, iterations)}),
               cycles::LoopRole::kPass);
  return builder.side();
}

inline Comparison compare_sides(const TestSide& a, const TestSide& b,
                                const CompareOptions& options = {}) {
  return compare(a.trace, a.cycles, b.trace, b.cycles, options);
}

inline void expect_sums(const Comparison& comparison) {
  std::int64_t total = 0;
  for (const ComparePair& pair : comparison.pairs) {
    if (!pair.a || !pair.b) {
      EXPECT_FALSE(pair.delta_ns.has_value());
      EXPECT_TRUE(pair.rows.empty());
      continue;
    }
    std::int64_t of_a = 0;
    std::int64_t of_b = 0;
    std::int64_t delta = 0;
    for (const CompareRow& row : pair.rows) {
      EXPECT_EQ(row.delta_ns, row.b.mean_ns - row.a.mean_ns);
      of_a += row.a.mean_ns;
      of_b += row.b.mean_ns;
      delta += row.delta_ns;
    }
    EXPECT_EQ(of_a, pair.a->wall_ns);
    EXPECT_EQ(of_b, pair.b->wall_ns);
    EXPECT_EQ(delta, *pair.delta_ns);
    if (is_compared(pair) && !pair.is_inside) total += delta * pair.a->iterations;
  }
  EXPECT_EQ(total, comparison.total_delta_ns);
}

}  // namespace lockstep::analysis::compare
