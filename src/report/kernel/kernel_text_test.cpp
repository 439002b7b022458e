// Claims on the text of in-kernel profiles, their Markdown, on the drawn timeline.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/kernel/kernel_for_test.h"
#include "report/kernel/kernel_page.h"
#include "report/kernel/kernel_timeline_text.h"

namespace lockstep::report::kernel {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string text_of(const KernelReport& report) { return kernel_text(report, kKernelTop, {}); }

TEST(KernelText, IsToTheLetter) {
  const KernelFixture fixture;
  EXPECT_EQ(text_of(fixture.report()),
            R"(a.lkp  lkp, NVIDIA H200 (sm_90), 4 lanes, 12 records
  Time is cycles of 0.505 ns, tied to the device's timer by 8 anchors, at most 2.0 ns off.
  6 records of 1 lane did not fit and are missing below.

Launches
  id   start      time  grid  threads  cluster  groups   lanes  last after median  kernel
   7  0.0 ns  5.050 us     2      256        -       2  4 of 4           1.262 us  gemm

Events, over all lanes
  event    count     total       p50       p95       min       max  share of lane  lanes
  compute      2  6.060 us  2.020 us  4.040 us  2.020 us  4.040 us        100.0 %      2
  load         2  1.515 us  505.0 ns  1.010 us  505.0 ns  1.010 us         25.0 %      2
  store        2  1.515 us  505.0 ns  1.010 us  505.0 ns  1.010 us         25.0 %      2

Critical lanes
  block 1 group 1 on SM 11 ends last, 1.262 us after the median lane; its longest event, compute,
  takes 4.040 us in all.

Imbalance of the time inside regions, summed over lanes
  between   longest      mean  ratio
  blocks   6.060 us  4.545 us   1.33
  SMs      6.060 us  4.545 us   1.33
  groups   6.060 us  4.545 us   1.33

Overlap of groups in the same blocks, summed over blocks
  groups   both inside a region    either  of the shorter one
  0 and 1              1.515 us  7.575 us              50.0 %

Longest gaps between regions
      time        at  lane             after  before
  2.020 us  1.010 us  block 1 group 0  load   store

Timeline; * ends last
                         ┼─────────────────────────────── 5.050 us ────────────────────────────────┼
   block 0 SM 10 group 0 │llllllll··············ssssssss                                           │
   block 0 SM 10 group 1 │       ccccccc▼cccccccccccccccccccccc                                    │
  *block 1 SM 11 group 0 │lllllllllllllll····························ssssssssssssssss              │
  *block 1 SM 11 group 1 │              ccccccccccccccc▼ccccccccccccccccccccccccccccccccccccccccccc│
  c compute  l load  s store  · outside regions  ▼ instant

Findings
  data loss  6  Records did not fit and are missing. (first: block 1 group 1) First at byte 128.
)");
}

TEST(KernelText, SaysHowTimeWasRead) {
  KernelFixture fixture;
  fixture.summary.time.source = analysis::kernel_profile::TimeSource::kGlobalTimer;
  fixture.summary.time.tick_ns = 32;
  fixture.summary.time.uncertainty = Time{32'000};
  EXPECT_THAT(text_of(fixture.report()),
              HasSubstr("Time is the device's timer, in steps of 32 ns, at most 32 ns off."));
  fixture.summary.time.source = analysis::kernel_profile::TimeSource::kCycles;
  fixture.summary.time.uncertainty = analysis::kernel_profile::kUnknownUncertainty;
  fixture.summary.time.tick_ns = 1;
  EXPECT_THAT(text_of(fixture.report()), HasSubstr("Time is cycles; nothing ties them"));
  fixture.summary.time.tick_ns = 0.505;
  EXPECT_THAT(text_of(fixture.report()), HasSubstr("Time is cycles of 0.505 ns; nothing ties"));
}

TEST(KernelText, CountsTheAnchorsOfTheLanesThatAreShown) {
  KernelFixture fixture;
  fixture.profile.anchors.resize(100);  // of launches that were not asked for
  EXPECT_THAT(text_of(fixture.report()), HasSubstr("tied to the device's timer by 8 anchors"));
}

TEST(KernelText, SaysWhatWasTakenOff) {
  const KernelFixture fixture;
  KernelReport report = fixture.report();
  EXPECT_THAT(text_of(report), Not(HasSubstr("taken off")));
  report.overhead_ticks = 15.4;
  EXPECT_THAT(text_of(report), HasSubstr("15.4 cycles a marker were taken off every region."));
  report.overhead_ticks = 1;
  EXPECT_THAT(text_of(report), HasSubstr("1 cycle a marker was taken off every region."));
}

TEST(KernelText, LeavesGapsOutThatCostNothing) {
  KernelFixture fixture;
  fixture.summary.gaps[0].duration = Time{50'000};  // of 5.05 us
  EXPECT_THAT(text_of(fixture.report()), Not(HasSubstr("gaps")));
  EXPECT_THAT(kernel_text(fixture.report(), 0, {}), HasSubstr("Longest gaps between regions"));
}

TEST(KernelText, ListsAsManyAsAsked) {
  const KernelFixture fixture;
  const std::string text = kernel_text(fixture.report(), 1, {});
  EXPECT_THAT(text, HasSubstr("Events, over all lanes (1 of 3; --top 0 shows all)"));
  EXPECT_THAT(kernel_text(fixture.report(), 0, {}), Not(HasSubstr("--top")));
}

TEST(KernelText, SaysThatNothingWasRecorded) {
  KernelFixture fixture;
  fixture.profile.lanes.clear();
  fixture.summary = {};
  fixture.findings = {};
  const std::string text = text_of(fixture.report());
  EXPECT_THAT(text, HasSubstr("No lane was recorded."));
  EXPECT_THAT(text, Not(HasSubstr("Time is")));
  EXPECT_THAT(text, Not(HasSubstr("Timeline")));
}

TEST(KernelText, NamesLaunchesAmongSeveral) {
  KernelFixture fixture;
  trace::KernelLaunch second = fixture.profile.launches.front();
  second.id = 8;
  fixture.profile.launches.push_back(second);
  fixture.summary.launches.push_back({1, Time{}, Time{1'000}, 4, 0});
  const std::string text = text_of(fixture.report());
  EXPECT_THAT(text, HasSubstr("Timeline of launch 7, the longest"));
  EXPECT_THAT(text, HasSubstr("launch 7 block 1 group 1 on SM 11 ends last"));
  EXPECT_THAT(text, HasSubstr("0 of 4"));
  EXPECT_THAT(text, HasSubstr("0 and 1 of launch 7"));
}

TEST(KernelText, TellsAComparison) {
  const KernelFixture fixture;
  analysis::kernel_profile::KernelComparison comparison;
  analysis::kernel_profile::EventChange change;
  change.name = "compute";
  change.a = change.b = fixture.summary.events[0];
  change.per_launch = {Time{-505'000}, 0.9};
  change.p95 = {Time{505'000}, std::nullopt};
  change.p = 0.01;
  change.is_significant = true;
  analysis::kernel_profile::EventChange fresh;
  fresh.name = "store";
  fresh.b = fixture.summary.events[2];
  comparison.events = {change, fresh};
  comparison.launch_time = {Time{1'000'000}, 1.25};
  comparison.lane_time = {Time{0}, 1.0};
  comparison.significant = 1;
  KernelReport report = fixture.report();
  report.comparison = &comparison;
  report.compared_with = "old.lkp";
  const std::string text = text_of(report);
  EXPECT_THAT(text, HasSubstr("Against old.lkp\n"));
  EXPECT_THAT(text,
              HasSubstr("A launch takes +1.000 us (+25.0 %), a lane +0.0 ns (+0.0 %); 1 event"));
  EXPECT_THAT(text, HasSubstr("-505.0 ns (-10.0 %)"));
  EXPECT_THAT(text, HasSubstr("new"));
}

TEST(KernelText, ListsTheLongestOfManyLaunches) {
  KernelFixture fixture;
  for (std::uint32_t i = 1; i < 8; ++i) {
    trace::KernelLaunch launch = fixture.profile.launches.front();
    launch.id = 100 + i;
    launch.kernel = fmt::format("kernel{}", i);
    fixture.profile.launches.push_back(launch);
    fixture.summary.launches.push_back({i, Time{}, Time{1'000 * i}, 4, 4});
  }
  const std::string text = text_of(fixture.report());
  EXPECT_THAT(text, HasSubstr("Launches (the 5 longest of 8; --top 0 shows all)"));
  EXPECT_THAT(text, HasSubstr("gemm"));
  EXPECT_THAT(text, HasSubstr("kernel4"));
  EXPECT_THAT(text, Not(HasSubstr("kernel3")));
}

TEST(KernelText, NamesKernelsShortlyAndTellsThemApart) {
  KernelFixture fixture;
  fixture.profile.launches.front().kernel =
      "void at::native::vectorized_elementwise_kernel<4, at::native::MulFunctor<float>>(int)";
  trace::KernelLaunch launch = fixture.profile.launches.front();
  launch.id = 8;
  launch.kernel =
      "void at::native::vectorized_elementwise_kernel<8, at::native::MulFunctor<float>>(int)";
  fixture.profile.launches.push_back(launch);
  fixture.summary.launches.push_back({1, Time{}, Time{1'000}, 4, 4});
  const std::string text = text_of(fixture.report());
  EXPECT_THAT(text, HasSubstr("vectorized_elementwise Mul <4>\n"));
  EXPECT_THAT(text, HasSubstr("vectorized_elementwise Mul <8>\n"));
  layout::TextStyle style;
  style.has_full_names = true;
  const std::string whole = kernel_text(fixture.report(), kKernelTop, style);
  EXPECT_THAT(whole, HasSubstr(launch.kernel + "\n"));
  EXPECT_THAT(kernel_markdown(fixture.report(), kKernelTop), HasSubstr("MulFunctor"));
}

TEST(KernelText, ListsTheOverlapsThatTakeMostTime) {
  KernelFixture fixture;
  for (std::uint32_t i = 2; i < 7; ++i) {
    fixture.summary.overlap.push_back({0, 0, i, Time{1'000'000 * i}, Time{20'000'000}, 0.5});
  }
  const std::string text = text_of(fixture.report());
  EXPECT_THAT(text, HasSubstr("summed over blocks (4 of 6; --top 0 shows all)"));
  EXPECT_LT(text.find("0 and 6"), text.find("0 and 5"));
  EXPECT_THAT(text, Not(HasSubstr("0 and 1 ")));
}

TEST(KernelText, SaysWhichBlocksAreDrawnWhereNotAllAre) {
  KernelFixture fixture;
  for (std::uint32_t block = 2; block < 8; ++block) {
    for (std::uint32_t group = 0; group < 2; ++group) {
      trace::KernelLane lane = fixture.profile.lanes[group];
      lane.block = block;
      analysis::kernel_profile::LaneResult result = fixture.summary.lanes[group];
      result.lane = static_cast<std::uint32_t>(fixture.profile.lanes.size());
      fixture.profile.lanes.push_back(lane);
      fixture.summary.lanes.push_back(result);
    }
  }
  EXPECT_THAT(
      text_of(fixture.report()),
      HasSubstr("\nTimeline: the block that ends last (*), the median one and the first; 10 "
                "lanes not shown\n"));
}

TEST(KernelText, IsShort) {
  const KernelFixture fixture;
  const std::string text = text_of(fixture.report());
  EXPECT_LE(std::ranges::count(text, '\n'), 60);
}

TEST(KernelText, NamesThatAreNoTextAreMadeText) {
  KernelFixture fixture;
  fixture.profile.event_names[1] = "a\x1b[31mb\xff\n";
  const std::string text = text_of(fixture.report());
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, HasSubstr("a\xEF\xBF\xBD[31mb\xEF\xBF\xBD"));
}

TEST(KernelMarkdown, IsToTheLetter) {
  const KernelFixture fixture;
  EXPECT_EQ(kernel_markdown(fixture.report(), kKernelTop), R"(# Inside the kernel

**a.lkp** (lkp, NVIDIA H200 (sm_90), 4 lanes, 12 records)

Time is cycles of 0.505 ns, tied to the device's timer by 8 anchors, at most 2.0 ns off.

**6 records of 1 lane did not fit and are missing below.**

## Launches

| id | start | time | grid | threads | cluster | groups | lanes | last after median | kernel |
|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|
| 7 | 0.0 ns | 5.050 us | 2 | 256 | - | 2 | 4 of 4 | 1.262 us | gemm |

## Events, over all lanes

| event | count | total | p50 | p95 | min | max | share of lane | lanes |
|---|---:|---:|---:|---:|---:|---:|---:|---:|
| compute | 2 | 6.060 us | 2.020 us | 4.040 us | 2.020 us | 4.040 us | 100.0 % | 2 |
| load | 2 | 1.515 us | 505.0 ns | 1.010 us | 505.0 ns | 1.010 us | 25.0 % | 2 |
| store | 2 | 1.515 us | 505.0 ns | 1.010 us | 505.0 ns | 1.010 us | 25.0 % | 2 |

## Critical lanes

* block 1 group 1 on SM 11 ends last, 1.262 us after the median lane; its longest event, compute, takes 4.040 us in all.

## Imbalance of the time inside regions, summed over lanes

| between | longest | mean | ratio |
|---|---:|---:|---:|
| blocks | 6.060 us | 4.545 us | 1.33 |
| SMs | 6.060 us | 4.545 us | 1.33 |
| groups | 6.060 us | 4.545 us | 1.33 |

## Overlap of groups in the same blocks, summed over blocks

| groups | both inside a region | either | of the shorter one |
|---|---:|---:|---:|
| 0 and 1 | 1.515 us | 7.575 us | 50.0 % |

## Longest gaps between regions

| time | at | lane | after | before |
|---:|---:|---|---|---|
| 2.020 us | 1.010 us | block 1 group 0 | load | store |

## Timeline; \* ends last

```
                       ┼─────────────────────────────── 5.050 us ────────────────────────────────┼
 block 0 SM 10 group 0 │llllllll··············ssssssss                                           │
 block 0 SM 10 group 1 │       ccccccc▼cccccccccccccccccccccc                                    │
*block 1 SM 11 group 0 │lllllllllllllll····························ssssssssssssssss              │
*block 1 SM 11 group 1 │              ccccccccccccccc▼ccccccccccccccccccccccccccccccccccccccccccc│
c compute  l load  s store  · outside regions  ▼ instant
```

## Findings

| kind | count | what |
|---|---:|---|
| **data loss** | 6 | Records did not fit and are missing. (first: block 1 group 1) First at byte 128. |
)");
}

TEST(KernelTimeline, DrawsALetterAnEvent) {
  const KernelFixture fixture;
  const KernelReport report = fixture.report();
  EXPECT_THAT(draw_kernel_timeline(report, choose_picture(report, 4), 67),
              ElementsAre("                       ┼──────────────── 5.050 us ────────────────┼",
                          " block 0 SM 10 group 0 │lllll·······sssss                         │",
                          " block 0 SM 10 group 1 │    cccc▼cccccccccccc                     │",
                          "*block 1 SM 11 group 0 │lllllllll················sssssssss        │",
                          "*block 1 SM 11 group 1 │        cccccccc▼ccccccccccccccccccccccccc│",
                          "c compute  l load  s store  · outside regions  ▼ instant"));
}

TEST(KernelTimeline, IsTheSameOfRegionsThatWereNotKept) {
  const KernelFixture fixture;
  KernelReport report = fixture.report();
  const auto kept = draw_kernel_timeline(report, choose_picture(report, 4), 80);
  report.has_regions = false;
  auto paired = draw_kernel_timeline(report, choose_picture(report, 4), 80);
  EXPECT_EQ(kept[1], paired[1]);
}

TEST(KernelTimeline, ExplainsOnlyLettersThatAreThere) {
  KernelFixture fixture;
  for (analysis::kernel_profile::LaneResult& lane : fixture.summary.lanes) {
    analysis::kernel_profile::TimedRegion outer = lane.regions.front();
    outer.region.event = KernelFixture::kNote;
    lane.regions.insert(lane.regions.begin(), outer);
  }
  const KernelReport report = fixture.report();
  const auto lines = draw_kernel_timeline(report, choose_picture(report, 4), 80);
  EXPECT_THAT(lines.back(), Not(HasSubstr("event 3")));
}

TEST(KernelTimeline, GivesEveryEventALetterOfItsOwn) {
  KernelFixture fixture;
  fixture.profile.event_names = {"copy", "compute", "c"};
  const KernelReport report = fixture.report();
  const auto lines = draw_kernel_timeline(report, choose_picture(report, 4), 80);
  EXPECT_THAT(lines.back(), HasSubstr("c compute  o copy  C c"));
}

}  // namespace
}  // namespace lockstep::report::kernel
