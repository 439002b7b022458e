// Sequences of kernels that are easy, typical or hard for a search for loops, as traces in memory.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace lockstep::cycle_bench {

enum class Case : std::uint8_t {
  kNested,     // passes of layers, one kernel in a thousand replaced by another one
  kFibonacci,  // as many repetitions as a sequence can have, nearly
  kOne,        // one name only
  kRandom,     // 50 names in no order
  kBlocks,     // many unlike loops of short bodies, one after the other
};

inline constexpr std::string_view kCaseNames[] = {"nested", "fibonacci", "one", "random", "blocks"};

// The same symbols for the same arguments, on every machine.
std::vector<std::uint32_t> make_sequence(Case which, std::size_t kernels);

// One rank, one device, one stream; nothing from the host.
trace::Trace make_trace(std::span<const std::uint32_t> sequence);

}  // namespace lockstep::cycle_bench
