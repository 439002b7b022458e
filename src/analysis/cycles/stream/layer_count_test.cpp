// What counts as a layer, and what is a part of one.
#include "analysis/cycles/stream/layer_count.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "analysis/cycles/stream/work_stream_for_test.h"

namespace lockstep::analysis::cycles {
namespace {

constexpr std::string_view kRelu = "relu_kernel";
constexpr std::string_view kNorm = "rms_norm_kernel";
constexpr std::string_view kSoftmax =
    "void (anonymous namespace)::softmax_warp_forward<float, float, float, 10, false, false>(x)";

std::uint32_t layers_in(const WorkStream& test, StretchEnd end) {
  return count_layers(test.cycles.stream,
                      {0, static_cast<std::uint32_t>(test.cycles.stream.size())}, end);
}

// Attention, its output, and the feed-forward part; then the projections of the next layer.
const std::vector<std::string_view> kWhole = {kTestGemm, kNorm, kTestGemm, kRelu,
                                              kTestGemm, kNorm, kTestGemm, kTestGemm};
// Between the two kinds of attention of a decoder: an output, a norm, a question.
const std::vector<std::string_view> kBetween = {kTestGemm, kNorm, kTestGemm};

TEST(CountLayers, EveryAttentionWithItsFeedForwardPartIsALayer) {
  WorkStream test;
  for (const std::string_view attention : {kTestAttention, kTestPrefill, kTestDecode}) {
    test.kernel(attention);
    test.kernels(kWhole);
  }
  EXPECT_EQ(layers_in(test, StretchEnd::kEnds), 3U) << "whatever kernels they use";
  EXPECT_EQ(layers_in(test, StretchEnd::kRepeats), 3U);
}

TEST(CountLayers, SelfAndCrossAttentionAreOneLayer) {
  WorkStream test;
  for (int layer = 0; layer < 4; ++layer) {
    test.kernel(kTestAttention);
    test.kernels(kBetween);
    test.kernel(kTestAttention);
    test.kernels(kWhole);
  }
  EXPECT_EQ(layers_in(test, StretchEnd::kEnds), 4U);
  EXPECT_EQ(layers_in(test, StretchEnd::kRepeats), 4U);
}

TEST(CountLayers, ABodyOfOneLayerMayBeginAnywhere) {
  std::vector<std::string_view> layer = {kTestAttention};
  layer.insert(layer.end(), kBetween.begin(), kBetween.end());
  layer.push_back(kTestAttention);
  layer.insert(layer.end(), kWhole.begin(), kWhole.end());
  for (std::size_t turn = 0; turn < layer.size(); ++turn) {
    WorkStream test;
    test.kernels(layer);
    EXPECT_EQ(layers_in(test, StretchEnd::kRepeats), 1U) << turn;
    std::rotate(layer.begin(), layer.begin() + 1, layer.end());
  }
}

TEST(CountLayers, PrefillAndDecodeOfABatchAreInOneLayer) {
  WorkStream test;
  for (int layer = 0; layer < 3; ++layer) {
    test.kernels({kTestPrefill, kTestAdd, kTestDecode});
    test.kernels(kWhole);
  }
  EXPECT_EQ(layers_in(test, StretchEnd::kEnds), 3U);
}

TEST(CountLayers, WhatFollowsTheLastLayerMakesTheOthersNoParts) {
  WorkStream test;
  for (int layer = 0; layer < 6; ++layer) {
    test.kernel(kTestAttention);
    test.kernels({kTestGemm, kNorm, kTestGemm, kTestGemm, kNorm, kTestGemm});
  }
  test.kernels({kTestGemm}, 60);  // as many as a backward pass has
  EXPECT_EQ(layers_in(test, StretchEnd::kEnds), 6U);
}

TEST(CountLayers, ForwardAndBackwardAreCountedOnce) {
  WorkStream test;
  for (int layer = 0; layer < 3; ++layer) {
    test.kernel(kTestAttention);
    test.kernels(kWhole);
  }
  for (int layer = 0; layer < 3; ++layer) {  // computed again before it goes back
    test.kernel(kTestAttention);
    test.kernels(kWhole);
    test.kernel(kTestBackward);
    test.kernels(kWhole, 2);
  }
  EXPECT_EQ(layers_in(test, StretchEnd::kEnds), 3U);
}

TEST(CountLayers, SoftmaxStandsForAttentionBesideTheWorkOfALayer) {
  WorkStream test;
  for (int layer = 0; layer < 3; ++layer) {
    test.kernels({kTestGemm, kTestGemm, kSoftmax, kTestGemm, kTestGemm, kRelu, kTestGemm});
  }
  EXPECT_EQ(layers_in(test, StretchEnd::kRepeats), 3U);
  WorkStream output;
  output.kernels({kTestGemm, kSoftmax, kTestAdd}, 3);
  EXPECT_EQ(layers_in(output, StretchEnd::kRepeats), 0U) << "too little matrix work";
  WorkStream uneven;
  uneven.kernels({kSoftmax, kSoftmax});
  uneven.kernels({kTestGemm}, 10);
  EXPECT_EQ(layers_in(uneven, StretchEnd::kRepeats), 1U) << "two in a row are one";
}

TEST(CountLayers, SoftmaxOfRoutersAndOfSamplingIsNoAttention) {
  constexpr std::string_view kTopK = "void at::native::sbtopk::gatherTopK<float>(int)";
  WorkStream test;
  for (int layer = 0; layer < 3; ++layer) {
    test.kernels({kTestGemm, kTestGemm, kSoftmax, kTestGemm, kTestGemm, kTestGemm, kTopK, kSoftmax,
                  kTestGemm, kRelu, kTestGemm});
  }
  EXPECT_EQ(layers_in(test, StretchEnd::kRepeats), 3U);
  test.kernels({kTestGemm, kSoftmax, kTestSampling});
  EXPECT_EQ(layers_in(test, StretchEnd::kEnds), 3U);
}

// Scores, a mask, the softmax, a look for rows that are masked as a whole, values.
constexpr std::string_view kAllMasked =
    "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<bool, "
    "at::native::func_wrapper_t<bool, at::native::and_kernel_cuda(x)>>>(y)";
const std::vector<std::string_view> kWrittenOut = {kTestGemm, kTestAdd,   kSoftmax,
                                                   kTestAdd,  kAllMasked, kTestGemm};

TEST(CountLayers, AttentionMayBeWrittenOutBesideAttentionThatIsNamed) {
  // T5 adds places to the scores of words among themselves, but not to those of the encoder's.
  WorkStream test;
  for (int layer = 0; layer < 5; ++layer) {
    test.kernels(kWrittenOut);
    test.kernels(kWhole);
  }
  for (int layer = 0; layer < 3; ++layer) {
    test.kernels(kWrittenOut);
    test.kernels(kBetween);
    test.kernel(kTestAttention);
    test.kernels(kWhole);
  }
  EXPECT_EQ(layers_in(test, StretchEnd::kEnds), 8U);
  EXPECT_EQ(layers_in(test, StretchEnd::kRepeats), 8U);
}

TEST(CountLayers, SoftmaxOverClassesIsNoAttention) {
  constexpr std::string_view kLargest =
      "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
      "at::native::MaxOps<float>>>(x)";
  constexpr std::string_view kPatches = "implicit_convolve_sgemm";
  for (const std::string_view behind : {kLargest, kNorm, kPatches}) {
    WorkStream test;
    for (int layer = 0; layer < 4; ++layer) {
      test.kernel(kTestAttention);
      test.kernels(kWhole);
    }
    test.kernels({kTestGemm, kSoftmax, behind, kTestGemm});
    EXPECT_EQ(layers_in(test, StretchEnd::kEnds), 4U) << behind;
  }
}

TEST(CountLayers, MicroStepsRunTheSameLayersAgain) {
  WorkStream test;
  for (int micro = 0; micro < 2; ++micro) {
    for (int layer = 0; layer < 3; ++layer) {
      test.kernel(kTestAttention);
      test.kernels(kWhole);
    }
    for (int layer = 0; layer < 3; ++layer) {
      test.kernel(kTestBackward);
      test.kernels(kWhole, 2);
    }
  }
  EXPECT_EQ(layers_in(test, StretchEnd::kEnds), 3U);
}

// Forward passes of so many micro-batches of three layers, then as many back.
void add_micro_batches(WorkStream& test, int forward, int backward) {
  for (int layer = 0; layer < 3 * forward; ++layer) {
    test.kernel(kTestAttention);
    test.kernels(kWhole);
  }
  for (int layer = 0; layer < 3 * backward; ++layer) {
    test.kernel(kTestBackward);
    test.kernels(kWhole);
    test.kernels(kWhole);
  }
}

TEST(CountLayers, OfAPipelineThoseOfOneMicroBatchCount) {
  WorkStream test;
  add_micro_batches(test, 3, 1);  // the first of several go forward together
  for (int i = 0; i < 4; ++i) add_micro_batches(test, 1, 1);
  add_micro_batches(test, 0, 2);
  EXPECT_EQ(layers_in(test, StretchEnd::kEnds), 3U);
}

TEST(CountLayers, LayersThatAreComputedAgainInGroupsCountOnce) {
  WorkStream test;
  add_micro_batches(test, 5, 0);
  for (int i = 0; i < 5; ++i) add_micro_batches(test, 1, 1);
  EXPECT_EQ(layers_in(test, StretchEnd::kEnds), 15U);
}

TEST(LayersWithoutAttention, HaveProductsAndANorm) {
  const auto is_one = [](const std::vector<std::string_view>& names) {
    WorkStream test;
    test.kernels(names);
    return is_layer_without_attention(test.cycles.stream,
                                      {0, static_cast<std::uint32_t>(names.size())});
  };
  EXPECT_TRUE(is_one({kNorm, kTestGemm, kTestAdd, kTestAdd, kTestGemm}));
  EXPECT_FALSE(is_one({kTestAdd, kTestGemm, kTestAdd, kTestAdd, kTestGemm})) << "an expert";
  EXPECT_FALSE(is_one({kNorm, kTestGemm, kTestAttention, kTestAdd, kTestGemm}));
  EXPECT_FALSE(is_one({kNorm, kTestGemm, kTestAdd, kTestAdd, kTestAdd})) << "one product";
  EXPECT_FALSE(is_one({kNorm, kTestGemm, kTestGemm})) << "too short";
}

TEST(CountLayers, WithoutAttentionNothingIsKnown) {
  WorkStream test;
  test.kernels({kTestGemm, kTestAdd}, 8);
  EXPECT_EQ(layers_in(test, StretchEnd::kRepeats), 0U);
}

}  // namespace
}  // namespace lockstep::analysis::cycles
