// A number, or a document to choose one from.
#include "cli/commands/kernel_overhead_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/input.h"
#include "report/kernel/kernel_overhead.h"

namespace lockstep::cli {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxBytes = 1 << 20;  // such a file has some kilobytes
constexpr std::uint64_t kThreadsOfWarp = 32;
constexpr std::int64_t kMaxWarps = 1024;  // of a block; 32 on all devices there are
constexpr double kMaxCycles = 1e6;

std::optional<double> cycles_in(const std::string& words) {
  double value = 0;
  const char* const end = words.data() + words.size();
  const auto [stop, failure] = std::from_chars(words.data(), end, value);
  if (failure != std::errc() || stop != end) return std::nullopt;
  return value;
}

Result<std::string> content_of(const std::string& path) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<io::Input> input, io::Input::open(path));
  std::string content(kMaxBytes, '\0');
  std::size_t filled = 0;
  while (filled < content.size()) {
    LOCKSTEP_ASSIGN_OR_RETURN(const std::size_t got,
                              input->read(std::span(content).subspan(filled)));
    if (got == 0) break;
    filled += got;
  }
  content.resize(filled);
  return content;
}

Error not_ours(const std::string& path) {
  return input_error(path, "tells no cost of a marker",
                     "Write it with 'lockstep kernel overhead --json -o FILE', or give cycles");
}

std::int64_t warps_of(const trace::KernelProfile& profile) {
  if (profile.launches.empty()) return 1;
  const std::uint64_t threads = profile.launches.front().threads.count();
  return static_cast<std::int64_t>(
      std::clamp<std::uint64_t>(threads / kThreadsOfWarp, 1, kMaxWarps));
}

// Of the default marker, the one measured at the nearest number of warps.
std::optional<double> nearest_cost(const Json& document, std::int64_t warps) {
  std::optional<double> nearest;
  std::int64_t distance = 0;
  for (const Json& row : document.value("markers", Json::array())) {
    if (!row.is_object() || row.value("variant", "") != report::kernel::kDefaultMarker) continue;
    const std::int64_t measured = row.value("warps", std::int64_t{0});
    if (measured < 1 || measured > kMaxWarps) continue;
    const std::int64_t away = std::abs(measured - warps);
    if (nearest && away >= distance) continue;
    nearest = row.value("cycles", -1.0);
    distance = away;
  }
  return nearest;
}

std::optional<double> cost_in(const std::string& content, std::int64_t warps) {
  try {
    const Json document = Json::parse(content);
    if (document.value("schema", "") != report::kernel::kOverheadSchema) return std::nullopt;
    return nearest_cost(document, warps);
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

bool is_sensible(double cycles) { return cycles >= 0 && cycles <= kMaxCycles; }

}  // namespace

Result<double> marker_cycles(const std::string& words, const trace::KernelProfile& profile) {
  if (const std::optional<double> cycles = cycles_in(words)) {
    if (is_sensible(*cycles)) return *cycles;
    return usage_error(fmt::format("--overhead cannot be '{}'", words),
                       "Give cycles from 0 on, like 15.4, or a file of 'kernel overhead --json'");
  }
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string content, content_of(words));
  const std::optional<double> cost = cost_in(content, warps_of(profile));
  if (!cost || !is_sensible(*cost)) return not_ours(words);
  return *cost;
}

}  // namespace lockstep::cli
