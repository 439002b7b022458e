// The timeline of a launch as a picture: SVG that stands by itself, without scripts.
#pragma once

#include <string>

#include "report/kernel/kernel_view.h"

namespace lockstep::report::kernel {

// Lanes are rows, regions boxes with their names where they fit (and as tooltips), those inside
// others or crossing them below; arrows join the ends of asynchronous work. The same report gives
// the same bytes.
[[nodiscard]] std::string kernel_svg(const KernelReport& report);

}  // namespace lockstep::report::kernel
