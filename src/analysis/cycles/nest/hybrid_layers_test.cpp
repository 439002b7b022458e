// Stacks of layers with attention and layers without.
#include "analysis/cycles/nest/hybrid_layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/cycles/stream/work_stream_for_test.h"

namespace lockstep::analysis::cycles {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

constexpr std::string_view kNorm = "rms_norm_kernel";
constexpr std::string_view kSilu = "silu_kernel";
const std::vector<std::string_view> kFeedForward = {kNorm, "gate_gemm", kSilu, "down_gemm"};

// Only these run in a layer without attention.
const std::vector<std::string_view> kMixer = {"in_gemm", "conv_depthwise_kernel", "softplus_kernel",
                                              "exp_kernel", "out_gemm"};

void add_mixer(WorkStream& test) {
  test.kernels(kMixer);
  test.kernels(kFeedForward);
}

void add_attention(WorkStream& test) {
  test.kernels({"qkv_gemm", kTestAttention, "o_gemm"});
  test.kernels(kFeedForward);
}

// Two layers without attention, one with it, three without, one with, one without: 8.
struct Stack : WorkStream {
  Stack() {
    for (const char kind : {'m', 'm', 'a', 'm', 'm', 'm', 'a', 'm'})
      kind == 'm' ? add_mixer(*this) : add_attention(*this);
    loop(kNoLoop, {0}, 9, 2, 1);
    loop(kNoLoop, {25}, 9, 3, 1);
    cycles.nest.without_attention = layers_without_attention(cycles.stream, cycles.nest);
  }

  [[nodiscard]] std::uint32_t layers(Iteration kernels, std::uint32_t with_attention) const {
    return HybridLayers(cycles.stream, cycles.nest).layers_in(kernels, with_attention);
  }
  [[nodiscard]] std::uint32_t size() const {
    return static_cast<std::uint32_t>(cycles.stream.size());
  }
};

TEST(HybridLayers, LayersInLoopsAndAloneCount) {
  const Stack stack;
  EXPECT_THAT(stack.cycles.nest.without_attention, SizeIs(1)) << "one of each body";
  EXPECT_EQ(stack.layers({0, stack.size()}, 2), 8U);
  EXPECT_EQ(stack.layers({18, 34}, 1), 2U);
}

TEST(HybridLayers, WhatDoesNotFitIsUnknown) {
  Stack stack;
  std::uint32_t more = 0;
  for (const std::string_view name :
       {"softplus_kernel", "exp_kernel", "conv_depthwise_kernel", "in_gemm", "out_gemm",
        "silu_kernel", "rms_norm_kernel", "gate_gemm", "down_gemm"})
    stack.kernels({name}, ++more * 3);
  EXPECT_EQ(stack.layers({0, stack.size()}, 2), 0U);
}

TEST(HybridLayers, StacksOfAttentionAreWhatTheyAre) {
  WorkStream test;
  for (int layer = 0; layer < 4; ++layer) add_attention(test);
  test.loop(kNoLoop, {0}, 7, 4, 1);
  EXPECT_THAT(layers_without_attention(test.cycles.stream, test.cycles.nest), IsEmpty());
  EXPECT_EQ(HybridLayers(test.cycles.stream, test.cycles.nest).layers_in({0, 28}, 4), 4U);
}

TEST(HybridLayers, ExpertsAreNoLayers) {
  WorkStream test;
  test.kernels({kTestGemm, kTestAttention, kTestGemm});
  test.kernels({"index_kernel", kTestGemm, kSilu, kTestGemm, "index_add_kernel"}, 8);
  test.loop(kNoLoop, {3}, 5, 8, 1);
  EXPECT_THAT(layers_without_attention(test.cycles.stream, test.cycles.nest), IsEmpty());
}

TEST(HybridLayers, WhatGoesBackCannotBeToldApart) {
  WorkStream test;
  for (int layer = 0; layer < 4; ++layer) add_mixer(test);
  add_attention(test);
  test.kernel(kTestBackward);
  test.loop(kNoLoop, {0}, 9, 4, 1);
  EXPECT_THAT(layers_without_attention(test.cycles.stream, test.cycles.nest), IsEmpty());
}

TEST(HybridLayers, FewKernelsAreNoStack) {
  WorkStream test;
  for (int layer = 0; layer < 30; ++layer) add_attention(test);
  for (int layer = 0; layer < 2; ++layer) add_mixer(test);
  test.loop(kNoLoop, {210}, 9, 2, 1);
  EXPECT_THAT(layers_without_attention(test.cycles.stream, test.cycles.nest), IsEmpty());
}

}  // namespace
}  // namespace lockstep::analysis::cycles
