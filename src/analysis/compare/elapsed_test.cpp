// Streams that run at once count once; layers and single prefills of real traces.
#include "analysis/compare/elapsed.h"

#include <gtest/gtest.h>

#include "analysis/compare/side_for_test.h"
#include "trace/trace_for_test.h"

namespace lockstep::analysis::compare {
namespace {

// Two streams of one device and one of another; the first has the most kernels.
cycles::Cycles three_streams() {
  cycles::Cycles cycles;
  for (const std::size_t kernels : {9U, 5U, 7U}) {
    cycles.streams.emplace_back();
    cycles.streams.back().stream.names.resize(kernels);
    cycles.streams.back().stream.device = trace::DeviceId{0};
  }
  cycles.streams[2].stream.device = trace::DeviceId{1};
  return cycles;
}

ComparePair pair_on(std::uint32_t stream, std::int64_t start, std::int64_t end,
                    std::int64_t wall_ns, std::int64_t delta_ns) {
  ComparePair pair;
  pair.a.emplace();
  pair.a->stream = stream;
  pair.a->iterations = 2;
  pair.a->wall_ns = wall_ns;
  pair.a->extent = {Time{start}, Time{end}};
  pair.b = pair.a;
  pair.delta_ns = delta_ns;
  return pair;
}

TEST(Elapsed, WhatRunsBesideTheMainStreamIsNotCountedAgain) {
  Comparison comparison;
  comparison.pairs = {pair_on(1, 0, 100, 40, 4), pair_on(0, 0, 100, 50, 5),
                      pair_on(1, 200, 300, 30, -3)};
  find_elapsed(three_streams(), comparison);
  EXPECT_FALSE(comparison.pairs[0].is_elapsed);
  EXPECT_TRUE(comparison.pairs[1].is_elapsed);
  EXPECT_TRUE(comparison.pairs[2].is_elapsed);  // at another time
  EXPECT_EQ(comparison.elapsed_ns_a, 160);
  EXPECT_EQ(comparison.elapsed_delta_ns, 4);
  EXPECT_DOUBLE_EQ(comparison.elapsed_percent().value(), 2.5);
}

TEST(Elapsed, PairsOfOneStreamAllCount) {
  Comparison comparison;
  comparison.pairs = {pair_on(0, 0, 100, 40, 4), pair_on(0, 10, 20, 5, 1)};
  find_elapsed(three_streams(), comparison);
  EXPECT_EQ(comparison.elapsed_ns_a, 90);
}

TEST(Elapsed, TheDeviceThatTakesLongestCounts) {
  Comparison comparison;
  comparison.pairs = {pair_on(0, 0, 100, 40, 4), pair_on(2, 0, 100, 50, -7)};
  find_elapsed(three_streams(), comparison);
  EXPECT_TRUE(comparison.pairs[0].is_elapsed);
  EXPECT_TRUE(comparison.pairs[1].is_elapsed);
  EXPECT_EQ(comparison.elapsed_ns_a, 100);
  EXPECT_EQ(comparison.elapsed_delta_ns, -14);
}

TEST(Elapsed, NothingMatchedIsNoTime) {
  Comparison comparison;
  comparison.pairs.emplace_back();
  find_elapsed(three_streams(), comparison);
  EXPECT_EQ(comparison.elapsed_ns_a, 0);
  EXPECT_FALSE(comparison.elapsed_percent().has_value());
}

// A prefill of six layers of eight kernels each, then nothing: one pass that is no loop.
TestSide lone_prefill(std::int64_t attention_ns) {
  SideBuilder builder;
  builder.add({"embedding", 500});
  for (int layer = 0; layer < 6; ++layer) {
    for (int gemm = 0; gemm < 7; ++gemm) builder.add({std::string(kGemmName), 1000 + layer, 100});
    builder.add({std::string(kFlashName), attention_ns + layer});
  }
  builder.loop(cycles::loop_of(0, 8, {cycles::instance_of(1, 8, 6)}), cycles::LoopRole::kLayer,
               cycles::PhaseName::kPrefill);
  cycles::PhaseSpan span;
  span.phase = cycles::PhaseName::kPrefill;
  span.end = builder.size();
  span.passes = 1;
  span.layers = 6;
  builder.phase(span);
  return builder.side();
}

TEST(LonePrefill, IsComparedWholeAndLayerByLayer) {
  const TestSide a = lone_prefill(2000);
  const TestSide b = lone_prefill(4000);
  const Comparison comparison = compare(a.trace, a.cycles, b.trace, b.cycles);
  ASSERT_EQ(comparison.pairs.size(), 2U);
  EXPECT_EQ(comparison.pairs[0].kind, PairKind::kSegment);
  EXPECT_FALSE(comparison.pairs[0].is_inside);
  EXPECT_FALSE(comparison.pairs[0].p.has_value());
  const ComparePair& layers = comparison.pairs[1];
  EXPECT_TRUE(layers.is_inside);
  EXPECT_EQ(layers.a->iterations, 6U);
  EXPECT_EQ(layers.delta_ns, 2000);
  EXPECT_TRUE(layers.is_significant);
  // The layers are in the pass already.
  EXPECT_EQ(comparison.total_delta_ns, 12'000);
  EXPECT_FALSE(layers.is_elapsed);
}

// Six passes of eight kernels of one phase.
TestSide passes_of(cycles::PhaseName phase) {
  SideBuilder builder;
  for (int pass = 0; pass < 6; ++pass) {
    for (int gemm = 0; gemm < 7; ++gemm) builder.add({std::string(kGemmName), 1000, 100});
    builder.add({std::string(kFlashName), 2000});
  }
  builder.loop(cycles::loop_of(0, 8, {cycles::instance_of(0, 8, 6)}), cycles::LoopRole::kPass,
               phase);
  return builder.side();
}

TEST(PairPhases, PrefillGoesWithDecodeOnRequestOnly) {
  const TestSide a = passes_of(cycles::PhaseName::kPrefill);
  const TestSide b = passes_of(cycles::PhaseName::kDecode);
  CompareOptions options;
  EXPECT_EQ(compare(a.trace, a.cycles, b.trace, b.cycles, options).pairs.size(), 2U);
  options.pair_phases = true;
  const Comparison comparison = compare(a.trace, a.cycles, b.trace, b.cycles, options);
  ASSERT_EQ(comparison.pairs.size(), 1U);
  EXPECT_TRUE(comparison.pairs[0].a && comparison.pairs[0].b);
}

TEST(PairBreakdown, AddsUpToTheWallOfThePair) {
  trace::TestTrace made;
  const trace::DeviceId device = made.add_device("0");
  const trace::TrackId stream = made.add_stream(device, "7");
  for (std::int64_t i = 0; i < 6; ++i) {
    made.add(stream, trace::Kind::kKernel, kGemmName, 1000 * i, 300);
    made.add(stream, trace::Kind::kMemcpy, "Memcpy DtoH", 1000 * i + 300, 100);
    made.add(stream, trace::Kind::kKernel, kFlashName, 1000 * i + 500, 200);
  }
  const cycles::Cycles found = cycles::find_cycles(made.trace);
  const Comparison comparison = compare(made.trace, found, made.trace, found);
  ASSERT_EQ(comparison.pairs.size(), 1U);
  const breakdown::Breakdown& times = comparison.pairs[0].a->breakdown;
  EXPECT_EQ(times.windows, 5U);  // the last one lacks the gap to the next
  EXPECT_EQ(times.wall, WideTime{5000} * kPicosecondsPerNanosecond);
  EXPECT_EQ(times[breakdown::Part::kGemm].elapsed, WideTime{1500} * kPicosecondsPerNanosecond);
  EXPECT_EQ(times[breakdown::Part::kMemcpy].elapsed, WideTime{500} * kPicosecondsPerNanosecond);
  EXPECT_EQ(times.idle(), WideTime{2000} * kPicosecondsPerNanosecond);
  EXPECT_EQ(comparison.pairs[0].a->idle.count, 10U);
  EXPECT_TRUE(comparison.pairs[0].is_elapsed);
}

}  // namespace
}  // namespace lockstep::analysis::compare
