// The next of two bytes in a text, many bytes at a time.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace lockstep {

// So many bytes behind the end of the text are read, and must be there.
inline constexpr std::size_t kFindBytePadding = 64;

namespace internal {

// A bit for each of the sixteen bytes from `at` that is `a` or `b`.
inline std::uint64_t sixteen_bits(const char* at, char a, char b) {
#if defined(__SSE2__)
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  const __m128i hits = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(a)),
                                    _mm_cmpeq_epi8(bytes, _mm_set1_epi8(b)));
  return static_cast<unsigned>(_mm_movemask_epi8(hits));
#else
  std::uint64_t bits = 0;
  for (unsigned i = 0; i < 16; ++i) bits |= std::uint64_t{at[i] == a || at[i] == b} << i;
  return bits;
#endif
}

}  // namespace internal

// The first `a` or `b` at or behind `at`; `end` when there is none. For texts of a few words.
[[nodiscard]] inline const char* find_either(const char* at, const char* end, char a, char b) {
  for (; at < end; at += 16) {
    const std::uint64_t bits = internal::sixteen_bits(at, a, b);
    if (bits != 0) return std::min(at + std::countr_zero(bits), end);
  }
  return end;
}

// The same for one place after the other, where they lie close: a block of bytes is looked at once.
class EitherFinder {
 public:
  EitherFinder(const char* at, const char* end, char a, char b)
      : known_end_(at), end_(end), a_(a), b_(b) {}

  // `at` never goes back.
  [[nodiscard]] const char* next(const char* at) {
    if (at < known_end_) {
      const std::uint64_t bits = bits_ >> (kBlock - static_cast<std::size_t>(known_end_ - at));
      if (bits != 0) return std::min(at + std::countr_zero(bits), end_);
      at = known_end_;
    }
    for (; at < end_; at = known_end_) {
      look_at(at);
      if (bits_ != 0) return std::min(at + std::countr_zero(bits_), end_);
    }
    return end_;
  }

 private:
  static constexpr std::size_t kBlock = 64;
  static_assert(kBlock <= kFindBytePadding);

  void look_at(const char* at) {
    bits_ = 0;
    for (unsigned i = 0; i < kBlock; i += 16) {
      bits_ |= internal::sixteen_bits(at + i, a_, b_) << i;
    }
    known_end_ = at + kBlock;
  }

  std::uint64_t bits_ = 0;  // of the block that ends at known_end_
  const char* known_end_;
  const char* end_;
  char a_;
  char b_;
};

}  // namespace lockstep
