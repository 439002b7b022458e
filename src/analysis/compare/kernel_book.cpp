// Numbers names, and grades the likeness of two.
#include "analysis/compare/kernel_book.h"

#include <algorithm>
#include <array>

#include "analysis/kernels/signature.h"

namespace lockstep::analysis::compare {
namespace {

// Roles under which all kinds of work gather.
bool is_vague(kernels::KernelRole role) {
  switch (role) {
    case kernels::KernelRole::kElementwise:
    case kernels::KernelRole::kReduction:
    case kernels::KernelRole::kCopy:
      return true;
    default:
      return false;
  }
}

// Work that a compiler merges into its neighbours.
bool is_mergeable(kernels::KernelRole role) {
  return is_vague(role) || role == kernels::KernelRole::kNorm ||
         role == kernels::KernelRole::kRope || role == kernels::KernelRole::kActivation;
}

// Kernels of cuBLAS, cuDNN and hipBLASLt that add up or write out what a GEMM left in parts.
constexpr std::array<std::string_view, 4> kGemmHelpers = {"splitKreduce", "splitK_reduce",
                                                          "epilogue::impl", "PostGSU"};

bool is_helper(std::string_view name, const kernels::KernelFacts& facts) {
  if (facts.role == kernels::KernelRole::kAttention) return !facts.is_attention_anchor;
  return facts.role == kernels::KernelRole::kGemm &&
         std::ranges::any_of(kGemmHelpers,
                             [&](std::string_view part) { return name.contains(part); });
}

bool is_backward(const KernelEntry& kernel) {
  return kernel.facts.attention == kernels::AttentionUse::kBackward;
}

OperationSet without_copies(OperationSet operations) {
  operations.remove(Operation::kCopy);
  return operations;
}

Likeness likeness_in_role(const KernelEntry& a, const KernelEntry& b) {
  if (a.is_helper != b.is_helper) return Likeness::kNearRole;
  const bool have_equal_operations = a.mentions == b.mentions;
  if (a.signature == b.signature && have_equal_operations) return Likeness::kSameSignature;
  if (have_equal_operations && !a.mentions.is_empty()) return Likeness::kSameOperation;
  return is_vague(a.facts.role) ? Likeness::kNearRole : Likeness::kSameRole;
}

}  // namespace

std::vector<KernelClass> KernelBook::enter(const trace::Trace& trace,
                                           const cycles::KernelStream& stream) {
  std::vector<KernelClass> classes;
  classes.reserve(stream.symbols.size());
  for (const cycles::KernelSymbol& symbol : stream.symbols) {
    const std::string_view raw = trace.text(symbol.name);
    const bool is_communication = symbol.facts.role == kernels::KernelRole::kCommunication;
    const auto next = static_cast<KernelClass>(entries_.size());
    const auto [found, is_new] = by_name_.try_emplace({std::string(raw), is_communication}, next);
    classes.push_back(found->second);
    if (!is_new) continue;
    KernelEntry& entry = entries_.emplace_back();
    entry.name = symbol.text;
    entry.raw_name = raw;
    const auto next_signature = static_cast<std::uint32_t>(signatures_.size());
    entry.signature =
        signatures_.try_emplace(kernels::kernel_signature(raw), next_signature).first->second;
    entry.facts = symbol.facts;
    entry.is_helper = is_helper(raw, symbol.facts);
    entry.mentions = operations_in(raw);
    entry.contents = entry.mentions | operations_of(entry.facts.role, entry.facts.is_softmax);
  }
  return classes;
}

Likeness KernelBook::likeness(KernelClass a, KernelClass b) const {
  if (a == b) return Likeness::kSameName;
  const KernelEntry& left = entries_[a];
  const KernelEntry& right = entries_[b];
  if (is_backward(left) != is_backward(right)) return Likeness::kNone;
  const kernels::KernelRole role = left.facts.role;
  if (role == kernels::KernelRole::kOther && right.facts.role == kernels::KernelRole::kOther) {
    return left.signature == right.signature ? Likeness::kSameSignature : Likeness::kUnknown;
  }
  if (role == right.facts.role) return likeness_in_role(left, right);
  if (role == kernels::KernelRole::kOther || right.facts.role == kernels::KernelRole::kOther) {
    return Likeness::kUnknown;
  }
  const bool can_merge = is_mergeable(role) && is_mergeable(right.facts.role);
  return can_merge && without_copies(left.mentions).meets(without_copies(right.mentions))
             ? Likeness::kNearOperation
             : Likeness::kNone;
}

bool KernelBook::may_contain(KernelClass whole, KernelClass part) const {
  const KernelEntry& large = entries_[whole];
  const KernelEntry& small = entries_[part];
  if (without_copies(large.contents).size() < 2) return false;
  if (is_backward(large) != is_backward(small)) return false;
  // Flash attention does the two products of an attention that is written out.
  if (large.facts.role == kernels::KernelRole::kAttention) {
    if (small.facts.role == kernels::KernelRole::kGemm || small.facts.is_softmax) return true;
  } else if (!is_mergeable(large.facts.role) && large.facts.role != small.facts.role) {
    return false;
  }
  if (!is_mergeable(small.facts.role) && large.facts.role != small.facts.role) return false;
  if (small.mentions.is_empty()) return false;
  return large.contents.includes(without_copies(small.mentions));
}

BodyLikeness::BodyLikeness(const KernelBook& book, std::span<const KernelClass> a,
                           std::span<const KernelClass> b)
    : book_(book), is_in_both_(book.size(), false) {
  std::vector<bool> is_in_a(book.size(), false);
  for (const KernelClass kernel : a) is_in_a[kernel] = true;
  for (const KernelClass kernel : b) {
    if (is_in_a[kernel]) is_in_both_[kernel] = true;
  }
}

Likeness BodyLikeness::operator()(KernelClass a, KernelClass b) const {
  const Likeness alike = book_.likeness(a, b);
  if (alike == Likeness::kSameRole && is_in_both_[a] && is_in_both_[b]) return Likeness::kNearRole;
  return alike;
}

}  // namespace lockstep::analysis::compare
