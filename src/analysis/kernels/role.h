// What the name of a kernel says about its work: a role that all vendors share, and for attention
// kernels what they are for. The table of name patterns is role_table.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lockstep::analysis::kernels {

enum class KernelRole : std::uint8_t {
  kGemm,
  kAttention,
  kNorm,
  kRope,
  kActivation,
  kElementwise,
  kReduction,
  kMoeRouting,
  kExpertGemm,
  kCommunication,
  kCopy,
  kSampling,
  kConvolution,
  kOptimizer,
  kOther,
};
inline constexpr std::size_t kKernelRoleCount = 15;

[[nodiscard]] std::string_view name_of(KernelRole role);  // "gemm", "attention", "moe_routing", ...
[[nodiscard]] std::optional<KernelRole> kernel_role_named(std::string_view name);

// What an attention kernel is for, as far as its name tells.
enum class AttentionUse : std::uint8_t {
  kNone,     // no attention kernel
  kUnknown,  // attention, both prefill and decode use it
  kPrefill,  // "..._fwd_prefill", "context_attention", varlen forward
  kDecode,   // "paged_attention", "..._decode"
  kSplit,    // split over keys: for few words at once, of one request or of a short prompt
  kBackward,
};

struct KernelFacts {
  KernelRole role = KernelRole::kOther;
  AttentionUse attention = AttentionUse::kNone;
  // Counts layers: one of these runs once a layer. False for helpers of attention
  // (reshape_and_cache, paged_attention reduce, kv indices) whatever their role.
  bool is_attention_anchor = false;
  // An anchor of a layer without attention: what mixes its tokens by a state (selective scan, chunk
  // scan, recurrent update). Every mixer is an attention anchor too; in a hybrid model both kinds
  // of layers are layers.
  bool is_mixer = false;
  bool is_softmax = false;  // stands in for attention where a model writes it out
};

// Of a name as the file wrote it, mangled or not, of any vendor.
[[nodiscard]] KernelFacts kernel_facts(std::string_view name);

}  // namespace lockstep::analysis::kernels
