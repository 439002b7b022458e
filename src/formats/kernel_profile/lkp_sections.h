// The section table of a .lkp file, checked against the file.
#pragma once

#include <cstddef>
#include <span>

#include "base/diagnostics.h"
#include "base/result.h"
#include "formats/kernel_profile/item_view.h"
#include "formats/kernel_profile/lkp_layout.h"

namespace lockstep {

struct LkpSections {
  std::span<const std::byte> meta;
  ItemView<lkp::Launch> launches;
  ItemView<lkp::Lane> lanes;
  ItemView<lkp::Anchor> anchors;
  ItemView<lkp::Record> records;
  ItemView<lkp::Region> regions;
};

[[nodiscard]] bool is_lkp(std::span<const std::byte> bytes);

// Sections that are cut short have the items that are there. An error where there is no header.
[[nodiscard]] Result<LkpSections> find_lkp_sections(std::span<const std::byte> bytes,
                                                    Diagnostics& findings);

}  // namespace lockstep
