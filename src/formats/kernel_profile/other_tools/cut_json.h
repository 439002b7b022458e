// JSON documents that end too early: copies that were cut, disks that were full.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lockstep::formats::kernel_profile {

// A whole document of what stands before the cut: up to the last entry of the root, or of a list in
// it, that is complete. Nothing where the text has its end or no entry is complete.
[[nodiscard]] std::optional<std::string> json_before_cut(std::string_view text);

}  // namespace lockstep::formats::kernel_profile
