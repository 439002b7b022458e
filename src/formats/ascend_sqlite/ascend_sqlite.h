// Databases of the Ascend profilers: ascend_pytorch_profiler_*.db, msprof_*.db and analysis.db.
#pragma once

#include "formats/shared/format.h"

namespace lockstep::formats::ascend_sqlite {

[[nodiscard]] shared::SqliteDialect ascend_sqlite_dialect();

}  // namespace lockstep::formats::ascend_sqlite
