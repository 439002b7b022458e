// The mark that some editors and exporters put in front of UTF-8 text.
#pragma once

#include <cstddef>
#include <string_view>

namespace lockstep::formats::shared {

inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// How many bytes of `text` are its mark: 0 where it has none.
[[nodiscard]] constexpr std::size_t byte_order_mark_size(std::string_view text) {
  return text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
}

}  // namespace lockstep::formats::shared
