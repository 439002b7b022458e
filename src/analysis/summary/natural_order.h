// The order in which people list ids: numbers by value, before other text.
#pragma once

#include <string_view>

namespace lockstep::analysis::summary {

[[nodiscard]] bool comes_before(std::string_view a, std::string_view b);

}  // namespace lockstep::analysis::summary
