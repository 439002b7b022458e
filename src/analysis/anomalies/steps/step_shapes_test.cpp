// Claims on shapes of steps.
#include "analysis/anomalies/steps/step_shapes.h"

#include <string>

#include <gtest/gtest.h>

#include "trace/trace_for_test.h"

namespace lockstep::analysis::anomalies {
namespace {

// Steps of launches, each inside an operator. In nanoseconds; a launch takes 100.
class StepShapesTest : public testing::Test {
 protected:
  StepShapesTest() : stream_(test_.add_stream(test_.add_device("0"), "7")) {}

  void shapes(trace::EventId event, std::string_view text, std::string_view key = "Input Dims") {
    const trace::Argument argument =
        trace::Argument::string(test_.trace.strings.intern(key), test_.trace.strings.intern(text));
    test_.trace.arguments.set(event, std::span(&argument, 1));
  }
  // An operator on `text` shapes that launches a kernel.
  trace::EventId op(std::string_view kernel, std::string_view text) {
    const trace::EventId made = test_.add(test_.host, trace::Kind::kHostOp, "aten::op", now_, 50);
    if (!text.empty()) shapes(made, text);
    const trace::EventId work =
        test_.launch(stream_, kernel, now_ + 10, now_ + 30, 20, ++correlation_);
    now_ += 100;
    return work;
  }
  void step() { test_.add_step("ProfilerStep#" + std::to_string(++steps_), now_, now_ + 10); }

  std::vector<StepShapes> found() {
    prepare();
    return shapes_of_steps(test_.trace, timeline_, hosts_.front(), made_);
  }
  std::optional<std::pair<std::uint32_t, std::uint32_t>> example() {
    prepare();
    std::vector<GroupMembers> groups(1);
    for (std::uint32_t s = 0; s < made_.size(); ++s) groups[0].steps.push_back(s);
    const std::vector<StepShapes> shapes =
        shapes_of_steps(test_.trace, timeline_, hosts_.front(), made_);
    return shape_examples(shapes, groups).front();
  }

  trace::TestTrace test_;
  trace::TrackId stream_;
  std::vector<StepFrame> made_;

 private:
  void prepare() {
    timeline_ = device_timelines(test_.trace).front();
    hosts_ = index_hosts(test_.trace);
    // Kernels run in the order of their launches here: cut where a step was marked.
    made_.assign(test_.trace.steps.size(), {});
    for (std::uint32_t k = 0; k < timeline_.kernels.size(); ++k) {
      std::size_t owner = 0;
      for (std::size_t s = 0; s < made_.size(); ++s) {
        if (test_.trace.steps[s].start <= timeline_.kernels[k].start) owner = s;
      }
      made_[owner].kernels.push_back(k);
    }
  }

  DeviceTimeline timeline_;
  std::vector<HostIndex> hosts_;
  std::int64_t now_ = 0;
  std::int64_t correlation_ = 0;
  int steps_ = 0;
};

TEST_F(StepShapesTest, StepsOnTheSameShapesAreAlike) {
  for (int s = 0; s < 2; ++s) {
    step();
    op("gemm", "[[2, 3]]");
    op("add", "[[4]]");
  }
  const auto shapes = found();
  ASSERT_TRUE(shapes[0].shapes);
  EXPECT_EQ(shapes[0].shapes, shapes[1].shapes);
  EXPECT_EQ(shapes[0].kernels, shapes[1].kernels);
  EXPECT_FALSE(example());
}

TEST_F(StepShapesTest, TheOrderOfKernelsDoesNotCount) {
  step();
  op("gemm", "[[2, 3]]");
  op("add", "[[4]]");
  step();
  op("add", "[[4]]");
  op("gemm", "[[2, 3]]");
  EXPECT_EQ(found()[0].shapes, found()[1].shapes);
}

TEST_F(StepShapesTest, OneOtherShapeIsAnExample) {
  for (const char* text : {"[[2, 3]]", "[[2, 3]]", "[[2, 4]]", "[[2, 5]]"}) {
    step();
    op("add", "[[4]]");
    op("gemm", text);
  }
  EXPECT_EQ(example(), (std::pair<std::uint32_t, std::uint32_t>{0, 2}));
}

TEST_F(StepShapesTest, ShapesThatChangePlacesAreOthers) {
  step();
  op("gemm", "[[2, 3]]");
  op("add", "[[4]]");
  step();
  op("gemm", "[[4]]");
  op("add", "[[2, 3]]");
  EXPECT_NE(found()[0].shapes, found()[1].shapes);
}

TEST_F(StepShapesTest, OtherKernelsAreNoExampleOfOtherShapes) {
  step();
  op("gemm", "[[2, 3]]");
  step();
  op("gemm", "[[2, 3]]");
  op("add", "[[4]]");
  EXPECT_NE(found()[0].shapes, found()[1].shapes);
  EXPECT_FALSE(example());
}

TEST_F(StepShapesTest, OperatorsThatLaunchNothingDoNotCount) {
  step();
  op("gemm", "[[2, 3]]");
  step();
  op("gemm", "[[2, 3]]");
  shapes(test_.add(test_.host, trace::Kind::kHostOp, "aten::size", 190, 5), "[[9]]");
  EXPECT_EQ(found()[0].shapes, found()[1].shapes);
}

TEST_F(StepShapesTest, TheInnermostOperatorWithShapesIsAsked) {
  step();
  const trace::EventId outer = test_.add(test_.host, trace::Kind::kHostOp, "outer", 0, 1000);
  shapes(outer, "[[1]]");
  op("gemm", "");
  op("gemm", "[[2]]");
  step();
  op("gemm", "[[1]]");
  op("gemm", "[[2]]");
  EXPECT_EQ(found()[0].shapes, found()[1].shapes);
}

TEST_F(StepShapesTest, AKernelsOwnShapesComeFirst) {
  step();
  shapes(op("gemm", "[[1]]"), "7,7", "Input Shapes");
  step();
  shapes(op("gemm", "[[2]]"), "7,7", "Input Shapes");
  const auto shapes_found = found();
  ASSERT_TRUE(shapes_found[0].shapes);
  EXPECT_EQ(shapes_found[0].shapes, shapes_found[1].shapes);
}

TEST_F(StepShapesTest, WithoutShapesThereIsNothingToTell) {
  step();
  op("gemm", "");
  EXPECT_FALSE(found()[0].shapes);
  step();
  op("gemm", "[[2]]");
  EXPECT_FALSE(found()[0].shapes);
  EXPECT_TRUE(found()[1].shapes);
  EXPECT_FALSE(example());
}

TEST_F(StepShapesTest, CallsFarBehindTheLastAreFoundToo) {
  step();
  for (int i = 0; i < 100; ++i) op("gemm", "[[" + std::to_string(i) + "]]");
  for (int i = 0; i < 200; ++i)
    test_.add(test_.host, trace::Kind::kHostOp, "quiet", 20'000 + 10 * i, 5);
  const trace::EventId late = test_.launch(stream_, "gemm", 30'000, 40, 1, 9999);
  const trace::EventId around =
      test_.add(test_.host, trace::Kind::kHostOp, "aten::op", 29'990, 100);
  shapes(around, "[[late]]");
  const auto with = found()[0].shapes;
  shapes(around, "[[other]]");
  EXPECT_NE(found()[0].shapes, with);
  EXPECT_NE(late, trace::kNoEvent);
}

}  // namespace
}  // namespace lockstep::analysis::anomalies
