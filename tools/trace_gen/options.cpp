// Checks of the options: sizes as text, names of quirks, ranges.
#include "options.h"

#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace lockstep::tracegen {
namespace {

constexpr std::array<std::pair<std::string_view, bool Quirks::*>, 5> kQuirks{{
    {"compact", &Quirks::compact},
    {"no-base-time", &Quirks::no_base_time},
    {"old-flow-name", &Quirks::old_flow_name},
    {"lost-launches", &Quirks::lost_launches},
    {"counters", &Quirks::counters},
}};

constexpr std::uint32_t kMaxLayers = 100'000;
constexpr std::uint32_t kMaxStreams = 64;
constexpr std::uint32_t kMaxDevices = 16;
constexpr std::uint32_t kMaxWorld = 65'536;
constexpr std::uint32_t kMaxPythonShare = 80;
constexpr std::uint64_t kMaxStallUs = 60'000'000;

std::string out_of_range(std::string_view option, std::uint64_t value, std::uint64_t low,
                         std::uint64_t high) {
  if (value >= low && value <= high) return {};
  return fmt::format("{} must be {} to {}, not {}.", option, low, high, value);
}

// Bits to shift by for a unit, or nothing.
std::optional<unsigned> unit_shift(std::string_view unit) {
  if (unit.empty() || unit == "B") return 0;
  const std::string_view rest = unit.substr(1);
  if (!rest.empty() && rest != "B" && rest != "iB") return std::nullopt;
  switch (unit.front()) {
    case 'K':
    case 'k':
      return 10;
    case 'M':
    case 'm':
      return 20;
    case 'G':
    case 'g':
      return 30;
    case 'T':
    case 't':
      return 40;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<std::uint64_t> parse_size(std::string_view text) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || rest == text.data()) return std::nullopt;
  const auto shift = unit_shift({rest, static_cast<std::size_t>(end - rest)});
  if (!shift || number == 0) return std::nullopt;
  if (number > (std::numeric_limits<std::uint64_t>::max() >> *shift)) return std::nullopt;
  return number << *shift;
}

bool set_quirk(Quirks& quirks, std::string_view name) {
  for (const auto& [known, member] : kQuirks) {
    if (known != name) continue;
    quirks.*member = true;
    return true;
  }
  return false;
}

std::vector<std::string> quirk_names() {
  std::vector<std::string> names;
  for (const auto& [name, member] : kQuirks) names.emplace_back(name);
  return names;
}

std::string complaint(const Options& options) {
  if (options.passes == 0) return "--passes must be at least 1.";
  for (const std::string& sentence : {
           out_of_range("--layers", options.layers, 1, kMaxLayers),
           out_of_range("--streams", options.streams, 1, kMaxStreams),
           out_of_range("--devices", options.devices, 1, kMaxDevices),
           out_of_range("--world", options.world, 1, kMaxWorld),
           out_of_range("--python-share", options.python_share, 0, kMaxPythonShare),
           out_of_range("--stall-us", options.stall_us, 1, kMaxStallUs),
       }) {
    if (!sentence.empty()) return sentence;
  }
  if (options.rank >= options.world) {
    return fmt::format("--rank must be below --world, but {} is not below {}.", options.rank,
                       options.world);
  }
  return {};
}

}  // namespace lockstep::tracegen
