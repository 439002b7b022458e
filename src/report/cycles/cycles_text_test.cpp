// Claims on the text of `cycles` and its Markdown, and on what it hides.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/cycles/cycles_for_test.h"
#include "report/cycles/cycles_page.h"
#include "report/cycles/cycles_view.h"
#include "report/layout/text_width.h"

namespace lockstep::report::cycles {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string text_of(const analysis::cycles::StreamCycles& stream,
                    const CyclesPageOptions& options = {}, std::size_t width = 120) {
  layout::TextStyle style;
  style.width = width;
  return cycles_text(analysis::cycles::Cycles{{stream}}, {}, options, style);
}

// A third loop, inside the second, with this many iterations that are said to be of two kernels.
analysis::cycles::StreamCycles with_inner_loop(std::uint32_t iterations) {
  analysis::cycles::StreamCycles stream = passes_for_test();
  analysis::cycles::NestLoop inner = nest_for_test(3, 1, 2);
  inner.depth = 2;
  inner.instances = {{{}}};
  for (std::uint32_t i = 0; i < iterations; ++i) {
    inner.instances.front().iterations.push_back({1 + i, 2 + i});
  }
  stream.nest.loops.push_back(inner);
  stream.loops.emplace_back();
  stream.loops.back().role = analysis::cycles::LoopRole::kInner;
  stream.loops.back().complete = iterations;
  return stream;
}

TEST(CyclesText, NestIsATreeWithALineALoop) {
  const std::string text = text_of(passes_for_test());
  EXPECT_THAT(text, HasSubstr("\nStream 7 of device 0: 25 kernels\n"));
  EXPECT_THAT(text, HasSubstr("  decode pass  4 x 6 "));
  EXPECT_THAT(text, HasSubstr("    layer        3 x 2 "));
  EXPECT_THAT(text, HasSubstr("96.0 %  exact         graph launch  ▁▁██\n"));
  EXPECT_THAT(text, HasSubstr("3 exceptions  first repeat  ████████████\n"));
}

TEST(CyclesText, WhatIsWorthSayingStandsBelowItsLoop) {
  const std::string text = text_of(passes_for_test());
  EXPECT_THAT(text, HasSubstr("    two regimes: iterations 1-2 at 60.000 us, 3-4 at 600.000 us\n"
                              "    1 outlier: iteration 3 with 600.000 us\n"));
  EXPECT_THAT(text, HasSubstr("      1 more iteration is incomplete and not counted\n"));
}

TEST(CyclesText, TrendThatIsLittleOrByChanceIsNotSaid) {
  analysis::cycles::StreamCycles stream = passes_for_test();
  EXPECT_THAT(text_of(stream), Not(HasSubstr("iterations get")));  // two regimes are a step
  stream.loops[0].regimes.resize(1);
  stream.loops[0].trend->drift = 0.167;
  EXPECT_THAT(text_of(stream), HasSubstr("iterations get 16.7 % longer over the run"));
  stream.loops[0].trend->drift = 0.05;
  EXPECT_THAT(text_of(stream), Not(HasSubstr("iterations get")));
  stream.loops[0].trend->drift = -0.5;
  EXPECT_THAT(text_of(stream), HasSubstr("iterations get 50.0 % shorter over the run"));
  stream.loops[0].trend->is_significant = false;
  EXPECT_THAT(text_of(stream), Not(HasSubstr("iterations get")));
}

TEST(CyclesText, TwoLayersInABodyAreSaid) {
  analysis::cycles::StreamCycles stream = passes_for_test();
  stream.nest.loops[1].anchors_per_body = 2;
  EXPECT_THAT(text_of(stream), HasSubstr("      2 layers in each iteration\n"));
}

TEST(CyclesText, WhatIsOutsideOfLoopsIsTold) {
  EXPECT_THAT(text_of(passes_for_test()),
              HasSubstr("  96.0 % of the kernels are in loops; outside: 1 at kernel 0\n"));
}

TEST(CyclesText, PhasesTellTheirEvidence) {
  const std::string text = text_of(passes_for_test());
  EXPECT_THAT(text, HasSubstr("\nPhases\n"));
  EXPECT_THAT(text, HasSubstr("  decode        4       3       24     1  1.224 ms\n"
                              "    annotation 'decode' (4 of 4 iterations)\n"
                              "    possible: other attention and matrix kernels than in decode "
                              "passes of as many layers\n"));
  EXPECT_THAT(text, HasSubstr("  unknown       -       -        1     0  4.000 us\n"));
}

TEST(CyclesText, PartsOfATrainingStepAreTold) {
  analysis::cycles::StreamCycles stream = passes_for_test();
  stream.phases[1].phase = analysis::cycles::PhaseName::kTraining;
  stream.phases[1].parts = {{analysis::cycles::PhaseName::kForward, 10, 1, Time{2'000'000}},
                            {analysis::cycles::PhaseName::kBackward, 1, 11, Time{3'000'000}}};
  EXPECT_THAT(text_of(stream), HasSubstr("\n  training "));
  EXPECT_THAT(text_of(stream), HasSubstr("a step: forward 10 kernels (2.000 us), backward 1 kernel "
                                         "(3.000 us)\n"));
}

TEST(CyclesText, PassesOfAFamilyAreOneRowWhereverTheyRun) {
  analysis::cycles::StreamCycles stream = passes_for_test();
  stream.families = {{3, {{analysis::cycles::PhaseName::kDecode, {}, {{1, 7}, {13, 19}}}}}};
  EXPECT_THAT(text_of(stream), HasSubstr("\n  decode        2       3       12     1 "));
}

TEST(CyclesText, PositionsOfTheMainLoopAreListedLongestFirst) {
  analysis::cycles::StreamCycles stream = passes_for_test();
  std::swap(stream.loops[0].positions[0], stream.loops[0].positions[1]);
  const std::string text = text_of(stream);
  EXPECT_THAT(text, HasSubstr("Kernels of the decode pass: 2 of 2, 100.0 % of its kernel"));
  EXPECT_LT(text.find("gemm"), text.find("norm"));
  EXPECT_THAT(text_of(stream, {.top = 1}), HasSubstr("pass: 1 of 2, 75.0 %"));
  EXPECT_THAT(text_of(stream, {.top = 0}), HasSubstr("pass: 2 of 2, 100.0 %"));
}

TEST(CyclesText, PositionsOfTheLayersOfAPassFollow) {
  analysis::cycles::StreamCycles stream = passes_for_test();
  EXPECT_THAT(text_of(stream), HasSubstr("\nKernels of the layer: 1 of 1, 100.0 %"));
  for (analysis::cycles::LoopInstance& instance : stream.nest.loops[1].instances)
    instance.iterations.resize(1);
  EXPECT_THAT(text_of(stream), Not(HasSubstr("Kernels of the layer")));
}

TEST(CyclesText, SelectedLoopIsTheOneWhosePositionsAreListed) {
  analysis::cycles::StreamCycles stream = passes_for_test();
  stream.selected = 1;
  EXPECT_THAT(text_of(stream), HasSubstr("Kernels of the layer: 1 of 1"));
  EXPECT_THAT(text_of(stream), Not(HasSubstr("Kernels of the decode pass")));
  EXPECT_THAT(text_of(stream), HasSubstr("      selected by --mode\n"));
  EXPECT_THAT(text_of(passes_for_test()), Not(HasSubstr("selected by --mode")));
}

TEST(CyclesText, LoopsWithTwoIterationsAreHiddenAndCounted) {
  const std::string text = text_of(with_inner_loop(2));
  EXPECT_THAT(text, Not(HasSubstr("inner")));
  EXPECT_THAT(text,
              HasSubstr("  1 loop with few iterations or kernels is hidden; --all shows it\n"));
  EXPECT_THAT(text_of(with_inner_loop(2), {.show_all = true}), HasSubstr("      inner loop  "));
  EXPECT_THAT(text_of(with_inner_loop(3)), HasSubstr("      inner loop  "));
}

TEST(CyclesView, LoopsUnderATwentiethOfTheirParentAreHidden) {
  analysis::cycles::StreamCycles stream = with_inner_loop(3);
  EXPECT_THAT(shown_loops(stream, false), ElementsAre(0, 1, 2));
  // 24 kernels of the parent become 72: 3 are less than 5 % of them.
  for (int i = 0; i < 2; ++i) {
    for (std::size_t p = 0; p < 4; ++p) {
      stream.nest.loops[1].instances.push_back(stream.nest.loops[1].instances[p]);
    }
  }
  EXPECT_THAT(shown_loops(stream, false), ElementsAre(0, 1));
  EXPECT_THAT(shown_loops(stream, true), ElementsAre(0, 1, 2));
}

TEST(CyclesView, LoopsOfOneKernelAreNotShown) {
  analysis::cycles::StreamCycles stream = with_inner_loop(3);
  stream.nest.loops[2].period = 1;
  EXPECT_THAT(shown_loops(stream, false), ElementsAre(0, 1));
  EXPECT_THAT(shown_loops(stream, true), ElementsAre(0, 1, 2));
  stream.nest.loops[0].period = 1;
  EXPECT_EQ(main_loop(stream), std::nullopt);
}

TEST(CyclesView, LoopAroundAShownOneIsShown) {
  analysis::cycles::StreamCycles stream = passes_for_test();
  stream.nest.loops[0].instances.front().iterations.resize(2);
  stream.nest.loops.push_back(nest_for_test(9, analysis::cycles::kNoLoop, 1));
  stream.nest.loops.back().instances = {{{{0, 1}, {1, 2}}}};
  stream.loops.emplace_back();
  EXPECT_THAT(shown_loops(stream, false), ElementsAre(0, 1));
}

TEST(CyclesView, MainLoopIsShownHoweverFewItsIterations) {
  analysis::cycles::StreamCycles stream = passes_for_test();
  stream.nest.loops.resize(1);
  stream.loops.resize(1);
  stream.nest.loops[0].instances.front().iterations.resize(2);
  EXPECT_THAT(shown_loops(stream, false), ElementsAre(0));
}

TEST(CyclesView, NamedLoopAtTheTopIsShownHoweverShort) {
  analysis::cycles::StreamCycles stream = passes_for_test();
  stream.nest.loops.push_back(nest_for_test(9, analysis::cycles::kNoLoop, 2));
  stream.nest.loops.back().instances = {{{{0, 0}, {0, 0}, {0, 0}}}};
  stream.loops.emplace_back();
  EXPECT_THAT(shown_loops(stream, false), ElementsAre(0, 1));
  stream.loops.back().role = analysis::cycles::LoopRole::kLayer;
  EXPECT_THAT(shown_loops(stream, false), ElementsAre(0, 1, 2));
}

TEST(CyclesText, PatternsOfTheAnchorMethodAreATable) {
  analysis::cycles::StreamCycles stream = passes_for_test();
  EXPECT_THAT(text_of(stream), Not(HasSubstr("Patterns")));
  stream.patterns = patterns_for_test();
  EXPECT_THAT(text_of(stream), HasSubstr("\nPatterns by their centre, * is selected\n"
                                         "     length  repetitions  centre   cycle  anchor\n"
                                         "          6            4  12.3 %   4 x 6  embed\n"
                                         "  *       5           24  52.0 %  6 x 21  norm\n"
                                         "\nPhases\n"));
}

TEST(CyclesText, SelectedPatternAndThoseThatRepeatMostAreShown) {
  analysis::cycles::StreamCycles stream = passes_for_test();
  for (std::uint32_t i = 0; i < 20; ++i) {
    analysis::cycles::AnchorPattern pattern = patterns_for_test().front();
    pattern.repetitions = i % 2 == 0 ? 8 : 9;
    pattern.anchor = fmt::format("anchor{}.", i);
    pattern.is_selected = i == 18;
    stream.patterns.push_back(pattern);
  }
  const auto shown_in = [](const std::string& text) {
    std::vector<std::uint32_t> shown;
    for (std::uint32_t i = 0; i < 20; ++i) {
      if (text.contains(fmt::format("anchor{}.\n", i))) shown.push_back(i);
    }
    return shown;
  };
  EXPECT_THAT(shown_in(text_of(stream)), ElementsAre(0, 1, 3, 5, 7, 9, 11, 13, 15, 17, 18, 19));
  EXPECT_THAT(text_of(stream), HasSubstr("\n  8 patterns are hidden; --all shows them\n"));
  EXPECT_EQ(shown_in(text_of(stream, {.show_all = true})).size(), 20U);
  EXPECT_THAT(text_of(stream, {.show_all = true}), Not(HasSubstr("patterns are hidden")));
}

TEST(CyclesText, StreamThatItsRankDoesNotTellNamesItsInput) {
  analysis::cycles::StreamCycles stream = passes_for_test();
  stream.stream.source = "b.json";
  stream.stream.is_told_by_rank = false;
  EXPECT_THAT(text_of(stream), HasSubstr("\nStream 7 of device 0 in b.json: 25 kernels\n"));
}

TEST(CyclesText, StreamWithoutALoopSaysSo) {
  analysis::cycles::StreamCycles stream;
  stream.stream = stream_for_test();
  EXPECT_THAT(text_of(stream),
              HasSubstr("  no loop: nothing repeats among 25 kernels of 3 names\n"));
  stream.stream.names.resize(1);
  EXPECT_THAT(text_of(stream), HasSubstr(": 1 kernel\n  no loop: too few kernels\n"));
}

TEST(CyclesText, HundredsOfStreamsAreCutShort) {
  analysis::cycles::Cycles cycles;
  for (std::uint32_t i = 0; i < 567; ++i) {
    analysis::cycles::StreamCycles stream;
    stream.stream.stream_id = std::to_string(i);
    stream.stream.names.resize(i < 563 ? 1 : 2);
    cycles.streams.push_back(stream);
  }
  const std::string text = cycles_text(cycles, {}, {}, {});
  EXPECT_THAT(text, HasSubstr("Stream 563: "));
  EXPECT_THAT(text, Not(HasSubstr("Stream 0: ")));
  EXPECT_THAT(text, HasSubstr("\nand 563 streams with 563 kernels; --all shows them\n"));
  EXPECT_THAT(cycles_text(cycles, {}, {.show_all = true}, {}), HasSubstr("Stream 0: "));
}

TEST(CyclesView, BusiestStreamStandsFirst) {
  analysis::cycles::Cycles cycles;
  for (const std::size_t kernels : {2U, 9U, 2U, 5U}) {
    cycles.streams.emplace_back();
    cycles.streams.back().stream.names.resize(kernels);
  }
  EXPECT_THAT(shown_streams(cycles, false), ElementsAre(1, 3, 0, 2));
}

TEST(CyclesText, DeviceWithoutAnIdHasNoNumber) {
  analysis::cycles::StreamCycles stream = passes_for_test();
  stream.stream.device_id.clear();
  EXPECT_THAT(text_of(stream), HasSubstr("Stream 7: 25 kernels\n"));
  stream.stream.device_id = "0";
  stream.stream.stream_id.clear();
  EXPECT_THAT(text_of(stream), HasSubstr("Stream of device 0: 25 kernels\n"));
}

TEST(CyclesText, RankIsNamedWhereItIsKnown) {
  analysis::cycles::StreamCycles stream = passes_for_test();
  stream.stream.rank_number = 3;
  EXPECT_THAT(text_of(stream), HasSubstr("\nRank 3, stream 7 of device 0: 25 kernels\n"));
}

TEST(CyclesText, TablesFitInSixtyColumns) {
  analysis::cycles::StreamCycles stream = passes_for_test();
  stream.loops[0].positions[0].name = std::string(500, 'x');
  stream.patterns = patterns_for_test();
  stream.patterns[0].anchor = std::string(500, 'x');
  const std::string text = text_of(stream, {}, 60);
  std::size_t from = 0;
  while (from < text.size()) {
    const std::size_t to = text.find('\n', from);
    const std::string line = text.substr(from, to - from);
    EXPECT_LE(layout::display_width(line), 60U) << line;
    from = to + 1;
  }
}

TEST(CyclesView, RepetitionsAreRoundedHalfToEven) {
  analysis::cycles::NestLoop loop = nest_for_test(1, analysis::cycles::kNoLoop, 200);
  loop.run_end = 401;  // 2.005
  EXPECT_EQ(repetition_hundredths(loop), 200U);
  loop.run_end = 403;  // 2.015
  EXPECT_EQ(repetition_hundredths(loop), 202U);
  loop.run_end = 404;
  EXPECT_EQ(repetition_hundredths(loop), 202U);
  loop.is_exact = false;
  EXPECT_EQ(repetition_hundredths(loop), std::nullopt);
}

TEST(CyclesMarkdown, IsToTheLetter) {
  const std::vector<formats::input::InputFacts> inputs = {
      {"a.json", "kineto", io::Compression::kNone, 10, 10}};
  const analysis::cycles::Cycles cycles{{passes_for_test()}};
  EXPECT_EQ(cycles_markdown(cycles, inputs, {}), R"(# Loops of the trace

**a.json** (kineto, 10 B)

## Stream 7 of device 0

25 kernels

| loop | kernels | times | p50 | busy | idle | share | match | begins at | iteration times |
|---|---|---:|---:|---:|---:|---:|---|---|---|
| decode pass | 4 x 6 | 1 | 60.000 us | - | - | 96.0 % | exact | graph launch | ▁▁██ |
| &nbsp;&nbsp;layer | &nbsp;&nbsp;3 x 2 | 4 | 20.000 us | - | - | 96.0 % | 3 exceptions | first repeat | ████████████ |

* **decode pass** two regimes: iterations 1-2 at 60.000 us, 3-4 at 600.000 us; 1 outlier: iteration 3 with 600.000 us
* **layer** 1 more iteration is incomplete and not counted

96.0 % of the kernels are in loops; outside: 1 at kernel 0

### Phases

| phase | passes | layers | kernels | from | wall |
|---|---:|---:|---:|---:|---:|
| unknown | - | - | 1 | 0 | 4.000 us |
| decode | 4 | 3 | 24 | 1 | 1.224 ms |

* **decode** annotation 'decode' (4 of 4 iterations); possible: other attention and matrix kernels than in decode passes of as many layers

### Kernels of the decode pass: 2 of 2, 100.0 % of its kernel time

| time | share | positions | first at | mean | min | max | stddev | count | role | kernel |
|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|---|
| 6.000 us | 75.0 % | 1 | 0 | 6.000 us | 5.000 us | 7.000 us | 1.500 us | 4 | gemm | gemm\<a, b> |
| 2.000 us | 25.0 % | 1 | 1 | 2.000 us | 1.000 us | 3.000 us | 1.500 us | 4 | gemm | norm |

### Kernels of the layer: 1 of 1, 100.0 % of its kernel time

| time | share | positions | first at | mean | min | max | stddev | count | role | kernel |
|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|---|
| 2.000 us | 100.0 % | 1 | 0 | 6.000 us | 5.000 us | 7.000 us | 1.500 us | 4 | gemm | gemm |
)");
}

}  // namespace
}  // namespace lockstep::report::cycles
