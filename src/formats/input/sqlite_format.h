// SQLite databases as one format: opened once, then offered to the dialects of all profilers.
#pragma once

#include "formats/shared/format.h"

namespace lockstep::formats::input {

[[nodiscard]] shared::Format sqlite_format();

}  // namespace lockstep::formats::input
