// Likeness of real kernel names.
#include "analysis/compare/kernel_book.h"

#include <gtest/gtest.h>

#include "analysis/compare/side_for_test.h"

namespace lockstep::analysis::compare {
namespace {

class KernelBookTest : public testing::Test {
 protected:
  KernelClass enter(std::string_view name) {
    SideBuilder builder;
    builder.add({std::string(name)});
    const TestSide side = builder.side();
    return book_.enter(side.trace, side.cycles.streams.front().stream).front();
  }
  Likeness likeness(std::string_view a, std::string_view b) {
    return book_.likeness(enter(a), enter(b));
  }
  bool may_contain(std::string_view whole, std::string_view part) {
    return book_.may_contain(enter(whole), enter(part));
  }

  KernelBook book_;
};

TEST_F(KernelBookTest, EqualNamesOfTwoTracesAreOneClass) {
  EXPECT_EQ(enter(kGemmName), enter(kGemmName));
  EXPECT_NE(enter(kGemmName), enter(kOtherGemmName));
  EXPECT_EQ(book_.size(), 2U);
}

TEST_F(KernelBookTest, LikenessGoesByNameThenSignatureThenOperationThenRole) {
  EXPECT_EQ(likeness(kMulName, kMulName), Likeness::kSameName);
  EXPECT_EQ(likeness("triton_poi_fused_mul_silu_8", "triton_poi_fused_mul_silu_9"),
            Likeness::kSameSignature);
  EXPECT_EQ(likeness(kMulName, kMulUnrolledName), Likeness::kSameOperation);
  EXPECT_EQ(likeness(kGemmName, kOtherGemmName), Likeness::kSameRole);
}

TEST_F(KernelBookTest, ElementwiseKernelsOfUnlikeOperationsAreHardlyAlike) {
  // Both have the signature "void at::native::vectorized_elementwise_kernel".
  EXPECT_EQ(likeness(kMulName, kAddName), Likeness::kNearRole);
}

TEST_F(KernelBookTest, UnlikeRolesShareAtMostAnOperation) {
  EXPECT_EQ(likeness(kMeanName, kFusedNormName), Likeness::kNearOperation);
  EXPECT_EQ(likeness(kGemmName, kFlashName), Likeness::kNone);
  EXPECT_EQ(likeness(kGemmName, kAllReduceName), Likeness::kNone);
}

TEST_F(KernelBookTest, HelpersAreLikeHelpersRatherThanWhatTheyHelp) {
  constexpr std::string_view kReduce =
      "void splitKreduce_kernel<float, float, float, float, true, true, false>(cublasSplitKParams)";
  constexpr std::string_view kEpilogue =
      "void cublasLt::epilogue::impl::globalKernel<8, 32, float, float, float, true>(int, int)";
  EXPECT_EQ(likeness(kGemmName, kReduce), Likeness::kNearRole);
  EXPECT_EQ(likeness(kEpilogue, kReduce), Likeness::kSameRole);
  EXPECT_EQ(likeness(kFlashName, "void paged_attention_ll4mi_reduce_kernel<float, 128, 256>(int)"),
            Likeness::kNearRole);
}

TEST_F(KernelBookTest, NothingIsKnownOfAStrangeName) {
  EXPECT_EQ(likeness("zorp", kGemmName), Likeness::kUnknown);
  EXPECT_EQ(likeness("zorp", "blarg"), Likeness::kUnknown);
}

TEST_F(KernelBookTest, FusedKernelContainsWhatItsNameMentions) {
  EXPECT_TRUE(may_contain(kFusedNormName, kRsqrtName));
  EXPECT_TRUE(may_contain(kFusedSiluName, kSiluName));
  EXPECT_FALSE(may_contain(kFusedSiluName, kMeanName));
  EXPECT_FALSE(may_contain(kFusedNormName, kGemmName));
}

TEST_F(KernelBookTest, OneOperationContainsNothing) {
  EXPECT_FALSE(may_contain(kMulName, kMulUnrolledName));
  EXPECT_FALSE(may_contain(kGemmName, kMulName));
}

TEST_F(KernelBookTest, AttentionContainsTheProductsThatItReplaces) {
  EXPECT_TRUE(may_contain(kFlashName, kGemmName));
  EXPECT_TRUE(may_contain(kFlashName, kMulName));
  EXPECT_FALSE(may_contain(kFlashName, kSiluName));
}

TEST_F(KernelBookTest, ARoleIsWeakEvidenceForNamesThatBothBodiesKnow) {
  const KernelClass gemm = enter(kGemmName);
  const KernelClass other = enter(kOtherGemmName);
  const std::vector<KernelClass> both = {gemm, other};
  const std::vector<KernelClass> one = {gemm};
  EXPECT_EQ(BodyLikeness(book_, both, both)(gemm, other), Likeness::kNearRole);
  EXPECT_EQ(BodyLikeness(book_, one, both)(gemm, other), Likeness::kSameRole);
  EXPECT_EQ(BodyLikeness(book_, both, both)(gemm, gemm), Likeness::kSameName);
}

}  // namespace
}  // namespace lockstep::analysis::compare
