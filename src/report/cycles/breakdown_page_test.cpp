// Claims on the table of where the time goes.
#include "report/cycles/breakdown_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/cycles/cycles_for_test.h"

namespace lockstep::report::cycles {
namespace {

using analysis::breakdown::Breakdown;
using analysis::breakdown::index_of;
using analysis::breakdown::Part;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

void add_part(Breakdown& times, Part part, std::int64_t elapsed_us, std::int64_t hidden_us = 0) {
  const WideTime elapsed = WideTime{elapsed_us} * kPicosecondsPerMicrosecond;
  const WideTime hidden = WideTime{hidden_us} * kPicosecondsPerMicrosecond;
  times.parts[index_of(part)] = {elapsed, elapsed + hidden};
  times.wall += elapsed;
}

// Four iterations of 100 us: 60 of GEMMs, 15 of communication (and 5 under GEMMs), 25 idle.
analysis::cycles::StreamCycles passes_with_times() {
  analysis::cycles::StreamCycles stream = passes_for_test();
  Breakdown& times = stream.loops[0].breakdown;
  times.windows = 4;
  add_part(times, Part::kGemm, 240);
  add_part(times, Part::kCommunication, 60, 20);
  add_part(times, Part::kIdle, 100);
  return stream;
}

std::string text_of(const analysis::cycles::StreamCycles& stream) {
  layout::Page page;
  add_breakdown(stream, page);
  return layout::page_text(page, {});
}

TEST(BreakdownPage, RolesOfAMeanIterationAddUpToItsWallTime) {
  EXPECT_THAT(text_of(passes_with_times()),
              HasSubstr("Where the time goes, mean of all iterations\n"
                        "  role           decode pass    share    hidden\n"
                        "  gemm             60.000 us   60.0 %\n"
                        "  communication    15.000 us   15.0 %  5.000 us\n"
                        "  idle             25.000 us   25.0 %\n"
                        "  wall time       100.000 us  100.0 %\n"));
}

TEST(BreakdownPage, WhatHiddenMeansIsSaidWhereSomethingIs) {
  analysis::cycles::StreamCycles stream = passes_with_times();
  EXPECT_THAT(text_of(stream), HasSubstr("what runs beside is hidden"));
  stream.loops[0].breakdown.parts[index_of(Part::kCommunication)].running =
      stream.loops[0].breakdown.parts[index_of(Part::kCommunication)].elapsed;
  EXPECT_THAT(text_of(stream), Not(HasSubstr("hidden")));
}

TEST(BreakdownPage, ASinglePassIsAColumnOfItsOwn) {
  analysis::cycles::StreamCycles stream = passes_with_times();
  stream.phases[0].phase = analysis::cycles::PhaseName::kPrefill;
  stream.phases[0].passes = 1;
  stream.phases[0].breakdown.windows = 1;
  add_part(stream.phases[0].breakdown, Part::kAttention, 40);
  EXPECT_THAT(text_of(stream), HasSubstr("  role           decode pass    share    hidden  prefill "
                                         "pass    share\n"));
  EXPECT_THAT(text_of(stream), HasSubstr("\n  attention "));
}

TEST(BreakdownPage, WithoutAPassOrALoopItIsTheCapture) {
  analysis::cycles::StreamCycles stream = passes_for_test();
  stream.loops.clear();
  stream.nest.loops.clear();
  stream.phases.resize(1);
  stream.phases[0].breakdown.windows = 1;
  add_part(stream.phases[0].breakdown, Part::kMemcpy, 40);
  EXPECT_THAT(text_of(stream), HasSubstr("\nWhere the time goes\n"
                                         "  role              capture    share\n"
                                         "  memcpy, memset  40.000 us  100.0 %\n"));
}

TEST(BreakdownPage, PartsThatTakeLittleAreToldTogether) {
  Breakdown times;
  add_part(times, Part::kGemm, 1000);
  add_part(times, Part::kNorm, 2);
  add_part(times, Part::kRope, 3);
  add_part(times, Part::kIdle, 90'000);  // of the busy time, not of the wall
  const PartRows rows = part_rows({times});
  EXPECT_THAT(rows.shown, ElementsAre(Part::kGemm));
  EXPECT_THAT(rows.rest, ElementsAre(Part::kNorm, Part::kRope));
  EXPECT_EQ(rest_words(rows), "2 more roles");
}

TEST(BreakdownPage, OnePartThatTakesLittleIsNamed) {
  Breakdown times;
  add_part(times, Part::kNorm, 2);
  add_part(times, Part::kOther, 1000);
  EXPECT_THAT(part_rows({times}).shown, ElementsAre(Part::kOther, Part::kNorm));
}

}  // namespace
}  // namespace lockstep::report::cycles
