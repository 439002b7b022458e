// What holds for every nest, whatever the kernels: on chance sequences of repeated, nested and
// damaged words.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "analysis/cycles/measure/measure.h"
#include "analysis/cycles/nest/nest_finder.h"
#include "analysis/cycles/stream/kernel_stream_for_test.h"

namespace lockstep::analysis::cycles {
namespace {

std::string any_word(int longest) {
  return *rc::gen::container<std::string>(*rc::gen::inRange(1, longest),
                                          rc::gen::elementOf(std::string("abcdefgh")));
}

std::string repeated(const std::string& word, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += word;
  return all;
}

// Passes of a head, layers and a tail, some kernels replaced, removed or put in.
std::string any_kernels() {
  std::string letters;
  const int parts = *rc::gen::inRange(1, 4);
  for (int part = 0; part < parts; ++part) {
    const std::string pass =
        any_word(12) + repeated(any_word(10), *rc::gen::inRange(1, 7)) + any_word(30);
    letters += repeated(pass, *rc::gen::inRange(1, 9));
  }
  const int edits = *rc::gen::inRange(0, 6);
  for (int edit = 0; edit < edits && letters.size() > 2; ++edit) {
    const auto at = *rc::gen::inRange<std::size_t>(0, letters.size() - 1);
    const int kind = *rc::gen::inRange(0, 3);
    if (kind == 0) letters[at] = '?';
    if (kind == 1) letters.erase(at, 1);
    if (kind == 2) letters.insert(at, "?");
  }
  return letters;
}

TestStream stream_of(const std::string& letters) {
  TestStream test;
  test.add_letters(letters);
  for (KernelSymbol& symbol : test.stream.symbols) {
    const auto letter = static_cast<std::uint32_t>(symbol.text.back());
    symbol.signature = letter / 2;
    symbol.facts.role =
        letter % 3 == 0 ? kernels::KernelRole::kGemm : kernels::KernelRole::kElementwise;
  }
  return test;
}

bool is_inside(const Iteration& inner, const Iteration& outer) {
  return inner.start >= outer.start && inner.end <= outer.end;
}

void check_instance(const NestLoop& loop, const LoopInstance& instance, std::size_t size) {
  RC_ASSERT(!instance.iterations.empty());
  RC_ASSERT(instance.end() <= size);
  std::uint32_t at = instance.start();
  for (const Iteration& iteration : instance.iterations) {
    RC_ASSERT(iteration.start == at);
    RC_ASSERT(iteration.size() > 0U);
    if (loop.is_exact) RC_ASSERT(iteration.size() == loop.period);
    at = iteration.end;
  }
}

// Children lie inside one iteration of their parent, and what has one parent does not overlap.
void check_places(const Nest& nest) {
  for (std::size_t i = 0; i < nest.loops.size(); ++i) {
    const NestLoop& loop = nest.loops[i];
    RC_ASSERT(loop.parent < static_cast<std::int32_t>(i));
    for (const LoopInstance& instance : loop.instances) {
      const Iteration all{instance.start(), instance.end()};
      bool is_held = loop.parent == kNoLoop;
      if (!is_held) {
        for (const LoopInstance& around :
             nest.loops[static_cast<std::size_t>(loop.parent)].instances)
          for (const Iteration& iteration : around.iterations)
            is_held = is_held || is_inside(all, iteration);
      }
      RC_ASSERT(is_held);
      for (std::size_t j = 0; j < i; ++j) {
        if (nest.loops[j].parent != loop.parent) continue;
        for (const LoopInstance& other : nest.loops[j].instances)
          RC_ASSERT(other.end() <= all.start || other.start() >= all.end);
      }
    }
  }
}

RC_GTEST_PROP(Nest, LoopsLieApartAndInsideEachOther, ()) {
  const TestStream test = stream_of(any_kernels());
  trace::Trace trace;
  trace.ranks.emplace_back();
  const Nest nest = find_nest(trace, MarkWindows(trace), test.stream, {});
  const auto& names = test.stream.names;
  for (const NestLoop& loop : nest.loops) {
    RC_ASSERT(loop.body_start + loop.period <= names.size());
    if (loop.is_exact) RC_ASSERT(loop.exceptions == 0U);
    for (const LoopInstance& instance : loop.instances) {
      check_instance(loop, instance, names.size());
      if (!loop.is_exact) continue;
      for (const Iteration& iteration : instance.iterations)
        RC_ASSERT(std::equal(names.begin() + iteration.start, names.begin() + iteration.end,
                             names.begin() + loop.body_start));
    }
    if (!loop.is_exact) continue;
    RC_ASSERT(loop.run_start <= loop.instances.front().start());
    RC_ASSERT(loop.run_end >= loop.instances.front().end());
    for (std::uint32_t k = loop.run_start + loop.period; k < loop.run_end; ++k)
      RC_ASSERT(names[k] == names[k - loop.period]);
  }
  check_places(nest);
}

RC_GTEST_PROP(Nest, EveryOneCanBeMeasured, ()) {
  const TestStream test = stream_of(any_kernels());
  trace::Trace trace;
  trace.ranks.emplace_back();
  const Nest nest = find_nest(trace, MarkWindows(trace), test.stream, {});
  const std::vector<Loop> loops = measure_loops(test.stream, nest, test.strings);
  RC_ASSERT(loops.size() == nest.loops.size());
  for (std::size_t i = 0; i < loops.size(); ++i) {
    RC_ASSERT(loops[i].positions.size() == nest.loops[i].period);
    WideTime walls = 0;
    for (const IterationTime& iteration : loops[i].iterations) walls += iteration.wall.ps;
    if (nest.loops[i].instances.size() == 1)
      RC_ASSERT(walls == WideTime{(loops[i].end - loops[i].start).ps});
  }
  RC_ASSERT(covered_kernels(nest) <= test.stream.size());
}

}  // namespace
}  // namespace lockstep::analysis::cycles
