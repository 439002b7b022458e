// Names that profilers write for collectives, and names that only look like them.
#include "trace/collective_names.h"

#include <gtest/gtest.h>

namespace lockstep::trace {
namespace {

struct Case {
  std::string_view name;
  std::string_view op;
};

constexpr Case kCollectiveKernels[] = {
    // NCCL and RCCL
    {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "all_reduce"},
    {"ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "all_gather"},
    {"ncclDevKernel_ReduceScatter_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
     "reduce_scatter"},
    {"ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", "send_recv"},
    {"ncclDevKernel_Broadcast_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "broadcast"},
    {"ncclDevKernel_Reduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "reduce"},
    {"ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", "all_reduce"},
    {"ncclKernel_AllReduce_TREE_LL128_Sum_half(ncclDevComm*, unsigned long, ncclWork*)",
     "all_reduce"},
    {"ncclSymDevKernel_AllReduce_AGxLLMC_R_sum_bf16(ncclSymDevArgs)", "all_reduce"},
    {"ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)", "unknown"},
    {"rcclKernel_AllToAll", "all_to_all"},
    {"mscclKernel_Sum_half_Simple(ncclDevComm*, mscclAlgo*, mscclWork*)", "unknown"},
    // HCCL
    {"hcom_allReduce__360_0_1", "all_reduce"},
    {"hcom_allGather__360_1_1", "all_gather"},
    {"hcom_reduceScatter__721_4_1", "reduce_scatter"},
    {"hcom_alltoallv__360_2_1", "all_to_all"},
    {"hcom_broadcast__360_3_1", "broadcast"},
    {"hcom_send__360_3_1", "send"},
    {"hcom_receive__360_3_1", "recv"},
    {"HcclAllreduce", "all_reduce"},
    {"HcclReduceScatter", "reduce_scatter"},
    {"HcclScatter", "scatter"},
    {"all-reduce.17", "all_reduce"},
    {"collective-permute-start.2", "send_recv"},
    {"void (anonymous namespace)::multimem_all_gather_kernel<4>(char*)", "all_gather"},
    // Engines that bring their own
    {"void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*)", "all_reduce"},
    {"void multimem_one_shot_all_reduce_kernel<c10::BFloat16>(float*)", "all_reduce"},
    {"void deep_ep::intranode::dispatch<8, 768, 8192>(int4*, float*)", "all_to_all"},
    {"void deep_ep::internode_ll::combine<true, 7168, 9>(void*)", "all_to_all"},
    {"void dpsk::ep::internode::dispatch<false, 8, true, 8>(int4*, float*)", "all_to_all"},
    {"void dpsk::ep::internode::cached_notify<false>(int, int)", "unknown"},
    {"void quickreduce::allreduce_prototype_twoshot<quickreduce::AllReduceTwoshot>(half*)",
     "all_reduce"},
    {"void tensorrt_llm::kernels::oneShotAllReduceKernel<float, 8>(AllReduceParams)", "all_reduce"},
    {"void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<1>(int)",
     "all_reduce"},
    {"tensorrt_llm::kernels::moeAllToAllKernel(MoeEpWorldInfo, MoeCommWorkspace)", "all_to_all"},
    {"void userbuffers_fp16_sum_inplace_gpu_rw_ag<2>(int, int, void**)", "unknown"},
    {"void mori::moe::EpDispatchIntraNodeKernel<hip_bfloat16>(EpDispatchCombineArgs)",
     "all_to_all"},
};

TEST(CollectiveNames, DeviceKernelsOfCollectivesAreKnown) {
  for (const Case& c : kCollectiveKernels) {
    EXPECT_TRUE(is_collective_kernel(c.name)) << c.name;
    EXPECT_EQ(collective_op(c.name), c.op) << c.name;
  }
}

TEST(CollectiveNames, OrdinaryKernelsAreNotCollectives) {
  for (const std::string_view name :
       {"", "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn",
        "nvjet_tst_128x256_64x4_1x2_h_bz_coopA_TNT",
        "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu>(Params)",
        "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float>>(float*)",
        "void at::native::(anonymous namespace)::vectorized_gather_kernel<16, long>(char*)",
        "void flash_fwd_splitkv_combine_kernel<Flash_fwd_kernel_traits<128>>(Params)",
        "triton_red_fused_all_reduce_like_0", "Memcpy DtoD (Device -> Device)",
        "_ZN4vllm15rms_norm_kernelIN3c108BFloat16EEEvPT_", "Cijk_Ailk_Bljk_HHS_BH_MT128x128x32",
        "void dispatch_segment_kernel(int*)", "sendMessage"}) {
    EXPECT_FALSE(is_collective_kernel(name)) << name;
  }
}

TEST(CollectiveNames, OperationIsReadFromEverySpelling) {
  for (const Case& c : {Case{"allreduce", "all_reduce"},
                        {"all_reduce", "all_reduce"},
                        {"all-reduce.17", "all_reduce"},
                        {"AllReduce", "all_reduce"},
                        {"nccl:all_reduce", "all_reduce"},
                        {"c10d::allreduce_", "all_reduce"},
                        {"_allgather_base", "all_gather"},
                        {"allgather_into_tensor_coalesced", "all_gather"},
                        {"all-gather-start.3", "all_gather"},
                        {"_reduce_scatter_base", "reduce_scatter"},
                        {"reduce-scatter", "reduce_scatter"},
                        {"all_to_allv", "all_to_all"},
                        {"all_to_all", "all_to_all"},
                        {"nccl:send 0->1", "send"},
                        {"nccl:recv 0<-1", "recv"},
                        {"collective-permute-start", "send_recv"},
                        {"broadcast", "broadcast"},
                        {"barrier", "barrier"},
                        {"reduce", "reduce"},
                        {"", "unknown"},
                        {"matmul", "unknown"}}) {
    EXPECT_EQ(collective_op(c.name), c.op) << c.name;
  }
}

TEST(CollectiveNames, ArgumentsOfAKernelDoNotTellTheOperation) {
  EXPECT_EQ(collective_op("ncclDevKernel_Generic(allreduce_args)"), "unknown");
}

}  // namespace
}  // namespace lockstep::trace
