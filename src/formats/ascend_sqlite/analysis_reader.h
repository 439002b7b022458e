// analysis.db alone: what torch_npu computed about communication.
#pragma once

#include "formats/shared/format.h"
#include "formats/sqlite/sqlite_file.h"

namespace lockstep::ascend {

[[nodiscard]] bool is_analysis(const SqliteFile& file);
// Collectives from their start and length; refused where the file has none.
[[nodiscard]] Status read_analysis(SqliteFile& file, const ReadOptions& options, Trace& trace);

}  // namespace lockstep::ascend
