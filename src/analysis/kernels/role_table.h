// The table of kernel names: data only. role.cpp says how it is read.
//
// A pattern is lower-case text to be found in the name; '^' at its front and '$' at its end hold it
// to the name's beginning and end, '*' stands for anything.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "analysis/kernels/role.h"

namespace lockstep::analysis::kernels {

struct RolePattern {
  enum class Mark : std::uint8_t {
    kNone,
    kAnchor,   // one of these runs once a layer
    kSoftmax,  // the same where attention is written out
    kMixer,    // the same where a state stands for attention: selective scan, recurrent update
  };
  std::string_view pattern;
  KernelRole role = KernelRole::kOther;
  AttentionUse use = AttentionUse::kNone;
  Mark mark = Mark::kNone;
};

// Kernels of one origin, whose names need rules of their own: "mean" is a reduction in PyTorch, a
// norm where Triton fused it with others.
struct RoleSection {
  std::string_view gate;  // a pattern: which names; those that nothing here knows go on
  std::span<const RolePattern> patterns;
  bool is_for_operator_types = false;  // names of one word, as CANN has them
};

[[nodiscard]] std::span<const RoleSection> role_sections();

}  // namespace lockstep::analysis::kernels
