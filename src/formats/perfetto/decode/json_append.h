// Numbers as JSON text.
#pragma once

#include <string>

namespace lockstep::formats::perfetto {

void append_json_number(double value, std::string& json);  // null when it is not finite

}  // namespace lockstep::formats::perfetto
