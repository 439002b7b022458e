// Exports of Nsight Systems (nsys export --type sqlite), schema 2.9 to 3.25.
#pragma once

#include "formats/shared/format.h"

namespace lockstep::formats::nsys_sqlite {

[[nodiscard]] shared::SqliteDialect nsys_sqlite_dialect();

}  // namespace lockstep::formats::nsys_sqlite
