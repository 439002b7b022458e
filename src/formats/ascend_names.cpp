// Names and times of collectives that Ascend profilers write twice.
#include "formats/ascend_names.h"

#include <algorithm>

namespace lockstep {

const DiagnosticKind kDuplicateCollective{
    "duplicate_collective", Severity::kInfo,
    "A kernel is the second record of a collective that the file also has as a communication "
    "operator; it was marked as a duplicate and does not count."};

namespace {

// "x_503_490_1" without its numbers: "x".
std::string_view without_numbers(std::string_view name) {
  while (!name.empty()) {
    const std::size_t rest = name.find_last_not_of("0123456789");
    if (rest == std::string_view::npos || name[rest] != '_' || rest + 1 == name.size()) break;
    name = name.substr(0, rest);
  }
  return name;
}

}  // namespace

bool names_collective_kernel(std::string_view name) {
  const std::string_view stem = without_numbers(name);
  return stem.ends_with("AivKernel") || stem.ends_with("AicpuKernel");
}

void CollectiveWindows::seal() {
  std::ranges::sort(windows_, {}, &Window::start);
  std::vector<Window> merged;
  for (const Window& window : windows_) {
    if (!merged.empty() && window.start <= merged.back().end) {
      merged.back().end = std::max(merged.back().end, window.end);
    } else {
      merged.push_back(window);
    }
  }
  windows_ = std::move(merged);
}

bool CollectiveWindows::overlap(WideTime start, WideTime end) const {
  const auto after = std::ranges::upper_bound(windows_, start, {}, &Window::start);
  if (after != windows_.begin() && start < std::prev(after)->end) return true;
  return after != windows_.end() && after->start < end;
}

}  // namespace lockstep
