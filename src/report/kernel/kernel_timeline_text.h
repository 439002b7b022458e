// The timeline of a launch on lines of text: a row a lane, a letter an event.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/kernel/kernel_view.h"

namespace lockstep::report::kernel {

// A ruler, the rows and a legend, of at most `width` columns as far as that is possible. Nothing
// where the picture has no blocks.
[[nodiscard]] std::vector<std::string> draw_kernel_timeline(const KernelReport& report,
                                                            const KernelPicture& picture,
                                                            std::size_t width);

}  // namespace lockstep::report::kernel
