// RPD: the SQLite databases of rocmProfileData.
#pragma once

#include "formats/format.h"

namespace lockstep {

[[nodiscard]] SqliteDialect rpd_dialect();

}  // namespace lockstep
