// Loops made by hand for the tests of sinks: four passes of six kernels, in each two layers of two,
// after one kernel that belongs to none; the last two passes take longer.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis/cycles/cycles.h"

namespace lockstep::report::cycles {

inline Time test_us(std::int64_t us) { return Time{us * kPicosecondsPerMicrosecond}; }

inline analysis::cycles::KernelStream stream_for_test() {
  analysis::cycles::KernelStream stream;
  stream.device_id = "0";
  stream.stream_id = "7";
  stream.symbols = {{}, {}, {}};
  // One kernel before, then 4 x 6; a kernel every 10 us, 100 us from the third pass on.
  Time at = test_us(0);
  for (std::uint32_t i = 0; i < 25; ++i) {
    stream.events.push_back(trace::EventId{i});
    stream.names.push_back(i % 3);
    stream.starts.push_back(at);
    stream.ends.push_back(at + test_us(4));
    stream.launched_by.push_back(trace::kNoEvent);
    at += test_us(i < 13 ? 10 : 100);
  }
  return stream;
}

inline analysis::cycles::Position position_for_test(std::string name, std::int64_t us,
                                                    double share) {
  analysis::cycles::Position position;
  position.name = std::move(name);
  position.raw_name = position.name;
  position.role = analysis::kernels::KernelRole::kGemm;
  position.count = 4;
  position.sum = WideTime{4} * test_us(us).ps;
  position.mean_ps = static_cast<double>(test_us(us).ps);
  position.stddev_ps = 1'500'000;
  position.min = test_us(us - 1);
  position.max = test_us(us + 1);
  position.share = share;
  return position;
}

inline analysis::cycles::Spread spread_for_test(std::int64_t us) {
  return {test_us(us), test_us(us + 1), test_us(us - 1), test_us(us + 2)};
}

inline analysis::cycles::NestLoop nest_for_test(std::uint32_t id, std::int32_t parent,
                                                std::uint32_t period) {
  analysis::cycles::NestLoop nest;
  nest.id = id;
  nest.parent = parent;
  nest.depth = parent == analysis::cycles::kNoLoop ? 0 : 1;
  nest.period = period;
  return nest;
}

inline void add_iteration(analysis::cycles::Loop& loop, std::uint32_t start, std::uint32_t end,
                          Time wall) {
  loop.iterations.push_back({{start, end}, {}, wall, test_us(8), test_us(9)});
}

inline analysis::cycles::StreamCycles passes_for_test() {
  analysis::cycles::StreamCycles cycles;
  cycles.stream = stream_for_test();
  analysis::cycles::NestLoop passes = nest_for_test(1, analysis::cycles::kNoLoop, 6);
  passes.run_start = 1;
  passes.run_end = 25;
  passes.border = analysis::cycles::BorderEvidence::kGraphLaunch;
  passes.instances = {{{{1, 7}, {7, 13}, {13, 19}, {19, 25}}}};
  analysis::cycles::NestLoop layers = nest_for_test(2, 0, 2);
  layers.border = analysis::cycles::BorderEvidence::kLeftmost;
  layers.is_exact = false;
  layers.exceptions = 3;
  layers.run_start = 1;
  layers.run_end = 7;
  layers.anchors_per_body = 1;
  analysis::cycles::Loop pass;
  analysis::cycles::Loop layer;
  for (std::uint32_t p = 0; p < 4; ++p) {
    const std::uint32_t at = 1 + 6 * p;
    layers.instances.push_back({{{at, at + 2}, {at + 2, at + 4}, {at + 4, at + 6}}});
    add_iteration(pass, at, at + 6, p < 2 ? test_us(60) : test_us(600));
    for (std::uint32_t l = 0; l < 3; ++l)
      add_iteration(layer, at + 2 * l, at + 2 * l + 2, test_us(20));
  }
  pass.role = analysis::cycles::LoopRole::kPass;
  pass.phase = analysis::cycles::PhaseName::kDecode;
  pass.phase_evidence = {{.strength = analysis::cycles::Strength::kProbable,
                          .ground = analysis::cycles::PhaseGround::kGrowth,
                          .count = 8,
                          .of = 8}};
  pass.instances = 1;
  pass.complete = 4;
  pass.coverage = 0.96;
  pass.start = test_us(10);
  pass.end = test_us(1'394);
  pass.wall = spread_for_test(60);
  pass.busy = spread_for_test(24);
  pass.kernel_sum = spread_for_test(25);
  pass.idle = spread_for_test(36);
  pass.trend = analysis::cycles::Trend{2'500'000, 0.01, true};
  pass.regimes = {{0, 1, test_us(60)}, {2, 3, test_us(600)}};
  pass.outliers = {{2, test_us(600), 9.5}};
  pass.positions = {position_for_test("gemm<a, b>", 6, 0.75), position_for_test("norm", 2, 0.25)};
  layer.role = analysis::cycles::LoopRole::kLayer;
  layer.instances = 4;
  layer.complete = 3;
  layer.partial = 1;
  layer.coverage = 0.96;
  layer.wall = spread_for_test(20);
  layer.regimes = {{0, 11, test_us(20)}};
  layer.positions = {position_for_test("gemm", 6, 1)};
  cycles.nest.loops = {passes, layers};
  cycles.loops = {pass, layer};
  cycles.phases = {
      {analysis::cycles::PhaseName::kUnknown, 0, 1, 0, 0, analysis::cycles::kNoLoop, {}},
      {analysis::cycles::PhaseName::kDecode,
       1,
       25,
       4,
       3,
       0,
       {{.strength = analysis::cycles::Strength::kFact,
         .ground = analysis::cycles::PhaseGround::kAnnotatedIterations,
         .name = "decode",
         .count = 4,
         .of = 4},
        {.strength = analysis::cycles::Strength::kPossible,
         .ground = analysis::cycles::PhaseGround::kOtherKernels}}}};
  cycles.covered = 24;
  return cycles;
}

// What the anchor method tells of itself; these two have nothing to do with the loops above.
inline std::vector<analysis::cycles::AnchorPattern> patterns_for_test() {
  return {{6, 4, 12.34567, "embed", "embed|norm", 6, 4, false},
          {5, 24, 52, "norm<1>", "norm|gemm", 21, 6, true}};
}

}  // namespace lockstep::report::cycles
