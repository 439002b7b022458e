// Streams and nests built by hand, for tests of what is made of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/cycles/cycles.h"
#include "analysis/cycles/stream/layer_count.h"
#include "trace/trace_for_test.h"

namespace lockstep::analysis::cycles {

// Names that tell a role, as vendors write them.
inline constexpr std::string_view kTestGemm = "ampere_sgemm_128x64_nn";
inline constexpr std::string_view kTestAttention = "void flash::flash_fwd_kernel<128>(int)";
inline constexpr std::string_view kTestBackward =
    "void flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<128>(int)";
inline constexpr std::string_view kTestPrefill =
    "void flashinfer::BatchPrefillWithPagedKVCacheKernel<1>(int)";
inline constexpr std::string_view kTestDecode =
    "void flashinfer::BatchDecodeWithPagedKVCacheKernel<1>(int)";
inline constexpr std::string_view kTestAdam =
    "void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<float> >(int)";
inline constexpr std::string_view kTestSampling = "argmax_kernel";
inline constexpr std::string_view kTestAdd = "vectorized_elementwise_kernel";

// Kernels on one stream, each launched kLag before it runs: the host is far ahead.
class WorkStream {
 public:
  static constexpr std::int64_t kEvery = 1'000;  // ns between kernels
  static constexpr std::int64_t kLag = 50'000;

  WorkStream() {
    device = made.add_device("0");
    cycles.stream.device = device;
    cycles.stream.track = made.add_stream(device, "7");
  }

  // Appends a kernel and returns its index.
  std::uint32_t kernel(std::string_view name, std::int64_t duration_ns = 100) {
    const auto index = static_cast<std::uint32_t>(cycles.stream.size());
    const std::int64_t call = kEvery * index;
    trace::EventId launch = trace::kNoEvent;
    if (has_launches)
      launch = made.add(made.host, trace::Kind::kRuntimeCall, "cudaLaunchKernel", call, 5);
    const trace::EventId event =
        made.add(cycles.stream.track, trace::Kind::kKernel, name, call + kLag, duration_ns);
    KernelStream& stream = cycles.stream;
    stream.events.push_back(event);
    stream.names.push_back(symbol(name));
    stream.starts.push_back(made.trace.events.start[trace::index_of(event)]);
    stream.ends.push_back(made.trace.events.end(trace::index_of(event)));
    stream.launched_by.push_back(launch);
    return index;
  }

  void kernels(const std::vector<std::string_view>& names, std::uint32_t times = 1) {
    for (std::uint32_t i = 0; i < times; ++i) {
      for (const std::string_view name : names) kernel(name);
    }
  }

  // An annotation around the launches of kernels [from, to).
  void annotate(std::string_view name, std::uint32_t from, std::uint32_t to) {
    made.add(made.host, trace::Kind::kAnnotation, name, kEvery * from - 1, kEvery * (to - from));
  }
  // The profiler's copy of it around the kernels themselves.
  void annotate_device(std::string_view name, std::uint32_t from, std::uint32_t to) {
    made.add(cycles.stream.track, trace::Kind::kAnnotation, name, kEvery * from + kLag - 1,
             kEvery * (to - from));
  }
  void step(std::string_view name, std::uint32_t from, std::uint32_t to) {
    made.add_step(name, kEvery * from - 1, kEvery * to - 1);
  }

  // `times` iterations of `period` kernels from each of `starts`; anchors are those of the body.
  std::int32_t loop(std::int32_t parent, std::vector<std::uint32_t> starts, std::uint32_t period,
                    std::uint32_t times, std::uint32_t id = 0) {
    NestLoop loop;
    loop.id = id;
    loop.parent = parent;
    loop.depth =
        parent == kNoLoop ? 0 : cycles.nest.loops[static_cast<std::size_t>(parent)].depth + 1;
    loop.period = period;
    loop.body_start = starts.front();
    loop.run_start = starts.front();
    loop.run_end = starts.front() + period * times;
    for (const std::uint32_t start : starts) {
      LoopInstance instance;
      for (std::uint32_t i = 0; i < times; ++i) {
        instance.iterations.push_back({start + i * period, start + (i + 1) * period});
      }
      loop.instances.push_back(std::move(instance));
    }
    loop.anchors_per_body = count_layers(cycles.stream, {loop.body_start, loop.body_start + period},
                                         StretchEnd::kRepeats);
    cycles.nest.loops.push_back(std::move(loop));
    return static_cast<std::int32_t>(cycles.nest.loops.size() - 1);
  }

  trace::TestTrace made;
  trace::DeviceId device{};
  StreamCycles cycles;
  bool has_launches = true;

 private:
  std::uint32_t symbol(std::string_view name) {
    auto& symbols = cycles.stream.symbols;
    for (std::uint32_t i = 0; i < symbols.size(); ++i) {
      if (symbols[i].text == name) return i;
    }
    KernelSymbol symbol;
    symbol.name = made.trace.strings.intern(name);
    symbol.text = name;
    symbol.facts = kernels::kernel_facts(name);
    symbols.push_back(symbol);
    return static_cast<std::uint32_t>(symbols.size() - 1);
  }
};

}  // namespace lockstep::analysis::cycles
