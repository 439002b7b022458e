// A text as a JSON string, for the metadata of ranks and for arguments.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::formats::shared {

// In quotes, escaped; bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string quoted_json(std::string_view text);

}  // namespace lockstep::formats::shared
