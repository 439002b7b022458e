// Numbers and names as people read them: bytes, durations, grouped counts, demangled kernel names,
// the nearest known word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/time.h"

namespace lockstep {

[[nodiscard]] std::string human_bytes(std::uint64_t bytes);  // "36.7 MB" (powers of ten)
[[nodiscard]] std::string human_time(Time duration);         // "39.837 ms"
[[nodiscard]] std::string grouped(std::uint64_t count);      // "17,344"
// "1 kernel", "17,344 kernels"
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view noun);
[[nodiscard]] std::string utc_date(std::int64_t epoch_ns);  // "2026-11-15 04:38:12 UTC"

// A C++ name as written in source, when `name` is a mangled one (Itanium's rules); otherwise, and
// where that would be very long or take long, `name` as it is. A trailing ".kd" or
// " [clone .kd]" (AMD kernel descriptors) is dropped.
[[nodiscard]] std::string demangled(std::string_view name);

// The candidate nearest to `word`, or empty when none is near enough to be meant.
[[nodiscard]] std::string_view nearest_word(std::string_view word,
                                            std::span<const std::string_view> candidates);

// `text` with every byte that is not part of valid UTF-8 replaced by U+FFFD.
[[nodiscard]] std::string valid_utf8(std::string_view text);

// `text` as it is, or of one with more bytes than this a valid beginning of at most so many that
// ends between characters, and "...".
[[nodiscard]] std::string beginning_of(std::string_view text, std::size_t bytes);

}  // namespace lockstep
