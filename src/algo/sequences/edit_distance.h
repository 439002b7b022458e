// Levenshtein distances between sequences that are nearly equal: the fewest symbols to insert,
// delete or replace.
//
// Time grows with the distance, not with the product of the lengths: O((d + 1) * length) at worst,
// O(d^2 + length) where the differences are few. Memory O(d). For lengths below 2^31.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace lockstep::algo {

// Nothing when it is greater than `limit`.
[[nodiscard]] std::optional<std::uint32_t> bounded_edit_distance(std::span<const std::uint32_t> a,
                                                                 std::span<const std::uint32_t> b,
                                                                 std::uint32_t limit);

// The part of a text that is most like a body.
struct NearestPart {
  std::uint32_t distance = 0;
  std::uint32_t length = 0;

  friend bool operator==(const NearestPart&, const NearestPart&) = default;
};

// The prefix of `text` at the least distance from `body`; of several the one whose length is
// nearest to that of the body, then the shorter one. Nothing when none is within `limit`.
[[nodiscard]] std::optional<NearestPart> nearest_prefix(std::span<const std::uint32_t> body,
                                                        std::span<const std::uint32_t> text,
                                                        std::uint32_t limit);

// The same for suffixes.
[[nodiscard]] std::optional<NearestPart> nearest_suffix(std::span<const std::uint32_t> body,
                                                        std::span<const std::uint32_t> text,
                                                        std::uint32_t limit);

inline constexpr std::uint32_t kUnaligned = 0xffffffff;

struct EditAlignment {
  std::uint32_t distance = 0;
  // For each symbol of `b` the index of the symbol of `a` that it equals or replaces; kUnaligned
  // for one that is inserted. Indices rise; those of `a` that are missing are deleted.
  std::vector<std::uint32_t> partners;
};

// An alignment with the fewest edits, always the same one for the same input. Nothing when they
// are more than `limit`.
[[nodiscard]] std::optional<EditAlignment> edit_alignment(std::span<const std::uint32_t> a,
                                                          std::span<const std::uint32_t> b,
                                                          std::uint32_t limit);

}  // namespace lockstep::algo
