// Kernels named by letters for the tests of the anchor method, and what it finds in them as a line.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "analysis/cycles/anchor/anchor_method.h"
#include "analysis/cycles/stream/kernel_stream_for_test.h"

namespace lockstep::analysis::cycles {

inline constexpr std::string_view kAlphabet =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

inline std::string times(std::string_view text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

inline std::string letters(std::size_t count) { return std::string(kAlphabet.substr(0, count)); }

// Kernels named by letters. Signatures are the letters without case.
inline TestStream stream_of(std::string_view names) {
  TestStream test;
  test.add_letters(names);
  for (KernelSymbol& symbol : test.stream.symbols) {
    const char letter = symbol.text.back();
    const bool is_upper = letter >= 'A' && letter <= 'Z';
    symbol.signature = static_cast<std::uint32_t>(is_upper ? letter - 'A' + 'a' : letter);
  }
  return test;
}

inline Nest nest_of(std::string_view names, const AnchorOptions& options = {},
                    CycleMode mode = CycleMode::kAuto) {
  return find_anchor_loops(stream_of(names).stream, options, mode).nest;
}

inline std::vector<AnchorPattern> patterns_of(std::string_view names,
                                              CycleMode mode = CycleMode::kAuto) {
  return find_anchor_loops(stream_of(names).stream, {}, mode).patterns;
}

// "12 x 6 from 0", and " {5 x 4}" for a sub-cycle; "none".
inline std::string found_in(std::string_view names, const AnchorOptions& options = {},
                            CycleMode mode = CycleMode::kAuto) {
  const Nest nest = nest_of(names, options, mode);
  if (nest.loops.empty()) return "none";
  const auto iterations = [](const NestLoop& loop) {
    std::size_t count = 0;
    for (const LoopInstance& instance : loop.instances) count += instance.iterations.size();
    return count;
  };
  const NestLoop& cycle = nest.loops.front();
  std::string text = std::to_string(cycle.period) + " x " + std::to_string(iterations(cycle)) +
                     " from " + std::to_string(cycle.instances.front().start());
  if (nest.loops.size() > 1) {
    const NestLoop& sub = nest.loops[1];
    text += " {" + std::to_string(sub.period) + " x " +
            std::to_string(sub.instances.front().iterations.size()) + "}";
  }
  return text;
}

inline AnchorOptions with(const std::function<void(AnchorOptions&)>& change) {
  AnchorOptions options;
  change(options);
  return options;
}

}  // namespace lockstep::analysis::cycles
