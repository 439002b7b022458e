// Gives the asynchronous begins and ends of a Proton block tokens that pair them.
#pragma once

#include <cstdint>
#include <span>

#include "formats/kernel_profile/profile_builder.h"

namespace lockstep::formats::kernel_profile {

// Proton writes no token. An end takes the oldest open begin of its scope in its own warp, else the
// oldest in another warp. `warps` are the lanes of one block, `next_token` counts through the
// launch.
void pair_proton_async(std::span<LaneDraft> warps, std::uint32_t& next_token);

}  // namespace lockstep::formats::kernel_profile
