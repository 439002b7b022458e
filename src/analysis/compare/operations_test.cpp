// Operations read from real kernel names.
#include "analysis/compare/operations.h"

#include <gtest/gtest.h>

namespace lockstep::analysis::compare {
namespace {

using enum Operation;

TEST(Operations, FunctorsOfAtenNameOneOperation) {
  EXPECT_EQ(
      operations_in("void at::native::vectorized_elementwise_kernel<8, "
                    "at::native::BinaryFunctor<c10::BFloat16, c10::BFloat16, c10::BFloat16, "
                    "at::native::binary_internal::MulFunctor<float> >, std::array<char*, 3ul> "
                    ">(int, at::native::BinaryFunctor<c10::BFloat16>)"),
      OperationSet{kMultiply});
  EXPECT_EQ(
      operations_in("void at::native::vectorized_elementwise_kernel<4, "
                    "at::native::CUDAFunctorOnSelf_add<float>, std::array<char*, 2ul> >(int)"),
      OperationSet{kAdd});
  EXPECT_EQ(
      operations_in("void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
                    "at::native::MeanOps<float, float, float, float>, unsigned int, float, 4> >"
                    "(at::native::ReduceOp<float>)"),
      OperationSet{kMean});
  EXPECT_EQ(
      operations_in("void at::native::unrolled_elementwise_kernel<at::native::"
                    "direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}, 4>(int)"),
      OperationSet{kCopy});
}

TEST(Operations, CapitalsCutWords) {
  EXPECT_EQ(
      operations_in("void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, 3>(f)"),
      (OperationSet{kConcatenate, kCopy}));
}

TEST(Operations, InductorNamesAllThatItFused) {
  EXPECT_EQ(operations_in("triton_per_fused__to_copy__unsafe_view_add_mean_mul_pow_rsqrt_12"),
            (OperationSet{kCopy, kAdd, kMean, kMultiply, kPower, kRootInverse}));
  EXPECT_EQ(operations_in("triton_poi_fused__unsafe_view_mul_silu_9"),
            (OperationSet{kMultiply, kSilu}));
}

TEST(Operations, WordsInsideWordsAreNone) {
  EXPECT_TRUE(operations_in("nvjet_sm90_tst_8x64_64x16_2x1_v_bz_TNN").is_empty());
  EXPECT_TRUE(operations_in("category_submit_expand_summit").is_empty());
  EXPECT_TRUE(operations_in("").is_empty());
}

TEST(Operations, ANormDoesWhatAnEagerOneWritesOut) {
  const OperationSet norm = operations_of(kernels::KernelRole::kNorm, false);
  EXPECT_TRUE(norm.includes({kPower, kMean, kAdd, kRootInverse, kMultiply, kCopy}));
  EXPECT_FALSE(norm.contains(kSilu));
  EXPECT_TRUE(operations_of(kernels::KernelRole::kGemm, false).is_empty());
}

TEST(Operations, SoftmaxIsABundleWhateverItsRole) {
  EXPECT_TRUE(operations_of(kernels::KernelRole::kReduction, true)
                  .includes({kMaximum, kExponential, kSum}));
  EXPECT_TRUE(operations_of(kernels::KernelRole::kAttention, false).contains(kSoftmax));
}

}  // namespace
}  // namespace lockstep::analysis::compare
