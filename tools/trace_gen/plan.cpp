// Chooses the kernels of a pass by the seed.
#include "plan.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "rng.h"

namespace lockstep::tracegen {
namespace {

constexpr std::uint64_t kPlanSeedPart = 1;
constexpr std::uint32_t kNumSms = 132;
constexpr std::uint32_t kMinDropped = 9;
constexpr std::uint32_t kMaxDropped = 13;
constexpr std::int64_t kTickNs = 32;  // kernel durations of an H200 are multiples of this

constexpr auto kG = KernelRole::kGemm;
constexpr auto kA = KernelRole::kAttention;
constexpr auto kN = KernelRole::kNorm;
constexpr auto kE = KernelRole::kElementwise;
constexpr auto kC = KernelRole::kCopy;
constexpr auto kR = KernelRole::kReduce;

// A transformer layer in eager mode. The seed drops some elementwise kernels and copies, so
// that a body has 23 to 27 kernels. Their launches are then about 30 kB of JSON: gzip finds the
// layer before in its window of 32 kB, as it does in real files, and the ratio is the same.
constexpr std::array kLayerRoles{kC, kE, kR, kE, kE, kN, kC, kG, kG, kG, kE, kE,
                                 kC, kE, kE, kC, kC, kA, kC, kG, kE, kC, kE, kR,
                                 kE, kN, kE, kC, kG, kE, kG, kE, kC, kG, kE, kE};

constexpr std::array kPrologueRoles{
    KernelRole::kIndexing, KernelRole::kIndexing, KernelRole::kIndexing, kC, kE, kN};

struct RoleCost {
  std::int64_t low_ns;
  std::int64_t high_ns;
};

RoleCost role_cost(KernelRole role) {
  switch (role) {
    case KernelRole::kGemm:
      return {16'000, 70'000};
    case KernelRole::kAttention:
      return {30'000, 110'000};
    case KernelRole::kNorm:
      return {3'000, 9'000};
    case KernelRole::kElementwise:
      return {1'400, 9'000};
    case KernelRole::kCopy:
      return {1'000, 6'000};
    case KernelRole::kReduce:
      return {2'000, 7'000};
    case KernelRole::kOptimizer:
      return {10'000, 60'000};
    case KernelRole::kIndexing:
      break;
  }
  return {900, 4'000};
}

struct Shape {
  std::uint32_t registers;
  std::uint32_t shared_bytes;
  std::uint32_t grid_x;
  std::uint32_t grid_y;
  std::uint32_t threads;
};

Shape draw_shape(KernelRole role, Rng& rng) {
  constexpr std::array<std::uint32_t, 4> kGrids{132, 256, 512, 2048};
  if (role == KernelRole::kGemm || role == KernelRole::kAttention) {
    return {168, 1024 * (64 + 16 * rng.below(9)), 8 + 4 * rng.below(30), 1 + rng.below(8), 384};
  }
  const std::uint32_t shared = role == KernelRole::kReduce ? 16 + 16 * rng.below(4) : 0;
  return {16 + 2 * rng.below(24), shared, kGrids[rng.below(4)] * (1 + rng.below(3)), 1,
          128U << rng.below(3)};
}

// A quotient with six decimals, without floating point so that it is the same everywhere.
std::string per_sm(std::uint64_t count) {
  const std::uint64_t millionths = (count * 1'000'000 + kNumSms / 2) / kNumSms;
  return fmt::format("{}.{:06}", millionths / 1'000'000, millionths % 1'000'000);
}

std::string shape_json(const Shape& shape) {
  const std::uint64_t blocks = std::uint64_t{shape.grid_x} * shape.grid_y;
  const std::uint64_t warps = blocks * (shape.threads / 32);
  const std::uint64_t occupancy = std::min<std::uint64_t>(100, warps * 100 / (kNumSms * 64ULL));
  return fmt::format(
      "      \"registers per thread\": {},      \"shared memory\": {},      \"blocks per SM\": {},"
      "      \"warps per SM\": {},      \"grid\": [{}, {}, 1],      \"block\": [{}, 1, 1],"
      "      \"est. achieved occupancy %\": {}",
      shape.registers, shape.shared_bytes, per_sm(blocks), per_sm(warps), shape.grid_x,
      shape.grid_y, shape.threads, occupancy);
}

// Hands out names of a role, each once before any twice, in an order given by the seed.
class NamePicker {
 public:
  NamePicker(const std::vector<KernelName>& names, Rng& rng) : names_(names) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      by_role_[static_cast<std::size_t>(names[i].role)].push_back(i);
    }
    for (auto& indices : by_role_) {
      for (std::size_t i = indices.size(); i > 1; --i) {
        std::swap(indices[i - 1], indices[rng.below(static_cast<std::uint32_t>(i))]);
      }
    }
    used_.resize(names.size());
  }

  const KernelName& pick(KernelRole role) {
    auto& indices = by_role_[static_cast<std::size_t>(role)];
    const std::size_t index = indices[next_[static_cast<std::size_t>(role)]++ % indices.size()];
    used_[index] = true;
    return names_[index];
  }

  std::vector<const KernelName*> unused() const {
    std::vector<const KernelName*> rest;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (!used_[i]) rest.push_back(&names_[i]);
    }
    return rest;
  }

 private:
  const std::vector<KernelName>& names_;
  std::array<std::vector<std::size_t>, kKernelRoleCount> by_role_;
  std::array<std::size_t, kKernelRoleCount> next_{};
  std::vector<bool> used_;
};

ApiKind launch_api(std::string_view name) {
  if (name.starts_with("nvjet") || name.starts_with("cudnn")) return kDriverLaunchKernelEx;
  if (name.starts_with("void cublasLt")) return kLaunchKernelExC;
  return kLaunchKernel;
}

KernelSlot make_slot(const KernelName& name, Rng& rng) {
  KernelSlot slot;
  slot.name = name.text;
  const auto patterns = launch_patterns(name.role);
  slot.pattern = patterns[rng.below(static_cast<std::uint32_t>(patterns.size()))];
  const auto views = view_patterns();
  if (rng.below(3) == 0) slot.lead = views[rng.below(static_cast<std::uint32_t>(views.size()))];
  slot.api = launch_api(slot.name);
  const RoleCost cost = role_cost(name.role);
  slot.base_ns = rng.between(cost.low_ns / kTickNs, cost.high_ns / kTickNs) * kTickNs;
  slot.shape_json = shape_json(draw_shape(name.role, rng));
  return slot;
}

std::vector<KernelRole> draw_layer_roles(Rng& rng) {
  std::vector<KernelRole> roles(kLayerRoles.begin(), kLayerRoles.end());
  for (std::uint32_t left = kMinDropped + rng.below(kMaxDropped - kMinDropped + 1); left > 0;) {
    const std::uint32_t at = rng.below(static_cast<std::uint32_t>(roles.size()));
    if (roles[at] != KernelRole::kElementwise && roles[at] != KernelRole::kCopy) continue;
    roles.erase(roles.begin() + at);
    --left;
  }
  return roles;
}

// Stream 0 computes, stream 1 communicates; further streams take every fifth kernel of a layer.
std::uint32_t stream_of(std::size_t slot, std::uint32_t streams) {
  if (streams <= 2 || slot % 5 != 4) return 0;
  return 2 + static_cast<std::uint32_t>((slot / 5) % (streams - 2));
}

constexpr std::array kAllReduceOps{OpStep{0, false, "c10d::allreduce_"},
                                   OpStep{1, true, "record_param_comms"}};
constexpr std::array kAllGatherOps{OpStep{0, false, "c10d::_allgather_base_"},
                                   OpStep{1, true, "record_param_comms"}};
constexpr std::array kReduceScatterOps{OpStep{0, false, "c10d::_reduce_scatter_base_"},
                                       OpStep{1, true, "record_param_comms"}};

KernelSlot make_collective_slot(std::string_view kernel, OpPattern pattern, std::uint32_t streams) {
  KernelSlot slot;
  slot.name = kernel;
  slot.pattern = pattern;
  slot.api = kLaunchKernelExC;
  slot.stream = streams > 1 ? 1 : 0;
  slot.base_ns = 60'000;
  slot.shape_json = shape_json({96, 82'240, 24, 1, 544});
  return slot;
}

}  // namespace

std::string_view collective_name(CollectiveKind kind) {
  constexpr std::array<std::string_view, kCollectiveKindCount> kNames{
      "allreduce", "_allgather_base", "_reduce_scatter_base"};
  return kNames[static_cast<std::size_t>(kind)];
}

Plan::Plan(const Options& options) : names(make_kernel_names()) {
  Rng rng(derive_seed(options.seed, kPlanSeedPart, 0));
  NamePicker picker(names, rng);
  for (const KernelRole role : draw_layer_roles(rng)) {
    body.push_back(make_slot(picker.pick(role), rng));
    body.back().stream = stream_of(body.size() - 1, options.streams);
  }
  for (const KernelRole role : kPrologueRoles) {
    prologue.push_back(make_slot(picker.pick(role), rng));
  }
  for (const KernelName* name : picker.unused()) epilogue.push_back(make_slot(*name, rng));
  const auto add = [&](std::string_view kernel, OpPattern pattern) {
    collective_slots.push_back(make_collective_slot(kernel, pattern, options.streams));
  };
  add("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", kAllReduceOps);
  add("ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", kAllGatherOps);
  add("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
      kReduceScatterOps);
}

}  // namespace lockstep::tracegen
