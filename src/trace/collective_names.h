// Which names are collectives, and which operation they are: one table for all vendors.
#pragma once

#include <string_view>

namespace lockstep::trace {

// True for device kernels of NCCL, RCCL, HCCL, XLA and the custom collectives of serving engines.
[[nodiscard]] bool is_collective_kernel(std::string_view name);

// "all_reduce" for "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(...)", "allreduce", "hcom_allReduce_";
// "unknown" when the name does not tell.
[[nodiscard]] std::string_view collective_op(std::string_view name);

}  // namespace lockstep::trace
