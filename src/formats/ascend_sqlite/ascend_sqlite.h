// Databases of the Ascend profilers: ascend_pytorch_profiler_*.db, msprof_*.db and analysis.db.
#pragma once

#include "formats/shared/format.h"

namespace lockstep {

[[nodiscard]] SqliteDialect ascend_sqlite_dialect();

}  // namespace lockstep
