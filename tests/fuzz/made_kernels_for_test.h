// Kernels of a device made of any bytes: two bytes are a kernel, a repetition of the last ones, a
// range of the host, a step, a graph launch, another stream, a step back in time or a leap
// to anywhere in it. Repetitions make loops likely, which chance bytes would never hold.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "fuzz_check.h"
#include "trace/trace_for_test.h"

namespace lockstep {

class MadeKernels {
 public:
  // How far from the origin kernels lie: all that the model takes, or so near that the distance of
  // any two fits into a Time and sums are exact.
  enum class Reach : std::uint8_t { kExact, kAll };

  explicit MadeKernels(std::span<const std::uint8_t> bytes, Reach reach = Reach::kExact)
      : reach_ns_(kMaxDistanceFromOriginPs / kPicosecondsPerNanosecond /
                  (reach == Reach::kAll ? 1 : 2)) {
    const trace::DeviceId device = made_.add_device("0");
    for (const std::string_view id : {"7", "8", "20"})
      streams_.push_back(made_.add_stream(device, id));
    for (std::size_t i = 0; i + 2 <= bytes.size(); i += 2) apply(bytes[i], bytes[i + 1]);
  }

  [[nodiscard]] const trace::Trace& trace() const { return made_.trace; }

 private:
  struct Made {
    std::size_t name = 0;
    std::int64_t gap_ns = 0;
    std::int64_t length_ns = 0;
  };
  static constexpr std::size_t kMostKernels = 1'200;         // loops of loops grow fast
  static constexpr std::int64_t kLongestNs = 1'000'000'000;  // of what is added at once
  static constexpr std::array<std::string_view, 16> kKernels = {
      "nvjet_sm90_tst_8x64_64x16_2x1_v_bz_TNN",
      "ampere_bf16_s16816gemm_bf16_128x64_ldg8_tn",
      "void flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128>, false>(Flash_fwd_params)",
      "flash_bwd_dq_dk_dv_loop_kernel",
      "void at::native::vectorized_elementwise_kernel<8, at::native::CUDAFunctor_add<float> >(int)",
      "void at::native::vectorized_elementwise_kernel<4, MulFunctor<float> >(int)",
      "void at::native::reduce_kernel<512, 1, at::native::MeanOps<float> >(int)",
      "triton_per_fused__to_copy_add_mean_mul_pow_rsqrt_12",
      "triton_poi_fused_mul_silu_9",
      "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevComm*, unsigned long, ncclWork*)",
      "multi_tensor_apply_kernel_adam",
      "paged_attention_v2_kernel",
      "_Z4axpyPfS_i",
      "k",
      "",
      "topk_softmax"};
  static constexpr std::array<std::string_view, 8> kRanges = {
      "prefill",        "decode",         "forward",  "backward",
      "optimizer.step", "ProfilerStep#3", "layer 12", "x"};

  void apply(std::uint8_t what, std::uint8_t how) {
    if (what < 0x90) {
      add({what % kKernels.size(), (how >> 4) * 150, 700 + (how & 15) * 430});
    } else if (what < 0xC0) {
      repeat(1 + (what & 31), how & 15, how >> 4);
    } else if (what < 0xD0) {
      stream_ = what % streams_.size();
    } else if (what < 0xE0) {
      made_.add(made_.host, trace::Kind::kAnnotation, kRanges[what % kRanges.size()], now_ns_ - 20,
                how * 900, trace::kNoCorrelation, "user_annotation");
    } else if (what < 0xE8) {
      made_.add_step(kRanges[what % kRanges.size()], now_ns_ - 20, now_ns_ - 20 + how * 900);
    } else if (what < 0xF0) {
      graph_ = made_.add(made_.host, trace::Kind::kRuntimeCall, "cudaGraphLaunch", now_ns_ - 10, 5);
    } else if (what < 0xFC) {
      now_ns_ -= how * 100;
    } else {
      now_ns_ = (how - 128) * (reach_ns_ / 128);
    }
    now_ns_ = std::clamp(now_ns_, 1'000 - reach_ns_, reach_ns_ - kLongestNs);
  }

  void repeat(std::size_t length, std::size_t times, std::int64_t jitter_ns) {
    length = std::min(length, kernels_.size());
    const std::size_t first = kernels_.size() - length;
    for (std::size_t i = 0; i < times * length; ++i) {
      Made again = kernels_[first + i % length];
      again.length_ns += jitter_ns * static_cast<std::int64_t>(i % 3);
      add(again);
    }
  }

  void add(const Made& kernel) {
    if (kernels_.size() == kMostKernels) return;
    kernels_.push_back(kernel);
    now_ns_ += kernel.gap_ns;
    const trace::EventId work = made_.add(streams_[stream_], trace::Kind::kKernel,
                                          kKernels[kernel.name], now_ns_, kernel.length_ns);
    if (graph_ != trace::kNoEvent)
      made_.trace.flows.push_back({graph_, work, trace::Flow::Kind::kLaunch, {}});
    now_ns_ += kernel.length_ns;
  }

  std::int64_t reach_ns_;
  trace::TestTrace made_;
  std::vector<trace::TrackId> streams_;
  std::size_t stream_ = 0;
  std::int64_t now_ns_ = 1'000;
  trace::EventId graph_ = trace::kNoEvent;
  std::vector<Made> kernels_;
};

}  // namespace lockstep
