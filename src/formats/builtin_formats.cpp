// The list of all formats that can be read.
#include <array>

#include "formats/chrome_json/chrome_json_reader.h"
#include "formats/format.h"

namespace lockstep {

std::span<const Format> builtin_formats() {
  static const std::array kFormats = {
      chrome_json_format(),
  };
  return kFormats;
}

}  // namespace lockstep
