// RPD: the SQLite databases of rocmProfileData.
#pragma once

#include "formats/shared/format.h"

namespace lockstep::formats::rpd {

[[nodiscard]] shared::SqliteDialect rpd_dialect();

}  // namespace lockstep::formats::rpd
