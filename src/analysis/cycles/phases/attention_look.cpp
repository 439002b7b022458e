// Attention kernels of a stretch by kind, and when two stretches are alike in them.
#include "analysis/cycles/phases/attention_look.h"

#include <algorithm>
#include <string>

#include "analysis/kernels/signature.h"

namespace lockstep::analysis::cycles {
namespace {

// Stretches are alike where no more than this share of attention is of other kinds: one kernel may
// be missing or too many.
constexpr double kOtherKinds = 0.2;
// Attention of nearly all layers, where kernels may be missing.
constexpr double kNearlyAll = 0.8;

template <typename Key>
using Counts = std::map<Key, std::uint32_t>;

template <typename Key>
double share_of(const Counts<Key>& counts, Key key, std::uint32_t total) {
  const auto at = counts.find(key);
  return at == counts.end() ? 0.0 : static_cast<double>(at->second) / total;
}

// How much of one is not in the other.
template <typename Key>
bool are_alike(const Counts<Key>& a, std::uint32_t total_a, const Counts<Key>& b,
               std::uint32_t total_b) {
  if (total_a == 0 || total_b == 0) return true;
  double missing = 0;
  for (const auto& [key, count] : a)
    missing += std::max(0.0, share_of(a, key, total_a) - share_of(b, key, total_b));
  return missing <= kOtherKinds;
}

}  // namespace

bool AttentionLook::reads_few_words() const {
  return few_words > 0 && static_cast<double>(few_words) >= kNearlyAll * attention();
}

bool AttentionLook::reads_both() const {
  return few_words > 0 && !reads_few_words() &&
         static_cast<double>(few_words) > (1 - kNearlyAll) * attention();
}

AttentionLooks::AttentionLooks(const KernelStream& stream) : stream_(stream) {
  std::map<std::pair<kernels::AttentionUse, std::string>, AttentionKind> known;
  for (const KernelSymbol& symbol : stream.symbols) {
    std::string signature;
    if (symbol.facts.is_attention_anchor)
      signature = kernels::name_without_numbers(kernels::kernel_signature(symbol.text));
    const auto next = static_cast<AttentionKind>(known.size());
    const auto at = known.try_emplace({symbol.facts.attention, std::move(signature)}, next).first;
    kinds_.push_back(at->second);
  }
}

AttentionLook AttentionLooks::of(Iteration kernels) const {
  AttentionLook look;
  std::uint32_t helpers = 0;
  std::uint32_t few_mixers = 0;
  for (std::uint32_t i = kernels.start; i < kernels.end; ++i) {
    const kernels::KernelFacts& facts = stream_.symbol(i).facts;
    if (facts.attention == kernels::AttentionUse::kBackward) continue;
    const bool is_for_few = facts.attention == kernels::AttentionUse::kDecode ||
                            facts.attention == kernels::AttentionUse::kSplit;
    if (!facts.is_attention_anchor) {
      helpers += is_for_few ? 1 : 0;
      continue;
    }
    ++look.kernels;
    look.mixers += facts.is_mixer ? 1 : 0;
    (facts.is_mixer ? few_mixers : look.few_words) += is_for_few ? 1 : 0;
    ++look.by_use[facts.attention];
    ++look.by_kind[kinds_[stream_.names[i]]];
  }
  if (look.mixers == look.kernels) look.few_words = few_mixers;
  look.few_words = std::max(look.few_words, std::min(helpers, look.attention()));
  return look;
}

bool have_like_attention(const AttentionLook& a, const AttentionLook& b) {
  return are_alike(a.by_kind, a.kernels, b.by_kind, b.kernels);
}

bool have_like_uses(const AttentionLook& a, const AttentionLook& b) {
  return are_alike(a.by_use, a.kernels, b.by_use, b.kernels);
}

}  // namespace lockstep::analysis::cycles
