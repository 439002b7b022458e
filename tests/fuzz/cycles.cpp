// Any kernels through the search for loops: it ends, its loops lie apart and inside each other, its
// times add up, and neither the number of threads nor a second search changes the answer. The first
// two bytes are the options, the others kernels (made_kernels_for_test.h).
#include "analysis/cycles/cycles.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "fuzz_check.h"
#include "made_kernels_for_test.h"

namespace lockstep {
namespace {

analysis::cycles::CyclesOptions options_of(std::uint8_t method, std::uint8_t symbol) {
  analysis::cycles::CyclesOptions options;
  options.method = (method & 1) != 0 ? analysis::cycles::CycleMethod::kAnchor
                                     : analysis::cycles::CycleMethod::kRepetitions;
  options.mode = static_cast<analysis::cycles::CycleMode>((method >> 1) % 3);
  if ((symbol & 3) != 3) options.symbol = static_cast<analysis::cycles::SymbolLevel>(symbol & 3);
  options.pass_tolerance = (symbol >> 2) % 4 * 0.1;
  options.layer_tolerance = (symbol >> 4) % 4 * 0.2;
  options.threads = 1;
  return options;
}

void check_instance(const analysis::cycles::NestLoop& loop,
                    const analysis::cycles::LoopInstance& instance, std::size_t size) {
  LOCKSTEP_FUZZ_CHECK(!instance.iterations.empty());
  LOCKSTEP_FUZZ_CHECK(instance.end() <= size);
  std::uint32_t at = instance.start();
  for (const analysis::cycles::Iteration& iteration : instance.iterations) {
    LOCKSTEP_FUZZ_CHECK(iteration.start == at && iteration.end > at);
    LOCKSTEP_FUZZ_CHECK(!loop.is_exact || iteration.size() == loop.period);
    at = iteration.end;
  }
}

bool is_inside_an_iteration(const analysis::cycles::LoopInstance& inner,
                            const analysis::cycles::NestLoop& outer) {
  for (const analysis::cycles::LoopInstance& around : outer.instances) {
    for (const analysis::cycles::Iteration& iteration : around.iterations) {
      if (inner.start() >= iteration.start && inner.end() <= iteration.end) return true;
    }
  }
  return false;
}

void check_nest(const analysis::cycles::Nest& nest, std::size_t size) {
  for (std::size_t i = 0; i < nest.loops.size(); ++i) {
    const analysis::cycles::NestLoop& loop = nest.loops[i];
    LOCKSTEP_FUZZ_CHECK(loop.parent < static_cast<std::int32_t>(i));
    LOCKSTEP_FUZZ_CHECK(loop.period > 0 && loop.body_start + loop.period <= size);
    LOCKSTEP_FUZZ_CHECK(!loop.instances.empty());
    for (const analysis::cycles::LoopInstance& instance : loop.instances) {
      check_instance(loop, instance, size);
      if (loop.parent == analysis::cycles::kNoLoop) continue;
      const analysis::cycles::NestLoop& parent = nest.loops[static_cast<std::size_t>(loop.parent)];
      LOCKSTEP_FUZZ_CHECK(is_inside_an_iteration(instance, parent));
    }
  }
}

void check_times(const analysis::cycles::Loop& loop, const analysis::cycles::NestLoop& place) {
  WideTime walls = 0;
  for (const analysis::cycles::IterationTime& iteration : loop.iterations) {
    LOCKSTEP_FUZZ_CHECK(iteration.busy <= iteration.wall);
    LOCKSTEP_FUZZ_CHECK(iteration.busy <= iteration.kernel_sum);
    walls += iteration.wall.ps;
  }
  if (place.instances.size() == 1)
    LOCKSTEP_FUZZ_CHECK(walls == WideTime{(loop.end - loop.start).ps});
}

void check_loop(const analysis::cycles::Loop& loop, const analysis::cycles::NestLoop& place) {
  LOCKSTEP_FUZZ_CHECK(loop.positions.size() == place.period);
  LOCKSTEP_FUZZ_CHECK(loop.coverage >= 0 && loop.coverage <= 1);
  for (const analysis::cycles::Outlier& outlier : loop.outliers)
    LOCKSTEP_FUZZ_CHECK(outlier.iteration < loop.iterations.size());
  for (const analysis::cycles::Regime& regime : loop.regimes)
    LOCKSTEP_FUZZ_CHECK(regime.first <= regime.last && regime.last < loop.iterations.size());
}

void check_stream(const analysis::cycles::StreamCycles& found, MadeKernels::Reach reach) {
  const std::size_t size = found.stream.size();
  LOCKSTEP_FUZZ_CHECK(found.loops.size() == found.nest.loops.size());
  LOCKSTEP_FUZZ_CHECK(found.covered <= size);
  LOCKSTEP_FUZZ_CHECK(!found.selected || *found.selected < found.loops.size());
  check_nest(found.nest, size);
  for (std::size_t i = 0; i < found.loops.size(); ++i) {
    check_loop(found.loops[i], found.nest.loops[i]);
    if (reach == MadeKernels::Reach::kExact) check_times(found.loops[i], found.nest.loops[i]);
  }
  std::uint32_t at = 0;
  for (const analysis::cycles::PhaseSpan& span : found.phases) {
    LOCKSTEP_FUZZ_CHECK(span.start == at && span.end > span.start);
    LOCKSTEP_FUZZ_CHECK(span.loop < static_cast<std::int32_t>(found.loops.size()));
    at = span.end;
  }
  LOCKSTEP_FUZZ_CHECK(at == size);
}

std::string describe(const analysis::cycles::Cycles& cycles) {
  std::string text;
  for (const analysis::cycles::StreamCycles& stream : cycles.streams) {
    for (std::size_t i = 0; i < stream.loops.size(); ++i) {
      const analysis::cycles::NestLoop& place = stream.nest.loops[i];
      text += std::to_string(place.parent) + " " + std::to_string(place.period) + " " +
              std::to_string(place.instances.front().start()) + " " +
              std::to_string(place.instances.size()) + " " +
              std::string(name_of(stream.loops[i].role)) + " " +
              std::string(name_of(stream.loops[i].phase)) + " " +
              std::to_string(stream.loops[i].wall.p50.ps) + "\n";
    }
    for (const analysis::cycles::PhaseSpan& span : stream.phases)
      text += std::string(name_of(span.phase)) + " " + std::to_string(span.end) + "\n";
  }
  return text;
}

}  // namespace
}  // namespace lockstep

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  if (size < 2) return 0;
  const auto reach = (data[0] & 128) != 0 ? MadeKernels::Reach::kAll : MadeKernels::Reach::kExact;
  const MadeKernels made(std::span(data, size).subspan(2), reach);
  analysis::cycles::CyclesOptions options = options_of(data[0], data[1]);
  const analysis::cycles::Cycles found = analysis::cycles::find_cycles(made.trace(), options);
  for (const analysis::cycles::StreamCycles& stream : found.streams) check_stream(stream, reach);
  options.threads = 3;
  LOCKSTEP_FUZZ_CHECK(describe(analysis::cycles::find_cycles(made.trace(), options)) ==
                      describe(found));
  return 0;
}
