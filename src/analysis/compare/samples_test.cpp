// Durations laid over the body.
#include "analysis/compare/samples.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "analysis/compare/side_for_test.h"

namespace lockstep::analysis::compare {
namespace {

constexpr std::int64_t kNs = kPicosecondsPerNanosecond;

ItemSamples samples_of(const TestSide& side, SampleWindow window = SampleWindow::kToLastKernel) {
  const cycles::StreamCycles& cycles = side.cycles.streams.front();
  KernelBook book;
  const std::vector<KernelClass> classes = book.enter(side.trace, cycles.stream);
  return take_samples(compare_items(cycles, 0, {}, {}).front(), cycles.stream, classes, window);
}

TEST(Samples, EveryPositionHasOneValueAnIteration) {
  SideBuilder builder;
  builder.add({{"a", 10}, {"b", 20, 5}, {"a", 11}, {"b", 22, 7}});
  builder.loop(cycles::loop_of(0, 2, {cycles::instance_of(0, 2, 2)}));
  const ItemSamples samples = samples_of(builder.side());
  EXPECT_EQ(samples.positions, (std::vector<Sample>{{10 * kNs, 11 * kNs}, {20 * kNs, 22 * kNs}}));
  EXPECT_EQ(samples.idle, (Sample{5 * kNs, 7 * kNs}));
  EXPECT_EQ(samples.overlap, (Sample{0, 0}));
  EXPECT_EQ(samples.wall, (Sample{35 * kNs, 40 * kNs}));
  EXPECT_EQ(samples.body.mean_ps, (std::vector<std::int64_t>{10'500, 21'000}));
}

// Passes of two kernels with a pause after each.
TestSide paused(const std::vector<std::uint32_t>& iterations) {
  SideBuilder builder;
  std::vector<cycles::LoopInstance> instances;
  for (const std::uint32_t count : iterations) {
    if (builder.size() > 0) builder.add({"between", 7});
    instances.push_back(cycles::instance_of(builder.size(), 2, count));
    for (std::uint32_t i = 0; i < count; ++i) builder.add({{"a", 10, 400}, {"b", 20}});
  }
  builder.loop(cycles::loop_of(0, 2, instances));
  return builder.side();
}

TEST(Samples, LastIterationOfAnInstanceIsLeftOutWhereItsPauseIsMissing) {
  const TestSide side = paused({3, 2});
  const ItemSamples whole = samples_of(side, SampleWindow::kToNextStart);
  EXPECT_EQ(whole.wall, (Sample{430 * kNs, 430 * kNs, 430 * kNs}));
  EXPECT_EQ(whole.idle, (Sample{400 * kNs, 400 * kNs, 400 * kNs}));
  EXPECT_EQ(whole.positions[0].size(), 3U);
  const ItemSamples cut = samples_of(side, SampleWindow::kToLastKernel);
  EXPECT_EQ(cut.wall, Sample(5, 30 * kNs));
  EXPECT_EQ(cut.idle, Sample(5, 0));
}

TEST(Samples, BothSidesOfAPairEndAlike) {
  const auto item_of = [](const TestSide& side) {
    return compare_items(side.cycles.streams.front(), 0, {}, {}).front();
  };
  const CompareItem three = item_of(paused({3}));
  const CompareItem two = item_of(paused({2}));
  EXPECT_EQ(window_for(three, three), SampleWindow::kToNextStart);
  EXPECT_EQ(window_for(three, two), SampleWindow::kToLastKernel);
  EXPECT_EQ(window_for(two, three), SampleWindow::kToLastKernel);
  SideBuilder builder;
  const TestSide segment = builder.add({{"a", 10}, {"b", 20}}).side();
  EXPECT_EQ(window_for(three, item_of(segment)), SampleWindow::kToLastKernel);
}

TEST(Samples, MissingKernelCountsAsNothingAndAnExtraOneIsKeptApart) {
  SideBuilder builder;
  builder.add({{"a", 1}, {"b", 2}, {"c", 3}});                            // the body
  builder.add({{"a", 10}, {"c", 30}});                                    // lacks b
  builder.add({{"a", 100}, {"x", 7}, {"b", 200}, {"x", 8}, {"c", 300}});  // has x twice
  cycles::LoopInstance instance;
  instance.iterations = {{0, 3}, {3, 5}, {5, 10}};
  builder.loop(cycles::loop_of(0, 3, {instance}));
  const ItemSamples samples = samples_of(builder.side());
  EXPECT_EQ(samples.positions[1], (Sample{2 * kNs, 0, 200 * kNs}));
  EXPECT_EQ(samples.positions[2], (Sample{3 * kNs, 30 * kNs, 300 * kNs}));
  ASSERT_EQ(samples.beyond.size(), 1U);
  EXPECT_EQ(samples.beyond[0].sample, (Sample{0, 0, 15 * kNs}));
  EXPECT_EQ(samples.beyond[0].first_place, 1U);
}

TEST(Samples, OverlapIsWhatRunsTwiceAtATime) {
  SideBuilder builder;
  builder.add({"a", 10}).back_ps(4 * kNs).add({"b", 20});
  const ItemSamples samples = samples_of(builder.side());
  EXPECT_EQ(samples.overlap, Sample{-4 * kNs});
  EXPECT_EQ(samples.wall, Sample{26 * kNs});
}

RC_GTEST_PROP(SampleProperties, PartsOfAnIterationAddUpToItsWall, ()) {
  SideBuilder builder;
  cycles::LoopInstance instance;
  const auto count = *rc::gen::inRange<std::uint32_t>(1, 6);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t start = builder.size();
    const auto kernels = *rc::gen::inRange<int>(1, 8);
    for (int k = 0; k < kernels; ++k) {
      const auto duration = *rc::gen::inRange<std::int64_t>(0, 5000);
      builder.add_ps(std::string(1, *rc::gen::inRange('a', 'd')), duration);
      builder.back_ps(*rc::gen::inRange<std::int64_t>(-700, duration + 1));
    }
    instance.iterations.push_back({start, builder.size()});
  }
  builder.loop(cycles::loop_of(0, instance.iterations.front().size(), {instance}));
  const ItemSamples samples = samples_of(builder.side());
  for (std::size_t i = 0; i < samples.wall.size(); ++i) {
    std::int64_t sum = samples.idle[i] + samples.overlap[i];
    for (const Sample& position : samples.positions) sum += position[i];
    for (const ExtraKernels& extra : samples.beyond) sum += extra.sample[i];
    RC_ASSERT(sum == samples.wall[i]);
    RC_ASSERT(samples.idle[i] >= 0);
    RC_ASSERT(samples.overlap[i] <= 0);
  }
}

}  // namespace
}  // namespace lockstep::analysis::compare
