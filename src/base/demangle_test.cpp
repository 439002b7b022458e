// Tests of demangling: real names, and names that are made to cost much.
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/text.h"

namespace lockstep {
namespace {

struct RealName {
  std::string_view mangled;
  std::string_view beginning;  // of the demangled one
};

// Of PyTorch, aiter, composable_kernel, cutlass, rocPRIM and SGLang. libstdc++ 12 knows four of
// them: it has no bfloat16 (DF16b) and no declarations of template parameters (Tn).
constexpr std::array<RealName, 11> kRealNames = {{
    {"_ZN2at6native54_GLOBAL__N__d8ceb000_21_DistributionNormal_cu_0c5b6e8543distribution_e"
     "lementwise_grid_stride_kernelIfLi4EZNS0_9templates4cuda20normal_and_transformIffPNS_1"
     "7CUDAGeneratorImplEZZZNS4_13normal_kernelIS7_EEvRKNS_10TensorBaseEddT_ENKUlvE_clEvENK"
     "UlvE0_clEvEUlfE_EEvRNS_18TensorIteratorBaseET1_T2_EUlP24curandStatePhilox4_32_10E0_ZN"
     "S1_27distribution_nullary_kernelIff6float4S7_SM_SF_EEvSH_SJ_RKT3_T4_EUlifE_EEvlNS_15P"
     "hiloxCudaStateESI_SJ_",
     "void at::native::(anonymous namespace)::distribution_elementwise_grid_stride_kernel<f"
     "loat, 4, void at::native::templates::cuda::normal_and_transform<float, floa"},
    {"_ZN2at6native54_GLOBAL__N__d8ceb000_21_DistributionNormal_cu_17e44f7d43distribution_e"
     "lementwise_grid_stride_kernelIfLi4EZNS0_9templates4cuda20normal_and_transformIffLm4EP"
     "NS_17CUDAGeneratorImplEZZZNS4_13normal_kernelIS7_EEvRKNS_10TensorBaseEddT_ENKUlvE_clE"
     "vENKUlvE0_clEvEUlfE_EEvRNS_18TensorIteratorBaseET2_T3_EUlP24curandStatePhilox4_32_10E"
     "0_ZNS1_27distribution_nullary_kernelIffLi4ES7_SM_SF_EEvSH_SI_RKSJ_T4_EUlifE_EEviNS_15"
     "PhiloxCudaStateET1_SI_",
     "void at::native::(anonymous namespace)::distribution_elementwise_grid_stride_kernel<f"
     "loat, 4, void at::native::templates::cuda::normal_and_transform<float, floa"},
    {"_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi256ELi16ELb0ELb0ELb1ELi1EEEvPT0_PT_Pf"
     "S4_S4_S4_diiiiiiib",
     "void aiter::add_rmsnorm_quant_kernel<std::bfloat16_t, std::bfloat16_t, 256, 16, false"
     ", false, true, 1>(std::bfloat16_t*, std::bfloat16_t*, float*, std::bfloat16"},
    {"_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi256ELi16ELb1ELb0ELb1ELi1EEEvPT0_PT_Pf"
     "S4_S4_S4_diiiiiiib",
     "void aiter::add_rmsnorm_quant_kernel<std::bfloat16_t, std::bfloat16_t, 256, 16, true,"
     " false, true, 1>(std::bfloat16_t*, std::bfloat16_t*, float*, std::bfloat16_"},
    {"_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi64ELi8ELb0ELb0ELb1ELi1EEEvPT0_PT_PfS4"
     "_S4_S4_diiiiiiib",
     "void aiter::add_rmsnorm_quant_kernel<std::bfloat16_t, std::bfloat16_t, 64, 8, false, "
     "false, true, 1>(std::bfloat16_t*, std::bfloat16_t*, float*, std::bfloat16_t"},
    {"_ZN7ck_tile6kentryILi1ENS_12Rmsnorm2dFwdINS_27Rmsnorm2dFwdPipelineOnePassINS_27Rmsnor"
     "m2dFwdPipelineProblemIDF16bDF16bfDF16bDF16bDF16bffNS_19Generic2dBlockShapeINS_8sequen"
     "ceIJLi1ELi3072EEEENS5_IJLi1ELi128EEEENS5_IJLi1ELi8EEEEEENS_18Rmsnorm2dFwdTraitsILb1EL"
     "b0ELb0ELb0ELNS_21Rmsnorm2dFusedAddEnumE0ELNS_23Rmsnorm2dFusedQuantEnumE0ELNS_22Rmsnor"
     "m2dSensitiveEnumE0EEEEENS_33Rmsnorm2dFwdPipelineDefaultPolicyEEENS_17Default2DEpilogu"
     "eINS_24Default2DEpilogueProblemIfDF16bLb0ELb1ELb0EEEvEEEEJNSM_5KargsEEEEvDpT1_",
     "void ck_tile::kentry<1, ck_tile::Rmsnorm2dFwd<ck_tile::Rmsnorm2dFwdPipelineOnePass<ck"
     "_tile::Rmsnorm2dFwdPipelineProblem<std::bfloat16_t, std::bfloat16_t, float,"},
    {"_ZN7ck_tile6kentryILi1ENS_12Rmsnorm2dFwdINS_27Rmsnorm2dFwdPipelineOnePassINS_27Rmsnor"
     "m2dFwdPipelineProblemIDF16bDF16bfDF16bDF16bDF16bffNS_19Generic2dBlockShapeINS_8sequen"
     "ceIJLi1ELi3072EEEENS5_IJLi1ELi128EEEENS5_IJLi1ELi8EEEEEENS_18Rmsnorm2dFwdTraitsILb1EL"
     "b0ELb0ELb0ELNS_21Rmsnorm2dFusedAddEnumE1ELNS_23Rmsnorm2dFusedQuantEnumE0ELNS_22Rmsnor"
     "m2dSensitiveEnumE0EEEEENS_33Rmsnorm2dFwdPipelineDefaultPolicyEEENS_17Default2DEpilogu"
     "eINS_24Default2DEpilogueProblemIfDF16bLb0ELb1ELb0EEEvEEEEJNSM_5KargsEEEEvDpT1_",
     "void ck_tile::kentry<1, ck_tile::Rmsnorm2dFwd<ck_tile::Rmsnorm2dFwdPipelineOnePass<ck"
     "_tile::Rmsnorm2dFwdPipelineProblem<std::bfloat16_t, std::bfloat16_t, float,"},
    {"_ZN7ck_tile6kentryILi1ENS_17BatchedGemmKernelINS_33GemmSpatiallyLocalTilePartitionerI"
     "NS_13TileGemmShapeINS_8sequenceIJLi256ELi256ELi64EEEENS4_IJLi2ELi2ELi1EEEENS4_IJLi32E"
     "Li32ELi16EEEELb0ELb0EEELi8ELi4EEENS_24GemmPipelineAgBgCrCompV3INS_28UniversalGemmPipe"
     "lineProblemIDF16_DF16_fS8_NS_23TileGemmUniversalTraitsILb0ELb0ELb0ELb0ENS_13tensor_la"
     "yout4gemm8RowMajorENSE_11ColumnMajorESF_Lb0ELb0ELb0ELi1ELb0ELi16EEELNS_21GemmPipeline"
     "SchedulerE1ENS_12element_wise11PassThroughESK_DF16_Lb0ELi1ELi1EEENS_33UniversalGemmPi"
     "pelineAgBgCrPolicyEEENS_16CShuffleEpilogueINS_23CShuffleEpilogueProblemIDF16_DF16_NS_"
     "5tupleIJEEEfDF16_SR_SF_SK_Li256ELi256ELi2ELi2ELi32ELi32ELi16ELb0ELNS_21memory_operati"
     "on_enumE0ELi1ELb0ELi1ELb0ELi1ELb0EEEvEEEEJNSV_21BatchedGemmKernelArgsEEEEvDpT1_",
     "void ck_tile::kentry<1, ck_tile::BatchedGemmKernel<ck_tile::GemmSpatiallyLocalTilePar"
     "titioner<ck_tile::TileGemmShape<ck_tile::sequence<256, 256, 64>, ck_tile::s"},
    {"_ZN7cutlass13device_kernelIN2at4cuda6detail25enable_3x_kernel_for_sm9xINS_4gemm6kerne"
     "l13GemmUniversalINS5_17GroupProblemShapeIN4cute5tupleIJiiiEEEEENS5_10collective13Coll"
     "ectiveMmaINS5_39MainloopSm90ArrayTmaGmmaWarpSpecializedILi4ENSA_IJNS9_1CILi2EEENSG_IL"
     "i1EEESI_EEENS5_40KernelPtrArrayTmaWarpSpecializedPingpongEEENSA_IJNSG_ILi64EEENSG_ILi"
     "128EEESN_EEENS_10bfloat16_tEPNSA_IJlSI_NSG_ILi0EEEEEESP_SS_NS9_8TiledMMAINS9_8MMA_Ato"
     "mIJNS9_4SM904GMMA28MMA_64x128x16_F32BF16BF16_SSILNSW_5MajorE0ELSY_0ELNSW_7ScaleInE1EL"
     "SZ_1EEEEEENS9_6LayoutINSA_IJSI_SI_SI_EEENSA_IJSQ_SQ_SQ_EEEEENSA_IJNS9_10UnderscoreES1"
     "6_S16_EEEEENS9_13SM90_TMA_LOADENS9_14ComposedLayoutINS9_7SwizzleILi3ELi4ELi3EEENS9_18"
     "smem_ptr_flag_bitsILi16EEENS12_INSA_IJNSG_ILi8EEESM_EEENSA_IJSM_SI_EEEEEEEvNS9_8ident"
     "ityENS9_23SM90_TMA_LOAD_MULTICASTES1J_vS1K_EENS_8epilogue10collective18CollectiveEpil"
     "ogueINS1N_30Sm90PtrArrayTmaWarpSpecializedILi4ELi2ELi16ELb0ELb0ELi2EEEJSO_NSA_IJSM_NS"
     "G_ILi32EEEEEEvSS_SP_SS_NS1N_6fusion15FusionCallbacksIS1R_NS1U_17LinearCombinationISP_"
     "fSP_fLNS_15FloatRoundStyleE2EEESO_S1T_JEEES19_NS1A_INS1B_ILi2ELi4ELi3EEES1E_NS12_INSA"
     "_IJS1F_S1S_EEENSA_IJS1S_SI_EEEEEEENS9_17SM75_U32x4_LDSM_NENS9_14SM90_TMA_STOREES24_NS"
     "9_17SM90_U32x4_STSM_NENS9_9Copy_AtomIJS27_NS_6half_tEEEEvEEEvvEEEEEEvNT_6ParamsE",
     "void cutlass::device_kernel<at::cuda::detail::enable_3x_kernel_for_sm9x<cutlass::gemm"
     "::kernel::GemmUniversal<cutlass::gemm::GroupProblemShape<cute::tuple<int, i"},
    {"_ZN7rocprim17ROCPRIM_400001_NS6detail16partition_kernelILNS1_13select_methodE3ELb1ENS"
     "1_24wrapped_partition_configINS0_14default_configELNS1_17partition_subalgoE9EliEEPKlN"
     "6thrust23THRUST_200700_400000_NS17counting_iteratorIiNSB_11use_defaultESD_SD_EEPNS0_1"
     "0empty_typeENS0_5tupleIJPlSF_EEENSH_IJSI_SG_EEENS1_18inequality_wrapperIN6hipcub16HIP"
     "CUB_400000_NS8EqualityEEENS1_19lookback_scan_stateIjLb0ELb1EEENS1_16block_id_wrapperI"
     "jLb0EEEJSF_EEEvT2_T3_T4_T5_T6_PmSZ_mmT7_T8_jNS1_7vsmem_tET9_DpT10_",
     "void rocprim::ROCPRIM_400001_NS::detail::partition_kernel<(rocprim::ROCPRIM_400001_NS"
     "::detail::select_method)3, true, rocprim::ROCPRIM_400001_NS::detail::wrappe"},
    {"_ZN7sgl_hip10activation18act_and_mul_kernelI14__hip_bfloat16TnPFT_RKS3_EXadL_Z4siluIS"
     "2_ES3_S5_EEEEvPS3_PS4_i",
     "void sgl_hip::activation::act_and_mul_kernel<__hip_bfloat16, &__hip_bfloat16 silu<__h"
     "ip_bfloat16>(__hip_bfloat16 const&)>(__hip_bfloat16*, __hip_bfloat16 const*"},
}};

// "_Z1f" and this many levels, each of which names the one before it twice: 2^levels times "int".
std::string doubling_name(int levels) {
  constexpr std::string_view kDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string name = "_Z1fSt4pairIiiE";
  for (int level = 0; level < levels; ++level) {
    const std::string index = level == 0 ? "S0_" : std::string("S") + kDigits[level] + "_";
    name += "S_I" + index + index + "E";
  }
  return name;
}

std::string repeated(std::string_view part, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += part;
  return out;
}

TEST(Demangled, PlainNamesStay) {
  EXPECT_EQ(demangled(""), "");
  EXPECT_EQ(demangled("ampere_sgemm_128x64_tn"), "ampere_sgemm_128x64_tn");
  EXPECT_EQ(demangled("void foo<int>(float*)"), "void foo<int>(float*)");
  EXPECT_EQ(demangled("_private"), "_private");
}

TEST(Demangled, MangledNamesAreWrittenAsInSource) {
  EXPECT_EQ(demangled("_Z3addPfi"), "add(float*, int)");
  EXPECT_EQ(demangled("_ZN2at6native4copyIfEEvPT_"), "void at::native::copy<float>(float*)");
}

TEST(Demangled, KernelDescriptorSuffixIsDropped) {
  EXPECT_EQ(demangled("_Z3addPfi.kd"), "add(float*, int)");
  EXPECT_EQ(demangled("Cijk_Ailk_Bljk_HHS.kd"), "Cijk_Ailk_Bljk_HHS");
  // As rocprof and c++filt write it.
  EXPECT_EQ(demangled("void k<float>(float) [clone .kd]"), "void k<float>(float)");
  EXPECT_EQ(demangled("_Z3addPfi [clone .kd]"), "add(float*, int)");
}

TEST(Demangled, BrokenMangledNamesStay) {
  EXPECT_EQ(demangled("_Z"), "_Z");
  EXPECT_EQ(demangled("_Z3ad"), "_Z3ad");
  EXPECT_EQ(demangled("_ZN2at6native4copyIfEEvPT_!"), "_ZN2at6native4copyIfEEvPT_!");
}

TEST(Demangled, RealNamesOfNewCompilersAreKnown) {
  for (const RealName& name : kRealNames) {
    const std::string text = demangled(name.mangled);
    EXPECT_EQ(text.substr(0, name.beginning.size()), name.beginning);
    EXPECT_TRUE(text.ends_with(')')) << text;
  }
}

TEST(Demangled, SuffixesOfClonesAreKept) {
  EXPECT_EQ(demangled("_Z3addPfi.constprop.0"), "add(float*, int) (.constprop.0)");
  EXPECT_EQ(demangled("add(float*) [clone .constprop.0]"), "add(float*) [clone .constprop.0]");
}

TEST(Demangled, LocalNamesHaveDiscriminators) {
  EXPECT_EQ(demangled("_ZZ1fvE1x_0"), "f()::x");
  EXPECT_EQ(demangled("_ZZ1fvE1x__12_"), "f()::x");
  EXPECT_EQ(demangled("_ZZ1fvE1x12"), "f()::x");
  EXPECT_EQ(demangled("_ZZ1fvE1x__12"), "_ZZ1fvE1x__12");
  EXPECT_EQ(demangled("_ZZ1fvE1x_"), "_ZZ1fvE1x_");
}

TEST(Demangled, OverlongNamesStay) {
  for (const std::size_t bytes : {33'000, 100'000}) {
    const std::string name = "_Z" + std::to_string(bytes) + std::string(bytes, 'x') + "v";
    EXPECT_EQ(demangled(name), name);
  }
}

TEST(Demangled, NamesThatDoubleAreFollowedUntilNobodyReadsThem) {
  EXPECT_TRUE(
      demangled(doubling_name(8)).starts_with("f(std::pair<int, int>, std::pair<std::pair<"));
  for (const int levels : {14, 20, 34}) {
    const std::string name = doubling_name(levels);
    EXPECT_EQ(demangled(name), name) << levels;
  }
}

// Packs that print nothing, and repeat each other: no byte comes out, but each is printed.
TEST(Demangled, NamesThatDoubleWithoutOutputStay) {
  std::string name = "_Z1fSt4pairIJEE";
  for (int level = 0; level < 30; ++level) {
    constexpr std::string_view kDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const std::string index = std::string("S") + kDigits[level] + "_";
    name += "S_IJ" + index + index + index + index + "EE";
  }
  EXPECT_EQ(demangled(name), name);
}

TEST(Demangled, DeepNamesStay) {
  EXPECT_EQ(demangled("_Z1f" + repeated("P", 20) + "i"), "f(int" + repeated("*", 20) + ")");
  constexpr std::size_t kDeep = 5000;
  // Pointers, qualifiers of vendors, arguments of templates, of vendors' types, packs, expressions,
  // local names, lists in braces, declarations of template parameters, and nested names.
  for (const std::string_view part :
       {"P",     "U1a", "U1aIiE",  "3fooI", "u1aI", "J",       "XcvT_", "Xad",    "Dv_",
        "DpXil", "XLZ", "XtlTtil", "XilL",  "TtTp", "TnTp",    "TpTt",  "UlTyTt", "M1a",
        "A_",    "FP",  "DTcl",    "NDTcl", "N1aI", "XsrN1aI", "Xtw",   "ZZ"}) {
    const std::string name = "_Z1f" + repeated(part, kDeep / part.size());
    EXPECT_EQ(demangled(name), name) << part;
    const std::string argument = "_Z1fI" + repeated(part, kDeep / part.size());
    EXPECT_EQ(demangled(argument), argument) << part;
  }
}

// Each parameter is a pointer to the one before it: the name is flat, what it means is deep.
TEST(Demangled, NamesThatGetDeepByReferencesStay) {
  constexpr std::string_view kDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string name = "_Z1fPiPS_";
  for (const char high : kDigits.substr(0, 24)) {
    for (const char low : kDigits) {
      name += "PS";
      if (high != '0') name += high;
      name += low;
      name += '_';
    }
  }
  EXPECT_EQ(demangled(name), name);
}

// A parameter that refers to itself through the type that a conversion operator makes.
TEST(Demangled, NamesThatReferToThemselvesEnd) {
  EXPECT_FALSE(demangled("_ZN1ScvPT_IS1_EEv").empty());
}

TEST(Demangled, OrdinaryReferencesAreFollowed) {
  EXPECT_EQ(demangled("_Z1fSt4pairIiiES_IS0_S0_E"),
            "f(std::pair<int, int>, std::pair<std::pair<int, int>, std::pair<int, int>>)");
}

}  // namespace
}  // namespace lockstep
