// Records in fields where Perfetto has none: what one damaged byte of a tag or a length makes of
// them.
#pragma once

#include <string_view>

namespace lockstep::formats::perfetto {

// Whether a field of a packet that nobody reads is nothing but the fields of a track event, or of
// another packet with its data.
[[nodiscard]] bool may_hide_record(std::string_view bytes);

}  // namespace lockstep::formats::perfetto
