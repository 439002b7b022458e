// The section table of a .lkp file, checked against the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <span>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "formats/kernel_profile/item_view.h"
#include "formats/kernel_profile/lkp/lkp_layout.h"
#include "io/file_bytes.h"

namespace lockstep::formats::kernel_profile {

// Items that stay in the file.
struct LkpItems {
  std::uint64_t offset = 0;  // of the first one
  std::size_t item_bytes = 1;
  std::uint64_t size = 0;
};

struct LkpSections {
  std::span<const std::byte> meta;
  ItemView<lkp::Launch> launches;
  ItemView<lkp::Lane> lanes;
  ItemView<lkp::Anchor> anchors;
  LkpItems records;
  LkpItems regions;
  std::list<std::vector<std::byte>> kept;  // what the views above see, where it was read
};

[[nodiscard]] bool is_lkp(const io::FileBytes& file);

// Sections that are cut short have the items that are there. An error where there is no header.
[[nodiscard]] Result<LkpSections> find_lkp_sections(const io::FileBytes& file,
                                                    Diagnostics& findings);

}  // namespace lockstep::formats::kernel_profile
