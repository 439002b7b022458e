// Ranks that run the same loops share a section.
#include "report/cycles/rank_page.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/cycles/cycles_for_test.h"
#include "report/cycles/cycles_page.h"

namespace lockstep::report::cycles {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// The same passes on this many ranks; each is 6 us slower than the one before.
analysis::cycles::Cycles ranks(std::uint32_t count) {
  analysis::cycles::Cycles cycles;
  for (std::uint32_t i = 0; i < count; ++i) {
    analysis::cycles::StreamCycles stream = passes_for_test();
    stream.stream.rank = trace::RankId{i};
    stream.stream.rank_number = i;
    stream.loops[0].wall = spread_for_test(60 + 6 * i);
    stream.loops[0].breakdown.windows = 4;
    stream.loops[0].breakdown.wall = 400;
    stream.loops[0]
        .breakdown.parts[analysis::breakdown::index_of(analysis::breakdown::Part::kIdle)] = {
        100 * i, 100 * i};
    cycles.streams.push_back(stream);
  }
  return cycles;
}

std::size_t count_of(const std::string& text, std::string_view word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    ++count;
  return count;
}

TEST(RankPage, RanksWithTheSameLoopsAreOneSectionWithARowARank) {
  const std::string text = cycles_text(ranks(3), {}, {}, {});
  EXPECT_EQ(count_of(text, "  decode pass  4 x 6"), 1U);
  EXPECT_THAT(text, HasSubstr("Rank 0, stream 7 of device 0, like 2 more ranks: 25 kernels\n"));
  EXPECT_THAT(text,
              HasSubstr("3 ranks with the same loops, by the decode pass\n"
                        "  rank  device  stream  kernels        p50        max     busy    idle   "
                        "behind\n"));
  EXPECT_THAT(text, HasSubstr("60.000 us  62.000 us  100.0 %   0.0 %"));
  EXPECT_THAT(text, HasSubstr("72.000 us  74.000 us   50.0 %  50.0 %  +20.0 %  slowest\n"));
}

TEST(RankPage, RanksWithOtherLoopsAreAGroupOfTheirOwn) {
  analysis::cycles::Cycles cycles = ranks(3);
  cycles.streams[1].nest.loops[0].period = 5;
  EXPECT_THAT(streams_alike(cycles, false), ElementsAre(ElementsAre(0, 2), ElementsAre(1)));
}

TEST(RankPage, StreamsOfOneRankAreNotAlike) {
  analysis::cycles::Cycles cycles = ranks(2);
  cycles.streams[1].stream.rank = trace::RankId{0};
  EXPECT_THAT(streams_alike(cycles, false), ElementsAre(ElementsAre(0), ElementsAre(1)));
}

TEST(RankPage, AllShowsEveryRankByItself) {
  EXPECT_THAT(streams_alike(ranks(2), true), ElementsAre(ElementsAre(0), ElementsAre(1)));
  EXPECT_THAT(cycles_text(ranks(2), {}, {.show_all = true}, {}),
              Not(HasSubstr("with the same loops")));
}

}  // namespace
}  // namespace lockstep::report::cycles
