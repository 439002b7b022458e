// Traces of one stream built by hand, for tests of comparisons.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/cycles/cycles.h"
#include "analysis/cycles/measure/measure.h"
#include "analysis/cycles/stream/kernel_stream_for_test.h"
#include "analysis/kernels/role.h"
#include "trace/trace.h"

namespace lockstep::analysis::compare {

struct TestKernel {
  std::string name;
  std::int64_t duration_ns = 1000;
  std::int64_t idle_ns = 0;  // before it
};

struct TestSide {
  trace::Trace trace;
  cycles::Cycles cycles;
};

class SideBuilder {
 public:
  SideBuilder& add(const TestKernel& kernel) {
    at_ps_ += kernel.idle_ns * kPicosecondsPerNanosecond;
    return add_ps(kernel.name, kernel.duration_ns * kPicosecondsPerNanosecond);
  }
  SideBuilder& add(const std::vector<TestKernel>& kernels) {
    for (const TestKernel& kernel : kernels) add(kernel);
    return *this;
  }
  SideBuilder& add_ps(std::string_view name, std::int64_t duration_ps) {
    test_.add_ps(name, at_ps_, duration_ps);
    at_ps_ += duration_ps;
    return *this;
  }
  // Lets the next kernel begin before the last one has ended.
  SideBuilder& back_ps(std::int64_t ps) {
    at_ps_ -= ps;
    return *this;
  }
  SideBuilder& loop(cycles::NestLoop loop, cycles::LoopRole role = cycles::LoopRole::kUnknown,
                    cycles::PhaseName phase = cycles::PhaseName::kUnknown) {
    nest_.loops.push_back(std::move(loop));
    roles_.push_back({role, phase});
    return *this;
  }
  SideBuilder& phase(cycles::PhaseSpan span) {
    phases_.push_back(std::move(span));
    return *this;
  }
  SideBuilder& named(std::string_view stream_id) {
    test_.stream.stream_id = stream_id;
    return *this;
  }

  [[nodiscard]] std::uint32_t size() const {
    return static_cast<std::uint32_t>(test_.stream.size());
  }

  [[nodiscard]] cycles::StreamCycles stream() {
    for (cycles::KernelSymbol& symbol : test_.stream.symbols) {
      symbol.facts = kernels::kernel_facts(test_.strings.view(symbol.name));
      symbol.text = test_.strings.view(symbol.name);
    }
    cycles::StreamCycles cycles;
    cycles.loops = cycles::measure_loops(test_.stream, nest_, test_.strings);
    for (std::size_t i = 0; i < roles_.size(); ++i) {
      cycles.loops[i].role = roles_[i].first;
      cycles.loops[i].phase = roles_[i].second;
    }
    cycles.stream = test_.stream;
    cycles.nest = nest_;
    cycles.phases = phases_;
    return cycles;
  }
  [[nodiscard]] TestSide side() {
    TestSide result;
    result.cycles.streams.push_back(stream());
    result.trace.strings = std::move(test_.strings);
    return result;
  }

 private:
  cycles::TestStream test_;
  std::int64_t at_ps_ = 0;
  cycles::Nest nest_;
  std::vector<std::pair<cycles::LoopRole, cycles::PhaseName>> roles_;
  std::vector<cycles::PhaseSpan> phases_;
};

// Real names of kernels, shortened where nothing depends on it.
inline constexpr std::string_view kGemmName = "nvjet_sm90_tst_8x64_64x16_2x1_v_bz_TNN";
inline constexpr std::string_view kOtherGemmName = "ampere_bf16_s16816gemm_bf16_128x64_ldg8_tn";
inline constexpr std::string_view kFlashName =
    "void flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4>, false>(Flash_fwd_params)";
inline constexpr std::string_view kSiluName =
    "void at::native::vectorized_elementwise_kernel<8, at::native::(anonymous "
    "namespace)::silu_kernel(at::TensorIteratorBase&)::{lambda()#1}, std::array<char*, 2ul> >(int)";
inline constexpr std::string_view kMulName =
    "void at::native::vectorized_elementwise_kernel<8, at::native::BinaryFunctor<float, float, "
    "float, at::native::binary_internal::MulFunctor<float> >, std::array<char*, 3ul> >(int)";
inline constexpr std::string_view kMulUnrolledName =
    "void at::native::elementwise_kernel_manual_unroll<128, 8, "
    "at::native::gpu_kernel_impl_nocast<at::native::BinaryFunctor<float, float, float, "
    "at::native::binary_internal::MulFunctor<float> > > >(int)";
inline constexpr std::string_view kAddName =
    "void at::native::vectorized_elementwise_kernel<8, at::native::CUDAFunctor_add<float>, "
    "std::array<char*, 3ul> >(int)";
inline constexpr std::string_view kPowName =
    "void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous "
    "namespace)::pow_tensor_scalar_kernel_impl<float, float>(at::TensorIteratorBase&, "
    "float)::{lambda(float)#1}, std::array<char*, 2ul> >(int)";
inline constexpr std::string_view kMeanName =
    "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float, "
    "float, float, float>, unsigned int, float, 4, 4> >(at::native::ReduceOp<float>)";
inline constexpr std::string_view kRsqrtName =
    "void at::native::vectorized_elementwise_kernel<4, "
    "at::native::rsqrt_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}, std::array<char*, 2ul> "
    ">(int)";
inline constexpr std::string_view kFusedNormName =
    "triton_per_fused__to_copy__unsafe_view_add_mean_mul_pow_rsqrt_12";
inline constexpr std::string_view kFusedSiluName = "triton_poi_fused__unsafe_view_mul_silu_9";
inline constexpr std::string_view kAllReduceName =
    "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevComm*, unsigned long, ncclWork*)";

}  // namespace lockstep::analysis::compare
