// RPD: the SQLite databases of rocmProfileData.
#pragma once

#include "formats/shared/format.h"

namespace lockstep {

[[nodiscard]] SqliteDialect rpd_dialect();

}  // namespace lockstep
