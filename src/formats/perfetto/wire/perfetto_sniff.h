// Tells Perfetto files from other protobuf, above all XSpace, which begins with the same byte.
#pragma once

#include <string_view>

#include "formats/perfetto/wire/wire_walk.h"
#include "formats/shared/format.h"

namespace lockstep::formats::perfetto {

// Whether a TracePacket can have this field.
[[nodiscard]] bool fits_trace_packet(const WireField& field);
// Whether nothing but a TracePacket has it: the messages of XSpace have no field above 6.
[[nodiscard]] bool is_sure_sign_of_packet(const WireField& field);

[[nodiscard]] shared::Sniff sniff(std::string_view head, std::string_view path);

}  // namespace lockstep::formats::perfetto
