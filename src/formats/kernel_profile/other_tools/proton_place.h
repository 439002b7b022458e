// Where a scope of Proton's Chrome trace ran, from the names of its process and thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lockstep::formats::kernel_profile {

struct ProtonBlock {
  std::string_view kernel;
  std::int32_t core = -1;  // the multiprocessor; -1: not said
  std::uint64_t cta = 0;
};

// "matmul Core7 CTA12", whatever stands behind it in brackets; nothing where it names no CTA.
[[nodiscard]] std::optional<ProtonBlock> proton_block(std::string_view pid);
// "warp 3 (line 0)": lines only keep scopes that overlap apart in a viewer. 0 where it is no
// number.
struct ProtonWarp {
  std::uint32_t warp = 0;
  std::uint32_t line = 0;
};
[[nodiscard]] std::optional<ProtonWarp> proton_warp(std::string_view tid);

}  // namespace lockstep::formats::kernel_profile
