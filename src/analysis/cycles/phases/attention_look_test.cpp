// When two passes run the same attention.
#include "analysis/cycles/phases/attention_look.h"

#include <gtest/gtest.h>

#include "analysis/cycles/stream/work_stream_for_test.h"

namespace lockstep::analysis::cycles {
namespace {

constexpr std::string_view kTestSplit = "void flash::flash_fwd_splitkv_kernel<128>(int)";
constexpr std::string_view kTestCombine = "void flash::flash_fwd_splitkv_combine_kernel<128>(int)";
constexpr std::string_view kTestCudnn = "cudnn_sdpa_sm90_flash_fprop_wgmma_f16_knob_3_64x64x64";
constexpr std::string_view kTestOtherCudnn = "cudnn_sdpa_sm80_flash_fprop_wmma_f16_knob_7_64x64x64";
constexpr std::string_view kTestUpdate = "_selective_scan_update_kernel";

struct Passes {
  Iteration add(const std::vector<std::string_view>& names, std::uint32_t times = 1) {
    const auto start = static_cast<std::uint32_t>(test.cycles.stream.size());
    test.kernels(names, times);
    return {start, static_cast<std::uint32_t>(test.cycles.stream.size())};
  }
  [[nodiscard]] AttentionLook look(Iteration pass) const {
    return AttentionLooks(test.cycles.stream).of(pass);
  }

  WorkStream test;
};

TEST(AttentionLook, UsesAndSignaturesTellKernelsApart) {
  Passes passes;
  const Iteration prompt = passes.add({kTestGemm, kTestPrefill}, 4);
  const Iteration answer = passes.add({kTestGemm, kTestDecode}, 4);
  const Iteration one = passes.add({kTestCudnn}, 4);
  const Iteration other = passes.add({kTestOtherCudnn}, 4);
  EXPECT_FALSE(have_like_uses(passes.look(prompt), passes.look(answer)));
  EXPECT_FALSE(have_like_attention(passes.look(prompt), passes.look(answer)));
  EXPECT_TRUE(have_like_uses(passes.look(one), passes.look(other)));
  EXPECT_FALSE(have_like_attention(passes.look(one), passes.look(other)));
}

TEST(AttentionLook, NumbersInANameAreTiles) {
  Passes passes;
  const Iteration one = passes.add({"cudnn_sdpa_sm90_flash_fprop_knob_3_64x64x64"});
  const Iteration other = passes.add({"cudnn_sdpa_sm90_flash_fprop_knob_31_64x128x64"});
  EXPECT_TRUE(have_like_attention(passes.look(one), passes.look(other)));
}

TEST(AttentionLook, AKernelThatIsMissingChangesNothing) {
  Passes passes;
  const Iteration whole = passes.add({kTestAttention, kTestCudnn}, 4);
  const Iteration cut = passes.add({kTestAttention, kTestCudnn}, 3);
  passes.add({kTestAttention});
  const Iteration none = passes.add({kTestGemm}, 3);
  EXPECT_TRUE(have_like_attention(passes.look(whole), passes.look({cut.start, cut.end + 1})));
  EXPECT_TRUE(have_like_attention(passes.look(whole), passes.look(none)));
  EXPECT_EQ(passes.look(none).kernels, 0U);
}

TEST(AttentionLook, FewWordsAreReadByDecodeAndSplitAttentionAndTheirHelpers) {
  Passes passes;
  EXPECT_TRUE(passes.look(passes.add({kTestDecode}, 4)).reads_few_words());
  EXPECT_TRUE(passes.look(passes.add({kTestSplit, kTestCombine}, 4)).reads_few_words());
  EXPECT_TRUE(passes.look(passes.add({kTestAttention, kTestCombine}, 4)).reads_few_words())
      << "keys are split, and what combines them tells";
  EXPECT_FALSE(passes.look(passes.add({kTestAttention}, 4)).reads_few_words());
  EXPECT_FALSE(passes.look(passes.add({kTestPrefill}, 4)).reads_few_words());
}

TEST(AttentionLook, BothAreReadWhereOtherAttentionRunsBesideThat) {
  Passes passes;
  const AttentionLook both = passes.look(passes.add({kTestAttention, kTestSplit}, 4));
  EXPECT_TRUE(both.reads_both());
  EXPECT_FALSE(both.reads_few_words());
  const AttentionLook hybrid = passes.look(passes.add({kTestUpdate, kTestUpdate, kTestSplit}, 4));
  EXPECT_FALSE(hybrid.reads_both()) << "states are no attention";
  EXPECT_TRUE(hybrid.reads_few_words());
  EXPECT_TRUE(passes.look(passes.add({kTestUpdate}, 4)).reads_few_words());
  const AttentionLook other = passes.look(passes.add({kTestUpdate, kTestAttention}, 4));
  EXPECT_FALSE(other.reads_both());
  EXPECT_FALSE(other.reads_few_words());
}

}  // namespace
}  // namespace lockstep::analysis::cycles
