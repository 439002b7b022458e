// Tells an XSpace from other bytes, and names the damage that text tools do to one.
#pragma once

#include <string>
#include <string_view>

#include "formats/shared/format.h"

namespace lockstep::formats::xspace {

[[nodiscard]] shared::Sniff sniff(std::string_view head, std::string_view path);

// Whether a text tool has replaced the bytes of this protobuf that are no UTF-8.
[[nodiscard]] bool is_mangled(std::string_view bytes);
[[nodiscard]] Error mangled_error(std::string_view path);

}  // namespace lockstep::formats::xspace
