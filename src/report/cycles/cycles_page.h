// The loops of a trace for people: the nest as a tree, the phases, the kernels that take the time.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "analysis/cycles/cycles.h"
#include "formats/input/load.h"
#include "report/layout/page.h"

namespace lockstep::report::cycles {

struct CyclesPageOptions {
  std::size_t top = 10;   // positions to list; 0 for all
  bool show_all = false;  // loops and streams that are hidden otherwise
};

[[nodiscard]] layout::Page cycles_page(const analysis::cycles::Cycles& cycles,
                                       std::span<const formats::input::InputFacts> inputs,
                                       const CyclesPageOptions& options);

// The same on a terminal and as a file.
[[nodiscard]] std::string cycles_text(const analysis::cycles::Cycles& cycles,
                                      std::span<const formats::input::InputFacts> inputs,
                                      const CyclesPageOptions& options,
                                      const layout::TextStyle& style);
[[nodiscard]] std::string cycles_markdown(const analysis::cycles::Cycles& cycles,
                                          std::span<const formats::input::InputFacts> inputs,
                                          const CyclesPageOptions& options);

}  // namespace lockstep::report::cycles
