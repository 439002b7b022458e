// Small pieces of JSON text.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::formats::perfetto {

void append_json_string(std::string_view text, std::string& json);  // quoted and escaped
void append_json_number(double value, std::string& json);           // null when it is not finite

}  // namespace lockstep::formats::perfetto
