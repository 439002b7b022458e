// What happened inside the launches of a kernel, for people.
#pragma once

#include <cstdint>
#include <string>

#include "report/kernel/kernel_view.h"
#include "report/layout/page.h"

namespace lockstep::report::kernel {

inline constexpr std::uint32_t kKernelTop = 10;

// `top` events are listed, of gaps and launches about half as many; 0: all.
[[nodiscard]] layout::Page kernel_page(const KernelReport& report, std::uint32_t top,
                                       const layout::PageRoom& room);

// The same on a terminal and as a file.
[[nodiscard]] std::string kernel_text(const KernelReport& report, std::uint32_t top,
                                      const layout::TextStyle& style);
[[nodiscard]] std::string kernel_markdown(const KernelReport& report, std::uint32_t top);

}  // namespace lockstep::report::kernel
