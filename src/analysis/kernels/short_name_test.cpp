// Names of kernels as tables and sentences have them.
#include "analysis/kernels/short_name.h"

#include <gtest/gtest.h>

namespace lockstep::analysis::kernels {
namespace {

TEST(ReadableName, KeepsWhatTellsKernelsApart) {
  EXPECT_EQ(readable_name("void at::native::(anonymous namespace)::cat<float, 4>(float*, int)"),
            "at::native::cat<float, 4>");
  EXPECT_EQ(readable_name("void <unnamed>::softmax<half>(half*)"), "softmax<half>");
  EXPECT_EQ(readable_name("nvjet_sm90_tst"), "nvjet_sm90_tst");
  EXPECT_EQ(readable_name("Memcpy HtoD (Pageable -> Device)"), "Memcpy HtoD (Pageable -> Device)");
  EXPECT_EQ(readable_name("cuGraphLaunch (graph 3)"), "cuGraphLaunch");
  EXPECT_EQ(readable_name(""), "");
}

TEST(ShortName, LosesWhatSentencesHaveNoRoomFor) {
  EXPECT_EQ(short_name("void cub::kernel<float, 4>(float*, int)"), "cub::kernel<float, 4>");
  EXPECT_EQ(short_name("void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor"
                       "<float>, std::array<char*, 2> >(int, int)"),
            "at::native::vectorized_elementwise_kernel<...>");
  EXPECT_EQ(
      short_name("void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::"
                 "(anonymous namespace)::TensorListMetadata<1>, int>(int)"),
      "multi_tensor_apply_kernel<...>");
  EXPECT_EQ(short_name(std::string(100, 'x')), std::string(61, 'x') + "...");
  EXPECT_EQ(short_name("Memcpy HtoD (Pageable -> Device)"), "Memcpy HtoD (Pageable -> Device)");
  EXPECT_EQ(short_name("aten::add_"), "aten::add_");
}

TEST(ShortName, EndsBetweenCharacters) {
  const std::string name = std::string(60, 'x') + "\u00E4\u00F6\u00FC";
  EXPECT_EQ(short_name(name), std::string(60, 'x') + "...");
}

TEST(ShortName, WhatIsNoUtf8CountsAsItIsShown) {
  EXPECT_EQ(short_name(std::string(64, '\xFF')).size(), 63U);  // 20 replacements and dots
}

}  // namespace
}  // namespace lockstep::analysis::kernels
