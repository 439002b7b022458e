// Names of kernels as tables and sentences have them.
#include "analysis/kernels/short_name.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace lockstep::analysis::kernels {
namespace {

using testing::ElementsAre;

std::vector<std::string> told(std::vector<std::string_view> names) { return telling_names(names); }

TEST(ShortForm, NamesThatAreNoCppStay) {
  for (const std::string_view name :
       {"", "nvjet_sm90_tst_8x64_64x16_2x1_v_bz_TNN", "triton_poi_fused_add_0",
        "Memcpy HtoD (Pageable -> Device)", "cuGraphLaunch (graph 3)", "module.py(12): <lambda>",
        "<built-in method add>", "%fusion.3 = f32[8] add(a, b)", "nn.Module: Block_0", "a: b", "<",
        "::", "(", "x>>>", "hcom_allReduce__210_2_1"}) {
    EXPECT_EQ(short_form(name), name);
  }
}

TEST(ShortForm, ResultsParametersAndSilentNamespacesGo) {
  EXPECT_EQ(short_form("void at::native::(anonymous namespace)::cat<float, 4>(float*, int)"),
            "cat");
  EXPECT_EQ(short_form("void <unnamed>::softmax<half>(half*)"), "softmax");
  EXPECT_EQ(
      short_form("void (anonymous namespace)::softmax_warp_forward<float, 10, false>(float*)"),
      "softmax_warp_forward");
  EXPECT_EQ(short_form("std::enable_if<!(false), void>::type internal::gemvx::kernel<int, float, "
                       "cublasGemvParams<float> >(cublasGemvParams<float>)"),
            "gemvx::kernel");
  EXPECT_EQ(short_form("void vllm::rotary_embedding_kernel<c10::BFloat16, true>(long const*)"),
            "vllm::rotary_embedding_kernel");
  EXPECT_EQ(short_form("void at_cuda_detail::cub::DeviceScanInitKernel<at_cuda_detail::cub::"
                       "ScanTileState<long, true> >(int)"),
            "cub::DeviceScanInitKernel");
  EXPECT_EQ(short_form("aten::add_"), "aten::add_");
}

TEST(ShortForm, SuffixesOfClonesGo) {
  EXPECT_EQ(short_form("void k<float>(float) [clone .kd]"), "k");
  EXPECT_EQ(short_form("void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::"
                       "native::MeanOps<float> > >(int) [clone .kd]"),
            "reduce MeanOps");
  EXPECT_EQ(short_form("void flash::flash_fwd_kernel<Traits<64> >() (.constprop.0)"),
            short_form("void flash::flash_fwd_kernel<Traits<64> >()"));
  EXPECT_EQ(short_form("_ZN5flash16flash_fwd_kernelIfEEvv.constprop.0"), "flash::flash_fwd_kernel");
  EXPECT_EQ(short_form("k(int) [clone .isra.0] [clone .constprop.1]"), "k");
  EXPECT_EQ(short_form("gemm [clone .isra.0]"), "gemm");
  for (const std::string_view name : {" [clone .x", "Memcpy [clone x]", "f (.a b)", " (.x)"}) {
    EXPECT_EQ(short_form(name), name);
  }
}

TEST(ShortForm, WhatAKernelRunsStays) {
  EXPECT_EQ(
      short_form(
          "void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<at::"
          "native::BinaryFunctor<float, float, float, at::native::binary_internal::MulFunctor"
          "<float> > >(at::TensorIteratorBase&, float const&)::{lambda(int)#1}>(int, float)"),
      "elementwise Mul");
  EXPECT_EQ(
      short_form(
          "void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous namespace)::"
          "silu_kernel(at::TensorIteratorBase&)::{lambda()#1}::operator()() const::{lambda()#6}"
          "::operator()() const::{lambda(float)#1}, std::array<char*, 2ul> >(int)"),
      "vectorized_elementwise silu");
  EXPECT_EQ(
      short_form(
          "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps"
          "<float, float, float, float>, unsigned int, float, 4, 4> >(int)"),
      "reduce MeanOps");
  EXPECT_EQ(
      short_form("void at::native::(anonymous "
                 "namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
                 "namespace)::TensorListMetadata<1>, at::native::(anonymous namespace)::"
                 "BinaryOpScalarFunctor<float, 1, 1, 0>, std::multiplies<float>, float>(int)"),
      "multi_tensor_apply BinaryOpScalar multiplies");
  EXPECT_EQ(
      short_form(
          "void at::native::(anonymous namespace)::cunn_SoftMaxForward<4, float, float, float, at::"
          "native::(anonymous namespace)::LogSoftMaxForwardEpilogue>(float*, float const*, int)"),
      "cunn_SoftMaxForward LogSoftMaxForwardEpilogue");
}

// NVIDIA's demangler has its own words for lambdas and casts, LLVM's has quotes.
TEST(ShortForm, AllDemanglersAreRead) {
  EXPECT_EQ(
      short_form(
          "void at::native::elementwise_kernel<(int)128, (int)2, void at::native::"
          "gpu_kernel_impl_nocast<at::native::CUDAFunctor_add<long>>(at::TensorIteratorBase &, "
          "const T1 &)::[lambda(int) (instance 1)]>(int, T3)"),
      "elementwise add");
  EXPECT_EQ(
      short_form("void k<4, void at::native::tanh_kernel_cuda(int&)::'lambda0'()::operator()() "
                 "const::'lambda'(float)>(int)"),
      "k tanh");
}

TEST(ShortForm, EntryPointsOfLibrariesAreCalledByWhatTheyRun) {
  EXPECT_EQ(short_form("void cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_tn_align1>"
                       "(cutlass_80_simt_sgemm_128x32_8x5_tn_align1::Params)"),
            "cutlass_80_simt_sgemm_128x32_8x5_tn_align1");
  EXPECT_EQ(
      short_form(
          "_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi256ELi16ELb0ELb0ELb1ELi1EEEvPT0_PT_"
          "PfS4_S4_S4_diiiiiiib"),
      "aiter::add_rmsnorm_quant_kernel");
  EXPECT_EQ(
      short_form(
          "void cutlass::device_kernel<flash::enable_sm90<flash::FlashFwd<cute::tuple<cute::C<64>, "
          "cute::C<128>, cute::C<32> >, float> > >(int)"),
      "FlashFwd 64x128x32");
}

TEST(ShortName, FitsInASentence) {
  EXPECT_EQ(short_name(std::string(100, 'x')), std::string(61, 'x') + "...");
  const std::string name = std::string(60, 'x') + "\u00E4\u00F6\u00FC";
  EXPECT_EQ(short_name(name), std::string(60, 'x') + "...");   // between characters
  EXPECT_EQ(short_name(std::string(64, '\xFF')).size(), 63U);  // 20 replacements and dots
}

TEST(TellingNames, AddWhatDiffers) {
  EXPECT_THAT(told({"void f<float, 10, true>(int)", "void f<float, 4, true>(int)", "g"}),
              ElementsAre("f <10>", "f <4>", "g"));
  EXPECT_THAT(told({"void f<float, 1>(int)", "void f<float, 2>(int)", "void f<half, 2>(int)"}),
              ElementsAre("f <float, 1>", "f <float, 2>", "f <half, 2>"));
  EXPECT_THAT(told({"void f<float>(int)", "void f<float, int>(int)"}), ElementsAre("f", "f <int>"));
  EXPECT_THAT(told({"void f<a::X>(int)", "void f<b::X>(int)"}), ElementsAre("f X <a>", "f X <b>"));
  EXPECT_THAT(told({"f(int)", "f(float)"}), ElementsAre("f <int>", "f <float>"));
  EXPECT_THAT(told({"f(int, int, float)", "f(int, float, float, float)"}),
              ElementsAre("f #2", "f"));
  EXPECT_THAT(told({"f(int)", "f(int)"}), ElementsAre("f", "f"));
  EXPECT_THAT(told({"void f<false, decltype(nullptr)>(int)", "void f<true, float>(int)",
                    "void f<false, float>(int)"}),
              ElementsAre("f <false, decltype(nullptr)>", "f <true, float>", "f <false, float>"));
  EXPECT_THAT(told({}), ElementsAre());
}

TEST(TellingNames, ClonesAreToldBySuffix) {
  EXPECT_THAT(told({"void k<int>(int)", "void k<int>(int) [clone .constprop.0]"}),
              ElementsAre("k", "k <constprop, 0>"));
}

TEST(TellingNames, WhatCannotBeShownDoesNotTellApart) {
  EXPECT_THAT(told({"a\nb", "a\tb", "a\rb"}),
              ElementsAre("a\uFFFDb #2", "a\uFFFDb", "a\uFFFDb #3"));
  EXPECT_THAT(told({"void f<\n>(int)", "void f<\t>(int)", "f\x01"}),
              ElementsAre("f #2", "f", "f\uFFFD"));
  EXPECT_THAT(told({"a", " a", "a  "}), ElementsAre("a #2", "a", "a #3"));
  EXPECT_THAT(told({" ", "   ", ""}), ElementsAre("(blank)", "(blank) #2", ""));
}

TEST(TellingNames, EachOfManyMayHaveAPlaceOfItsOwn) {
  std::vector<std::string> names;
  for (int i = 0; i < 60; ++i) {
    std::string arguments;
    for (int k = 0; k < 60; ++k)
      arguments += (k == 0 ? "" : ", ") + std::string(k == i ? "1" : "0");
    names.push_back("void f<" + arguments + ">(int)");
  }
  const std::vector<std::string> forms = telling_names(names);
  EXPECT_EQ(std::set(forms.begin(), forms.end()).size(), names.size());
  EXPECT_EQ(forms[0].substr(0, 8), "f <1, 0,");
  EXPECT_THAT(forms[0], testing::Not(testing::HasSubstr("#")));
}

TEST(TellingNames, ManyNamesAreToldApartToo) {
  std::vector<std::string> names;
  for (int i = 0; i < 3000; ++i) {
    names.push_back("void f<" + std::to_string(i) + ", " + std::to_string(i % 7) + ">(int)");
    names.push_back("void f<" + std::to_string(i) + ", 1>(int*)" + std::string(i % 50, '*'));
  }
  const std::vector<std::string> forms = telling_names(names);
  EXPECT_EQ(std::set(forms.begin(), forms.end()).size(),
            std::set(names.begin(), names.end()).size());
}

// Made of pieces that are told apart badly: equal forms, numbers that are names already.
RC_GTEST_PROP(TellingNames, AreAsDifferentAsNames, ()) {
  const auto piece = rc::gen::element<std::string>(
      "f", "<", ">", "(", ")", "::", ", ", "int", "4", " ", "#2", " #2", "at", "{lambda(int)#1}",
      "void ", "*", "operator()", "'", "\xC3\xA4", "\n", "\t", "\xFF", " [clone .x]", " (.x)");
  const auto names = *rc::gen::container<std::vector<std::string>>(
      rc::gen::map(rc::gen::container<std::vector<std::string>>(piece),
                   [](const std::vector<std::string>& pieces) {
                     std::string name;
                     for (const std::string& one : pieces) name += one;
                     return name;
                   }));
  const std::vector<std::string> forms = telling_names(names);
  RC_ASSERT(forms.size() == names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) RC_ASSERT((names[i] == names[j]) == (forms[i] == forms[j]));
  }
}

}  // namespace
}  // namespace lockstep::analysis::kernels
