// Names and times of collectives that Ascend profilers write twice.
#include "formats/ascend/ascend_names.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace lockstep::formats::ascend {

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

std::optional<HcclDataType> hccl_data_type(std::string_view hccl) {
  static constexpr std::array<HcclDataType, 13> kTypes = {{
      {"INT8", "Char", 1},
      {"INT16", "Short", 2},
      {"INT32", "Int", 4},
      {"INT64", "Long", 8},
      {"INT128", "INT128", 16},
      {"UINT8", "Byte", 1},
      {"UINT16", "UInt16", 2},
      {"UINT32", "UInt32", 4},
      {"UINT64", "UInt64", 8},
      {"FP16", "Half", 2},
      {"FP32", "Float", 4},
      {"FP64", "Double", 8},
      {"BFP16", "BFloat16", 2},
  }};
  const auto found = std::ranges::find(kTypes, hccl, &HcclDataType::hccl);
  if (found == kTypes.end()) return std::nullopt;
  return *found;
}

std::optional<std::int64_t> collective_sequence(std::string_view name) {
  const std::size_t tail = name.find("__");
  if (tail == std::string_view::npos) return std::nullopt;
  const std::size_t group_end = name.find('_', tail + 2);
  if (group_end == std::string_view::npos) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, failure] =
      std::from_chars(name.data() + group_end + 1, name.data() + name.size(), number);
  if (failure != std::errc() || end == name.data() + name.size() || *end != '_')
    return std::nullopt;
  return number;
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

}  // namespace lockstep::formats::ascend
