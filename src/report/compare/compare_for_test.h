// A comparison made by hand for the tests of sinks: a pass that got slower, a segment of one
// iteration, a loop that only B has.
#pragma once

#include <string>
#include <utility>

#include "analysis/compare/compare.h"
#include "report/compare/compare_page.h"
#include "report/cycles/cycles_for_test.h"

namespace lockstep::report::compare {

inline analysis::compare::CompareRow row_for_test(analysis::compare::RowKind kind,
                                                  std::vector<std::string> a,
                                                  std::vector<std::string> b, std::int64_t ns_a,
                                                  std::int64_t ns_b) {
  analysis::compare::CompareRow row;
  row.kind = kind;
  for (auto* side : {&row.a, &row.b}) {
    for (std::string& name : side == &row.a ? a : b) {
      side->kernels.push_back({name, name, analysis::kernels::KernelRole::kGemm, 3, 1});
    }
    side->mean_ns = side == &row.a ? ns_a : ns_b;
    side->mean_ps = static_cast<double>(side->mean_ns * kPicosecondsPerNanosecond);
    side->stddev_ps = 2'000'000;
    side->min = Time{(side->mean_ns - 1) * kPicosecondsPerNanosecond};
    side->max = Time{(side->mean_ns + 1) * kPicosecondsPerNanosecond};
  }
  row.delta_ns = ns_b - ns_a;
  if (ns_a != 0)
    row.percent = 100.0 * static_cast<double>(row.delta_ns) / static_cast<double>(ns_a);
  row.p = 0.5;
  row.adjusted_p = 0.75;
  return row;
}

inline analysis::compare::PairSide side_for_test(std::optional<std::uint32_t> loop,
                                                 std::uint32_t iterations, std::int64_t wall_ns) {
  analysis::compare::PairSide side;
  side.loop = loop;
  side.start = 1;
  side.end = 25;
  side.phase = loop ? analysis::cycles::PhaseName::kDecode : analysis::cycles::PhaseName::kPrefill;
  side.role = loop ? analysis::cycles::LoopRole::kPass : analysis::cycles::LoopRole::kUnknown;
  side.kernels = 6;
  side.iterations = iterations;
  side.wall_ns = wall_ns;
  side.wall_mean_ps = static_cast<double>(wall_ns * kPicosecondsPerNanosecond);
  side.wall_stddev_ps = 5'000'000;
  return side;
}

inline analysis::compare::ComparePair slower_pass_for_test() {
  analysis::compare::ComparePair pair;
  pair.a = side_for_test(0, 4, 62'000);
  pair.b = side_for_test(0, 5, 74'400);
  pair.similarity = 0.8333333333;
  pair.delta_ns = 12'400;
  pair.percent = 20;
  pair.p = 0.001;
  pair.adjusted_p = 0.002;
  pair.is_significant = true;
  pair.rows = {
      row_for_test(analysis::compare::RowKind::kSame, {"gemm<a, b>"}, {"gemm<a, b>"}, 10'000,
                   9'900),
      row_for_test(analysis::compare::RowKind::kFused, {"mul", "add", "relu"}, {"triton_fused"},
                   9'000, 3'000),
      row_for_test(analysis::compare::RowKind::kSimilar, {"attn_v1"}, {"attn_v2"}, 20'000, 40'000),
      row_for_test(analysis::compare::RowKind::kOnlyA, {"norm"}, {}, 2'000, 0),
      row_for_test(analysis::compare::RowKind::kOnlyB, {}, {"copy"}, 0, 500),
      row_for_test(analysis::compare::RowKind::kIdle, {}, {}, 21'500, 21'700),
      row_for_test(analysis::compare::RowKind::kOverlap, {}, {}, -500, -700)};
  pair.rows[2].is_significant = true;
  return pair;
}

inline analysis::compare::Comparison comparison_for_test() {
  analysis::compare::Comparison comparison;
  analysis::compare::ComparePair segment;
  segment.kind = analysis::compare::PairKind::kSegment;
  segment.a = side_for_test(std::nullopt, 1, 1'000);
  segment.b = side_for_test(std::nullopt, 1, 1'000);
  segment.similarity = 1;
  segment.delta_ns = 0;
  segment.percent = 0;
  segment.rows = {
      row_for_test(analysis::compare::RowKind::kSame, {"embed"}, {"embed"}, 1'000, 1'000)};
  segment.rows[0].p.reset();
  segment.rows[0].adjusted_p.reset();
  analysis::compare::ComparePair only_b;
  only_b.b = side_for_test(0, 3, 7'000);
  comparison.pairs = {segment, slower_pass_for_test(), only_b};
  comparison.total_ns_a = 249'000;
  comparison.total_delta_ns = 49'600;
  comparison.rows_tested = 7;
  comparison.rows_significant = 1;
  return comparison;
}

inline const std::vector<formats::input::InputFacts> kInputA = {
    {"a.json", "kineto", io::Compression::kNone, 10, 10}};
inline const std::vector<formats::input::InputFacts> kInputB = {
    {"b.json", "kineto", io::Compression::kNone, 20, 20}};

inline std::string text_of(const analysis::compare::Comparison& comparison, std::size_t top = 10,
                           std::size_t width = 100) {
  const analysis::cycles::Cycles cycles{{cycles::passes_for_test()}};
  layout::TextStyle style;
  style.width = width;
  return compare_text({comparison, {cycles, kInputA}, {cycles, kInputB}}, top, style);
}

}  // namespace lockstep::report::compare
