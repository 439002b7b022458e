// Tar archives, which people give for the traces in them. The header of a tar is text enough for a
// reader of damaged traces to go on behind it, so that the first member would pass for the whole.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lockstep::formats::shared {

// Whether these first inflated bytes are those of a tar, with the magic of ustar or without.
[[nodiscard]] bool is_tar(std::string_view head);

// The names of the members whose headers lie within these bytes.
[[nodiscard]] std::vector<std::string> tar_members(std::string_view head);

// What to say of one: that it is refused, and what to do. The compression by io's name.
[[nodiscard]] Error tar_error(std::string_view path, std::string_view compression);

}  // namespace lockstep::formats::shared
