// Roles of kernels: a name is brought into one form, then looked up in the table.
#include "analysis/kernels/role.h"

#include <algorithm>
#include <array>
#include <string>

#include "analysis/kernels/function_name.h"
#include "analysis/kernels/role_table.h"
#include "base/letters.h"
#include "base/text.h"
#include "trace/collective_names.h"

namespace lockstep::analysis::kernels {
namespace {

constexpr std::array<std::string_view, kKernelRoleCount> kRoleNames = {
    "gemm",        "attention", "norm",        "rope",        "activation",
    "elementwise", "reduction", "moe_routing", "expert_gemm", "communication",
    "copy",        "sampling",  "convolution", "optimizer",   "other"};

// Names of many kilobytes repeat themselves; what a kernel is stands at their beginning.
constexpr std::size_t kMatchedBytes = 4096;

struct Key {
  std::string text;  // lower case
  bool is_operator_type = false;
};

std::string_view without_digits(std::string_view text) {
  while (!text.empty() && is_digit(text.back())) text.remove_suffix(1);
  return text;
}

// "loop_add_fusion_19" -> "loop_add_fusion", "cublas-gemm.3" -> "cublas-gemm".
std::string_view without_number(std::string_view name) {
  while (true) {
    std::string_view rest = without_digits(name);
    const bool is_numbered =
        rest.size() < name.size() && (rest.ends_with('_') || rest.ends_with('.'));
    while (rest.ends_with('_') || rest.ends_with('.')) rest.remove_suffix(1);
    if (!is_numbered || rest.empty()) return name;
    name = rest;
  }
}

// "FusedInferAttentionScore_da27c2f4_1000" -> "FusedInferAttentionScore": CANN's compiled kernels.
std::string_view without_hash(std::string_view name) {
  constexpr std::size_t kShortestHash = 8;
  const std::size_t first = std::min(name.find('_'), name.size());
  const std::string_view rest = name.substr(std::min(first + 1, name.size()));
  const std::size_t length = std::min(rest.find_first_not_of("0123456789abcdef"), rest.size());
  return length >= kShortestHash ? name.substr(0, first) : name;
}

// CANN's operator type in a name like "aclnnMm_MatMulCommon_MatMulV2", "trans_TransData_12",
// "NonZero_MemSet" or "RmsNorm"; empty for other names.
std::string_view operator_type(std::string_view name) {
  name = without_hash(name.substr(0, name.find('/')));
  const std::size_t last = name.rfind('_');
  const std::string_view word = last == std::string_view::npos ? name : name.substr(last + 1);
  const bool is_compound =
      name.starts_with("aclnn") || name.starts_with("trans_") || word == "MemSet";
  if (word.empty() || (last != std::string_view::npos && !is_compound)) return {};
  const auto is_letter_or_digit = [](char c) { return is_letter(c) || is_digit(c); };
  if (!is_upper(word.front()) || !std::ranges::all_of(word, is_letter_or_digit)) return {};
  const std::string_view unnumbered = without_digits(word);
  return unnumbered.ends_with('V') ? word : unnumbered;  // "ReduceSum7", but "MatMulV2"
}

Key key_of(std::string_view name) {
  const std::string readable = demangled(name);
  const std::string_view function = without_number(without_parameters(readable));
  const std::string_view type = operator_type(function);
  Key key;
  key.is_operator_type = !type.empty();
  key.text = in_small_letters((type.empty() ? function : type).substr(0, kMatchedBytes));
  return key;
}

bool matches(std::string_view text, std::string_view pattern) {
  bool is_held = pattern.starts_with('^');
  if (is_held) pattern.remove_prefix(1);
  const bool is_held_at_end = pattern.ends_with('$');
  if (is_held_at_end) pattern.remove_suffix(1);
  while (true) {
    const std::size_t star = pattern.find('*');
    const std::string_view piece = pattern.substr(0, star);
    if (star == std::string_view::npos && is_held_at_end) {
      return is_held ? text == piece : text.ends_with(piece);
    }
    const std::size_t at =
        is_held ? (text.starts_with(piece) ? 0 : std::string_view::npos) : text.find(piece);
    if (at == std::string_view::npos) return false;
    if (star == std::string_view::npos) return true;
    text.remove_prefix(at + piece.size());
    pattern.remove_prefix(star + 1);
    is_held = false;
  }
}

const RolePattern* find_pattern(const Key& key) {
  for (const RoleSection& section : role_sections()) {
    if (section.is_for_operator_types && !key.is_operator_type) continue;
    if (!matches(key.text, section.gate)) continue;
    const auto fits = [&](const RolePattern& entry) { return matches(key.text, entry.pattern); };
    const auto found = std::ranges::find_if(section.patterns, fits);
    if (found != section.patterns.end()) return &*found;
  }
  return nullptr;
}

}  // namespace

std::string_view name_of(KernelRole role) { return kRoleNames[static_cast<std::size_t>(role)]; }

std::optional<KernelRole> kernel_role_named(std::string_view name) {
  const auto* const found = std::ranges::find(kRoleNames, name);
  if (found == kRoleNames.end()) return std::nullopt;
  return static_cast<KernelRole>(found - kRoleNames.begin());
}

KernelFacts kernel_facts(std::string_view name) {
  KernelFacts facts;
  if (trace::is_collective_kernel(name)) {
    facts.role = KernelRole::kCommunication;
    return facts;
  }
  const RolePattern* const found = find_pattern(key_of(name));
  if (found == nullptr) return facts;
  facts.role = found->role;
  facts.attention = found->use;
  facts.is_mixer = found->mark == RolePattern::Mark::kMixer;
  facts.is_attention_anchor = facts.is_mixer || found->mark == RolePattern::Mark::kAnchor;
  facts.is_softmax = found->mark == RolePattern::Mark::kSoftmax;
  return facts;
}

}  // namespace lockstep::analysis::kernels
