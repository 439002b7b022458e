// Messages of an XSpace in fields where it has none: what one damaged byte of a tag makes of them.
#pragma once

#include <string_view>

namespace lockstep::formats::xspace {

// Whether the bytes are nothing but fields of such a message, with at least one that it always has.
// Only asked of fields that nobody knows.
[[nodiscard]] bool may_be_plane(std::string_view bytes);
[[nodiscard]] bool may_be_line(std::string_view bytes);
[[nodiscard]] bool may_be_event(std::string_view bytes);
[[nodiscard]] bool may_be_stat(std::string_view bytes);

// Whether what stands where a stat should begins like an event: an id and then a varint of number
// 2, which a stat has as a double. An event whose length was damaged takes its neighbour for a
// stat.
[[nodiscard]] inline bool begins_like_event(std::string_view stat) {
  constexpr char kIdTag = 0x08;
  constexpr char kOffsetTag = 0x10;
  if (stat.size() < 4 || stat[0] != kIdTag) return false;
  if ((stat[1] & 0x80) == 0) return stat[2] == kOffsetTag;
  return (stat[2] & 0x80) == 0 && stat[3] == kOffsetTag;
}

}  // namespace lockstep::formats::xspace
