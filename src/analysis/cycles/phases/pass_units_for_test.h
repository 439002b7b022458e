// Passes of families built by hand, for tests of what is made of them.
#pragma once

#include <algorithm>
#include <deque>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/cycles/phases/pass_families.h"
#include "analysis/cycles/stream/work_stream_for_test.h"

namespace lockstep::analysis::cycles {

// Libraries choose it for many words.
inline constexpr std::string_view kTestLongGemm = "ampere_sgemm_256x128_nn";

inline constexpr std::string_view kTestLookup = "vectorized_gather_kernel";

inline constexpr std::string_view kTestKeep = "void vllm::reshape_and_cache_flash_kernel<int>";

// What a pass is made of: layers of two GEMMs around attention, and perhaps a sampling.
struct PassWork {
  std::string_view gemm = kTestGemm;
  std::int64_t gemm_ns = 100;
  std::string_view attention = kTestAttention;
  std::int64_t attention_ns = 100;
  std::string_view helper = {};  // of attention, where it has one
  std::uint32_t layers = 3;
  std::uint32_t more_gemms = 0;
  bool samples = false;
  bool looks_up = false;  // the word that it goes on with
  bool keeps = false;     // keys and values, in each layer
};

// Units one after the other.
class PassUnits {
 public:
  // The loop of so many passes, or the pass; returns its span, which lives as long as this.
  PhaseSpan& add(const PassWork& work, std::uint32_t passes = 1,
                 PhaseName phase = PhaseName::kUnknown) {
    PassUnit unit;
    for (std::uint32_t i = 0; i < passes; ++i) unit.passes.push_back(add_pass(work));
    unit.body = unit.passes.front();
    unit.layers = work.layers;
    PhaseSpan& span = spans_.emplace_back();
    span.phase = phase;
    if (phase != PhaseName::kUnknown)
      span.evidence.push_back({.ground = PhaseGround::kAnnotatedKernels, .phase = phase});
    unit.span = &span;
    units_.push_back(std::move(unit));
    return span;
  }

  void reverse() { std::ranges::reverse(units_); }

  std::vector<PassFamily> families() {
    const WorkCounter counter(test.cycles.stream);
    const AttentionLooks looks(test.cycles.stream);
    return find_families({test.cycles.stream, counter, looks, units_});
  }

  WorkStream test;

 private:
  Iteration add_pass(const PassWork& work) {
    const auto start = static_cast<std::uint32_t>(test.cycles.stream.size());
    if (work.looks_up) test.kernel(kTestLookup);
    for (std::uint32_t layer = 0; layer < work.layers; ++layer) {
      test.kernel(work.gemm, work.gemm_ns);
      if (work.keeps) test.kernel(kTestKeep);
      test.kernel(work.attention, work.attention_ns);
      if (!work.helper.empty()) test.kernel(work.helper);
      test.kernel(work.gemm, work.gemm_ns);
    }
    for (std::uint32_t i = 0; i < work.more_gemms; ++i) test.kernel(work.gemm, work.gemm_ns);
    test.kernel(work.samples ? kTestSampling : kTestAdd);
    return {start, static_cast<std::uint32_t>(test.cycles.stream.size())};
  }

  std::deque<PhaseSpan> spans_;
  std::vector<PassUnit> units_;
};

}  // namespace lockstep::analysis::cycles
