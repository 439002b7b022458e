// What happened inside the launches of a kernel, on a terminal.
#pragma once

#include <cstdint>
#include <string>

#include "report/kernel/kernel_view.h"
#include "report/layout/text_style.h"

namespace lockstep::report::kernel {

inline constexpr std::uint32_t kKernelTop = 10;

// `top` events are listed, of gaps and launches about half as many; 0: all.
[[nodiscard]] std::string kernel_text(const KernelReport& report, std::uint32_t top,
                                      const layout::TextStyle& style);

}  // namespace lockstep::report::kernel
