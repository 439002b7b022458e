// The part of the table of kernel names that is about layers without attention: state-space models,
// linear attention, delta rules. Data only.
#pragma once

#include <span>

#include "analysis/kernels/role_table.h"

namespace lockstep::analysis::kernels {

[[nodiscard]] std::span<const RolePattern> state_space_patterns();

}  // namespace lockstep::analysis::kernels
