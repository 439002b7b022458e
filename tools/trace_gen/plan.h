// The kernel sequence of one pass: prologue, the layer body that repeats, epilogue.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host_ops.h"
#include "kernel_names.h"
#include "options.h"

namespace lockstep::tracegen {

// One kernel of the sequence, with everything about it that is the same in every pass.
struct KernelSlot {
  std::string_view name;  // points into Plan::names
  OpPattern pattern;
  OpPattern lead;  // views before the operator; may be empty
  ApiKind api;
  std::uint32_t stream = 0;  // index of the stream, not its id
  std::int64_t base_ns = 0;
  std::string shape_json;  // the kernel's arguments from "registers per thread" on
};

// The kinds of collective, in the order of Plan::collective_slots.
enum class CollectiveKind : std::uint8_t { kAllReduce, kAllGather, kReduceScatter };
inline constexpr std::size_t kCollectiveKindCount = 3;

// The word PyTorch writes as "Collective name".
std::string_view collective_name(CollectiveKind kind);

// Every layer of every pass runs the same body, as in a transformer; this is the known truth for
// anything that looks for loops. Every name of the pool occurs in a pass at least once.
struct Plan {
  explicit Plan(const Options& options);
  Plan(const Plan&) = delete;  // slots point into names
  Plan& operator=(const Plan&) = delete;

  std::vector<KernelName> names;
  std::vector<KernelSlot> prologue;
  std::vector<KernelSlot> body;
  std::vector<KernelSlot> epilogue;
  std::vector<KernelSlot> collective_slots;
};

}  // namespace lockstep::tracegen
