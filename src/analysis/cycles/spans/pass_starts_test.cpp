// Where passes begin of which no two are equal.
#include "analysis/cycles/spans/pass_starts.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/cycles/stream/work_stream_for_test.h"

namespace lockstep::analysis::cycles {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kLookup = "vectorized_gather_kernel";
constexpr std::string_view kRouter = "void at::native::sbtopk::gatherTopK<float>(int)";
constexpr std::string_view kConvolution = "implicit_convolve_sgemm";

std::vector<std::uint32_t> starts_in(const WorkStream& test) {
  const KernelStream& stream = test.cycles.stream;
  return pass_starts(stream, WorkCounter(stream), {0, static_cast<std::uint32_t>(stream.size())});
}

// A layer that chose so many experts.
void add_layer(WorkStream& test, std::uint32_t experts) {
  test.kernels({kTestGemm, kTestAttention, kTestGemm, kRouter});
  test.kernels({kTestGemm, kTestGemm}, experts);
}

TEST(PassStarts, SamplingEndsPassesHoweverMuchTheyDiffer) {
  WorkStream test;
  std::vector<std::uint32_t> ends;
  std::uint32_t experts = 4;
  for (int pass = 0; pass < 4; ++pass) {
    test.kernel(kLookup);
    for (int layer = 0; layer < 3; ++layer) add_layer(test, 4 + ++experts % 3);
    test.kernels({kTestGemm, kTestSampling});
    ends.push_back(static_cast<std::uint32_t>(test.cycles.stream.size()));
  }
  EXPECT_THAT(starts_in(test), ElementsAre(ends[0], ends[1], ends[2])) << "not at the end";
}

TEST(PassStarts, WithoutSamplingALookupBeginsAPass) {
  WorkStream test;
  for (const std::uint32_t experts : {4U, 5U, 6U, 4U}) {
    test.kernel(kLookup);
    test.kernels({kTestGemm, kTestAttention}, 3);
    test.kernels({kTestGemm}, experts);
  }
  EXPECT_THAT(starts_in(test), ElementsAre(11, 23, 36));
}

TEST(PassStarts, AConvolutionOverAPictureBeginsAPass) {
  WorkStream test;
  for (int pass = 0; pass < 3; ++pass) {
    test.kernels({kConvolution, kTestAdd, kConvolution});
    for (int layer = 0; layer < 2; ++layer) {
      test.kernel("gemm_for_length_" + std::to_string(pass));
      test.kernel(kTestAttention);
    }
  }
  EXPECT_THAT(starts_in(test), ElementsAre(7, 14));
}

TEST(PassStarts, KindsOfLayersThatTakeTurnsAreNoPasses) {
  WorkStream test;
  for (int pair = 0; pair < 5; ++pair) {
    test.kernels({kTestGemm, kTestAttention, kTestGemm, kTestAdd, kTestAttention, kTestGemm});
  }
  EXPECT_THAT(starts_in(test), IsEmpty());
}

TEST(PassStarts, TwoPassesMayBeChance) {
  WorkStream test;
  for (int pass = 0; pass < 2; ++pass) {
    test.kernels({kTestGemm, kTestAttention}, 3);
    test.kernel(kTestSampling);
  }
  EXPECT_THAT(starts_in(test), IsEmpty());
}

TEST(PassStarts, PassesWithUnlikeNumbersOfLayersTellNothing) {
  WorkStream test;
  for (const std::uint32_t layers : {3U, 4U, 3U, 3U}) {
    test.kernels({kTestGemm, kTestAttention}, layers);
    test.kernel(kTestSampling);
  }
  EXPECT_THAT(starts_in(test), IsEmpty());
}

TEST(PassStarts, TrainingHasSteps) {
  WorkStream test;
  for (int pass = 0; pass < 4; ++pass) {
    test.kernels({kTestGemm, kTestAttention}, 3);
    test.kernels({kTestGemm, kTestBackward}, 3);
    test.kernels({kTestSampling, kTestAdam, kTestAdam});
  }
  EXPECT_THAT(starts_in(test), IsEmpty());
}

}  // namespace
}  // namespace lockstep::analysis::cycles
