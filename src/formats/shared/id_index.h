// From the ids of a table to the positions of its rows.
#pragma once

#include <cstdint>

#include "formats/shared/id_table.h"

namespace lockstep::formats::shared {

class IdIndex : public IdTable<std::uint32_t> {
 public:
  static constexpr std::uint32_t kNone = 0xFFFF'FFFF;
  IdIndex() : IdTable(kNone) {}
};

}  // namespace lockstep::formats::shared
