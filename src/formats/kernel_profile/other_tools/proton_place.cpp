// Taking apart of Proton's names. Names of kernels may hold any words, so they are read from
// behind.
#include "formats/kernel_profile/other_tools/proton_place.h"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace lockstep::formats::kernel_profile {
namespace {

// The number that `text` begins with, which is taken off it.
template <typename Number>
std::optional<Number> taken_number(std::string_view& text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

}  // namespace

std::optional<ProtonBlock> proton_block(std::string_view pid) {
  constexpr std::string_view kCta = " CTA";
  constexpr std::string_view kCore = " Core";
  const std::size_t cta_at = pid.rfind(kCta);
  if (cta_at == std::string_view::npos) return std::nullopt;
  std::string_view rest = pid.substr(cta_at + kCta.size());
  const auto cta = taken_number<std::uint64_t>(rest);
  if (!cta || !(rest.empty() || rest.starts_with(" ["))) return std::nullopt;
  ProtonBlock block{pid.substr(0, cta_at), -1, *cta};
  const std::size_t core_at = block.kernel.rfind(kCore);
  if (core_at == std::string_view::npos) return block;
  rest = block.kernel.substr(core_at + kCore.size());
  const auto core = taken_number<std::int32_t>(rest);
  if (!core || !rest.empty()) return block;
  block.core = *core;
  block.kernel = block.kernel.substr(0, core_at);
  return block;
}

std::optional<ProtonWarp> proton_warp(std::string_view tid) {
  constexpr std::string_view kWarp = "warp ";
  if (!tid.starts_with(kWarp)) return std::nullopt;
  tid.remove_prefix(kWarp.size());
  const auto warp = taken_number<std::uint32_t>(tid);
  constexpr std::string_view kLine = " (line";
  if (!warp || !tid.starts_with(kLine)) return std::nullopt;
  tid.remove_prefix(std::min(kLine.size() + 1, tid.size()));
  return ProtonWarp{*warp, taken_number<std::uint32_t>(tid).value_or(0)};
}

}  // namespace lockstep::formats::kernel_profile
