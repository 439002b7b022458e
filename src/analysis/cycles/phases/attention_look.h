// By which attention kernels passes run: prefill and decode may differ in nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "analysis/cycles/nest/nest.h"
#include "analysis/cycles/stream/kernel_stream.h"

namespace lockstep::analysis::cycles {

// What an attention kernel is: its use, and its signature without numbers, which are tiles.
enum class AttentionKind : std::uint32_t {};

// The forward attention of a stretch.
struct AttentionLook {
  std::uint32_t kernels = 0;    // that count layers
  std::uint32_t mixers = 0;     // of those: states that stand for attention
  std::uint32_t few_words = 0;  // of attention for decode, or split over keys; by their helpers too
  std::map<kernels::AttentionUse, std::uint32_t> by_use;
  std::map<AttentionKind, std::uint32_t> by_kind;

  // Beside attention, states tell neither few words nor many.
  [[nodiscard]] std::uint32_t attention() const {
    return mixers == kernels ? kernels : kernels - mixers;
  }
  // Nearly all attention is for few words at once.
  [[nodiscard]] bool reads_few_words() const;
  // Attention for few words runs beside other attention, for the words of a prompt.
  [[nodiscard]] bool reads_both() const;
};

class AttentionLooks {
 public:
  explicit AttentionLooks(const KernelStream& stream);

  [[nodiscard]] AttentionLook of(Iteration kernels) const;

 private:
  const KernelStream& stream_;
  std::vector<AttentionKind> kinds_;  // by symbol
};

// Whether two stretches run nearly the same kinds of attention. One without any is like all: a
// capture may have lost it.
[[nodiscard]] bool have_like_attention(const AttentionLook& a, const AttentionLook& b);
// The same for what attention is for.
[[nodiscard]] bool have_like_uses(const AttentionLook& a, const AttentionLook& b);

}  // namespace lockstep::analysis::cycles
