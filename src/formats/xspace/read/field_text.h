// The bytes of a length-delimited field as text.
#pragma once

#include <string_view>

#include <protozero/data_view.hpp>

namespace lockstep::formats::xspace {

[[nodiscard]] inline std::string_view text_of(protozero::data_view view) {
  return {view.data(), view.size()};
}

}  // namespace lockstep::formats::xspace
