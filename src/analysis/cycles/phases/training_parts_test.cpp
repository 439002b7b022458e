// Which kernels of a training step go forward, back, or update weights.
#include "analysis/cycles/phases/training_parts.h"

#include <algorithm>
#include <ostream>
#include <string_view>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "analysis/cycles/stream/work_stream_for_test.h"

namespace lockstep::analysis::cycles {
namespace {

constexpr std::string_view kGradient = "embedding_backward_kernel";

// One step. Kernels are launched by the first thread or by that of the backward pass.
struct TrainingStep {
  void forward(std::string_view name, std::uint32_t times = 1) { add(name, times, main_thread); }
  void back(std::string_view name, std::uint32_t times = 1) { add(name, times, back_thread); }
  void unknown(std::string_view name, std::uint32_t times = 1) {
    test.has_launches = false;
    add(name, times, main_thread);
    test.has_launches = true;
  }

  std::vector<PhasePart> parts() {
    return parts({0, static_cast<std::uint32_t>(test.cycles.stream.size())});
  }
  std::vector<PhasePart> parts(Iteration step) {
    const AnnotationPhases annotations(test.made.trace);
    const WorkCounter work(test.cycles.stream);
    return training_parts(test.made.trace, annotations, work, test.cycles.stream, step);
  }

  WorkStream test;
  trace::TrackId main_thread = test.made.host;
  trace::TrackId back_thread = test.made.add_host_thread("2");

 private:
  void add(std::string_view name, std::uint32_t times, trace::TrackId thread) {
    test.made.host = thread;
    for (std::uint32_t i = 0; i < times; ++i) test.kernel(name);
    test.made.host = main_thread;
  }
};

struct Part {
  PhaseName phase = PhaseName::kUnknown;
  std::uint32_t kernels = 0;
  std::uint32_t first = 0;

  friend bool operator==(const Part&, const Part&) = default;
};
using Parts = std::vector<Part>;

void PrintTo(const Part& part, std::ostream* out) {
  *out << name_of(part.phase) << ' ' << part.kernels << " from " << part.first;
}

Parts told(const std::vector<PhasePart>& parts) {
  Parts all;
  for (const PhasePart& part : parts) all.push_back({part.phase, part.kernels, part.first});
  return all;
}

TEST(TrainingParts, WhatAnotherThreadLaunchesGoesBack) {
  TrainingStep step;
  step.forward(kTestGemm, 3);
  step.back(kTestGemm, 6);
  step.forward(kTestAdam, 2);
  EXPECT_EQ(told(step.parts()), (Parts{{PhaseName::kForward, 3, 0},
                                       {PhaseName::kBackward, 6, 3},
                                       {PhaseName::kOptimizer, 2, 9}}));
}

TEST(TrainingParts, WhatTheFirstThreadLaunchesMeanwhileGoesForward) {
  TrainingStep step;
  step.forward(kTestGemm, 3);
  step.back(kTestGemm, 2);
  step.forward(kTestGemm, 4);  // the next micro-step
  step.back(kTestGemm, 2);
  EXPECT_EQ(told(step.parts()), (Parts{{PhaseName::kForward, 7, 0}, {PhaseName::kBackward, 4, 3}}));
}

TEST(TrainingParts, OfOneThreadNamesTell) {
  TrainingStep step;
  step.forward(kTestGemm, 3);
  step.forward(kTestBackward);
  step.forward(kTestGemm, 2);  // nothing says so, but behind it goes back
  step.forward(kGradient);
  step.forward(kTestAdam, 2);
  EXPECT_EQ(told(step.parts()), (Parts{{PhaseName::kForward, 3, 0},
                                       {PhaseName::kBackward, 4, 3},
                                       {PhaseName::kOptimizer, 2, 7}}));
}

TEST(TrainingParts, ProductsBehindTheLastNameThatTellsGoBackToo) {
  TrainingStep step;
  step.forward(kTestGemm, 3);
  step.forward(kTestBackward);
  step.forward(kTestAdd);
  step.forward(kTestGemm);
  step.forward(kTestAdd, 2);  // gradients are clipped
  step.forward(kTestAdam);
  step.forward(kTestGemm);  // what looks at the new weights
  EXPECT_EQ(told(step.parts()), (Parts{{PhaseName::kForward, 3, 0},
                                       {PhaseName::kBackward, 3, 3},
                                       {PhaseName::kOptimizer, 4, 6}}));
}

TEST(TrainingParts, WithoutLaunchesNamesTell) {
  TrainingStep step;
  step.test.has_launches = false;
  step.forward(kTestGemm, 3);
  step.back(kTestBackward);
  step.back(kTestGemm, 2);
  EXPECT_EQ(told(step.parts()), (Parts{{PhaseName::kForward, 3, 0}, {PhaseName::kBackward, 3, 3}}));
}

TEST(TrainingParts, AKernelWhoseLaunchIsUnknownIsOfThePartBefore) {
  TrainingStep step;
  step.forward(kTestGemm, 3);
  step.back(kTestGemm, 2);
  step.unknown(kTestGemm);
  step.forward(kTestGemm);
  step.unknown(kTestGemm, 2);
  step.back(kTestGemm);
  step.unknown(kTestAdd);
  step.forward(kTestAdam);
  EXPECT_EQ(told(step.parts()), (Parts{{PhaseName::kForward, 6, 0},
                                       {PhaseName::kBackward, 4, 3},
                                       {PhaseName::kOptimizer, 2, 10}}));
}

TEST(TrainingParts, WhereTheFirstLaunchesAreUnknownNamesTell) {
  TrainingStep step;
  step.unknown(kTestGemm, 2);
  step.forward(kTestGemm);
  step.back(kTestBackward);
  step.back(kTestGemm, 2);
  step.forward(kTestAdam);
  EXPECT_EQ(told(step.parts()), (Parts{{PhaseName::kForward, 3, 0},
                                       {PhaseName::kBackward, 3, 3},
                                       {PhaseName::kOptimizer, 1, 6}}));
}

TEST(TrainingParts, AStepThatBeginsGoingBackHasNone) {
  TrainingStep step;
  step.back(kTestBackward, 2);
  step.forward(kTestAdam);
  step.forward(kTestGemm, 4);
  EXPECT_TRUE(step.parts().empty()) << "the first thread would be taken for that of forward";
}

TEST(TrainingParts, ThreadsThatDoSomethingElseTellNothing) {
  TrainingStep step;
  step.forward(kTestGemm, 3);
  step.back(kTestAdd);  // a batch is made ready
  step.forward(kTestBackward, 2);
  step.back(kTestAdd);
  step.forward(kTestAdam);
  EXPECT_TRUE(step.parts().empty());
}

TEST(TrainingParts, GradientsThatAreClippedContradictNothing) {
  TrainingStep step;
  step.forward(kTestGemm, 3);
  step.back(kTestGemm, 4);
  step.forward("clip_grad_kernel");
  step.forward(kTestAdam);
  EXPECT_EQ(told(step.parts()), (Parts{{PhaseName::kForward, 3, 0},
                                       {PhaseName::kBackward, 4, 3},
                                       {PhaseName::kOptimizer, 2, 7}}));
}

TEST(TrainingParts, WhatUpdatesContradictsNothing) {
  TrainingStep step;
  step.forward(kTestGemm, 3);
  step.back(kTestGemm, 2);
  step.forward(kGradient);  // of an optimizer that uses gradients as they come
  step.back(kTestGemm, 2);
  step.test.annotate("Optimizer.step#SGD.step", 5, 6);
  EXPECT_EQ(told(step.parts()), (Parts{{PhaseName::kForward, 3, 0},
                                       {PhaseName::kBackward, 4, 3},
                                       {PhaseName::kOptimizer, 1, 5}}));
}

TEST(TrainingParts, WhereNothingGoesBackThereAreNone) {
  TrainingStep step;
  step.forward(kTestGemm, 3);
  step.forward(kTestAttention);
  step.forward(kTestAdam, 2);
  EXPECT_TRUE(step.parts().empty());
}

TEST(TrainingParts, BehindTheLastThatGoesBackIsTheUpdate) {
  TrainingStep step;
  step.forward(kTestGemm, 3);
  step.back(kTestGemm, 2);
  step.forward(kTestAdd, 4);  // gradients are clipped
  step.forward(kTestAdam);
  step.forward(kTestAdd);
  EXPECT_EQ(told(step.parts()), (Parts{{PhaseName::kForward, 3, 0},
                                       {PhaseName::kBackward, 2, 3},
                                       {PhaseName::kOptimizer, 6, 5}}));
}

TEST(TrainingParts, WithoutAnUpdateItGoesBackToo) {
  TrainingStep step;
  step.forward(kTestGemm, 3);
  step.back(kTestGemm, 2);
  step.forward(kTestAdd, 4);
  EXPECT_EQ(told(step.parts()), (Parts{{PhaseName::kForward, 3, 0}, {PhaseName::kBackward, 6, 3}}));
}

TEST(TrainingParts, WhatTheUserCallsAnOptimizerIsOne) {
  TrainingStep step;
  step.forward(kTestGemm, 3);
  step.back(kTestGemm, 2);
  step.forward(kTestAdd, 4);
  step.test.annotate("Optimizer.step#SGD.step", 5, 9);
  EXPECT_EQ(told(step.parts()), (Parts{{PhaseName::kForward, 3, 0},
                                       {PhaseName::kBackward, 2, 3},
                                       {PhaseName::kOptimizer, 4, 5}}));
}

TEST(TrainingParts, WeightsMayChangeWhileOthersStillGoBack) {
  TrainingStep step;
  step.forward(kTestGemm, 3);
  step.back(kTestGemm, 2);
  step.back(kTestAdam);
  step.back(kTestGemm, 2);
  step.back(kTestAdam);
  EXPECT_EQ(told(step.parts()), (Parts{{PhaseName::kForward, 3, 0},
                                       {PhaseName::kBackward, 4, 3},
                                       {PhaseName::kOptimizer, 2, 5}}));
}

TEST(TrainingParts, AreOfTheStepAlone) {
  TrainingStep step;
  step.back(kTestGemm, 5);
  step.forward(kTestGemm, 3);
  step.back(kTestGemm, 4);
  step.forward(kTestAdam);
  EXPECT_EQ(told(step.parts({5, 12})),
            (Parts{{PhaseName::kForward, 3, 5}, {PhaseName::kBackward, 4, 8}}));
}

TEST(TrainingParts, HaveTheTimeOfTheirKernels) {
  TrainingStep step;
  step.test.kernel(kTestGemm, 10);
  step.test.kernel(kTestBackward, 200);
  step.test.kernel(kTestGemm, 3'000);
  const std::vector<PhasePart> parts = step.parts();
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].kernel_sum.ps, 10'000);
  EXPECT_EQ(parts[1].kernel_sum.ps, 3'200'000);
}

RC_GTEST_PROP(TrainingParts, EveryKernelIsInOnePart, ()) {
  TrainingStep step;
  const int count = *rc::gen::inRange(1, 30);
  for (int i = 0; i < count; ++i) {
    const std::string_view name =
        *rc::gen::element(kTestGemm, kTestAdd, kTestBackward, kGradient, kTestAdam);
    const int launch = *rc::gen::inRange(0, 10);
    if (launch == 0) step.unknown(name);
    if (launch % 2 == 1) step.forward(name);
    if (launch % 2 == 0 && launch > 0) step.back(name);
  }
  const std::vector<PhasePart> parts = step.parts();
  if (parts.empty()) return;
  std::uint32_t kernels = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    kernels += parts[i].kernels;
    if (i > 0) RC_ASSERT(parts[i - 1].first < parts[i].first);
  }
  RC_ASSERT(kernels == step.test.cycles.stream.size());
  RC_ASSERT(std::ranges::find(parts, PhaseName::kBackward, &PhasePart::phase) != parts.end());
}

}  // namespace
}  // namespace lockstep::analysis::cycles
