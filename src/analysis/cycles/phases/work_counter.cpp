// What each name counts as, once; then sums.
#include "analysis/cycles/phases/work_counter.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "analysis/cycles/stream/layer_count.h"
#include "base/letters.h"

namespace lockstep::analysis::cycles {
namespace {

// Where embeddings and positions are looked up.
constexpr std::array<std::string_view, 3> kLookups = {"gather", "indexselect", "embedding"};
// Engines write keys and values into pages, models append them or put them in their place.
constexpr std::array<std::string_view, 14> kKeeping = {"and_cache",     "andcache",
                                                       "ropecache",     "kvcache",
                                                       "kv_cache",      "kv_buffer",
                                                       "appendkv",      "catarray",
                                                       "_cat_",         "concatd",
                                                       "index_copy",    "index_put",
                                                       "scatterupdate", "dynamic_update_slice"};
// Gradients, in names of any vendor.
constexpr std::array<std::string_view, 3> kGoingBack = {"backward", "bwd", "grad"};

// Optimizers that are called by their names.
constexpr std::array<std::string_view, 6> kOptimizers = {"adam", "sgd",     "lamb",
                                                         "muon", "rmsprop", "momentum"};

// Attention goes back once a layer, which has its products: fewer kernels of it are not this
// stream's. Where layers without attention lie between, other kernels that go back speak for it.
constexpr std::uint32_t kMostAttentionsForward = 20;
constexpr std::uint32_t kMostProductsOfLayer = 60;

template <std::size_t N>
bool has_any(std::string_view name, const std::array<std::string_view, N>& words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return name.contains(word); });
}

// TorchInductor looks words up in the norm of the first layer, and again wherever that is cheaper
// than to keep them: behind a product, which is in the name.
bool looks_up(std::string_view name, kernels::KernelRole role) {
  if (name.starts_with("triton_") && name.contains("_embedding"))
    return !name.contains("backward") && !name.contains("unsafe_view") && !name.contains("mm_");
  const bool may_look_up = role == kernels::KernelRole::kCopy ||
                           role == kernels::KernelRole::kOther ||
                           role == kernels::KernelRole::kElementwise;
  return may_look_up && has_any(name, kLookups);
}

WorkCount work_of(const KernelSymbol& symbol) {
  const kernels::KernelFacts& facts = symbol.facts;
  WorkCount work;
  const bool goes_back = facts.attention == kernels::AttentionUse::kBackward;
  work.forward_attention = facts.is_attention_anchor && !goes_back ? 1 : 0;
  work.backward_attention = facts.is_attention_anchor && goes_back ? 1 : 0;
  work.prefill_attention = facts.attention == kernels::AttentionUse::kPrefill ? 1 : 0;
  work.decode_attention = facts.attention == kernels::AttentionUse::kDecode ? 1 : 0;
  work.split_attention = facts.attention == kernels::AttentionUse::kSplit ? 1 : 0;
  work.gemms = is_matrix_work(facts.role) ? 1 : 0;
  const bool is_for_experts = facts.role == kernels::KernelRole::kExpertGemm ||
                              facts.role == kernels::KernelRole::kMoeRouting;
  work.experts = is_for_experts ? 1 : 0;
  work.optimizers = facts.role == kernels::KernelRole::kOptimizer ? 1 : 0;
  work.samplings = facts.role == kernels::KernelRole::kSampling ? 1 : 0;
  const std::string name = in_small_letters(symbol.text);
  work.lookups = looks_up(name, facts.role) ? 1 : 0;
  work.keeps = has_any(name, kKeeping) ? 1 : 0;
  work.going_back = goes_back || has_any(name, kGoingBack) ? 1 : 0;
  return work;
}

void add(WorkCount& sum, const WorkCount& part) {
  sum.forward_attention += part.forward_attention;
  sum.backward_attention += part.backward_attention;
  sum.prefill_attention += part.prefill_attention;
  sum.decode_attention += part.decode_attention;
  sum.split_attention += part.split_attention;
  sum.gemms += part.gemms;
  sum.experts += part.experts;
  sum.optimizers += part.optimizers;
  sum.samplings += part.samplings;
  sum.lookups += part.lookups;
  sum.keeps += part.keeps;
  sum.going_back += part.going_back;
}

}  // namespace

WorkCounter::WorkCounter(const KernelStream& stream, bool is_said_to_train) : stream_(stream) {
  bool is_named = is_said_to_train;
  for (const KernelSymbol& symbol : stream.symbols) {
    by_symbol_.push_back(work_of(symbol));
    const bool goes_back = symbol.facts.attention == kernels::AttentionUse::kBackward;
    const std::uint32_t softmax = symbol.facts.is_softmax ? 1 : 0;
    softmaxes_by_symbol_.push_back({goes_back ? 0 : softmax, goes_back ? softmax : 0});
    has_anchors_ = has_anchors_ || symbol.facts.is_attention_anchor;
    is_named = is_named || (symbol.facts.role == kernels::KernelRole::kOptimizer &&
                            has_any(in_small_letters(symbol.text), kOptimizers));
  }
  if (is_foreign_attention_back()) {
    for (WorkCount& work : by_symbol_) work.backward_attention = 0;
    has_anchors_ = std::ranges::any_of(
        by_symbol_, [](const WorkCount& work) { return work.forward_attention > 0; });
  }
  if (!has_anchors_) written_ = written_attention(stream);
  whole_ = count({0, static_cast<std::uint32_t>(stream.size())});
  trains_ = whole_.backward_attention > 0 ||
            (whole_.optimizers > 0 && (is_named || whole_.going_back > 0));
  if (trains_) return;
  for (WorkCount& work : by_symbol_) work.optimizers = 0;
  whole_.optimizers = 0;
}

// A kernel or two that go back in a stream that does not: of another model, or a misnomer.
bool WorkCounter::is_foreign_attention_back() const {
  WorkCount all;
  std::uint32_t of_attention = 0;  // helpers too
  for (const std::uint32_t name : stream_.names) {
    add(all, by_symbol_[name]);
    of_attention +=
        stream_.symbols[name].facts.attention == kernels::AttentionUse::kBackward ? 1 : 0;
  }
  const std::uint32_t back = all.backward_attention;
  if (back == 0 || all.optimizers > 0 || all.going_back > of_attention) return false;
  return back * kMostAttentionsForward < all.forward_attention ||
         back * kMostProductsOfLayer < all.gemms;
}

WorkCount WorkCounter::count(Iteration kernels) const {
  WorkCount sum;
  Softmaxes softmaxes;
  for (std::size_t i = kernels.start; i < kernels.end; ++i) {
    const std::uint32_t name = stream_.names[i];
    add(sum, by_symbol_[name]);
    softmaxes.forward += softmaxes_by_symbol_[name].forward;
    softmaxes.backward += softmaxes_by_symbol_[name].backward;
  }
  if (sum.attention() > 0 || softmaxes.forward + softmaxes.backward == 0 ||
      count_layers(stream_, kernels, StretchEnd::kEnds) == 0)
    return sum;
  sum.forward_attention = softmaxes.forward;
  sum.backward_attention = softmaxes.backward;
  return sum;
}

bool WorkCounter::is_forward_attention(std::size_t kernel) const {
  const std::uint32_t name = stream_.names[kernel];
  return by_symbol_[name].forward_attention > 0 ||
         (!has_anchors_ && whole_.forward_attention > 0 && written_[kernel] &&
          softmaxes_by_symbol_[name].forward > 0);
}

}  // namespace lockstep::analysis::cycles
