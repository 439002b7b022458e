// rocpd: the SQLite databases that rocprofv3 writes since ROCm 7.
#pragma once

#include "formats/shared/format.h"

namespace lockstep::formats::rocpd {

[[nodiscard]] shared::SqliteDialect rocpd_dialect();

}  // namespace lockstep::formats::rocpd
