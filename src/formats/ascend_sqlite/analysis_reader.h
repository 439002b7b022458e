// analysis.db alone: what torch_npu computed about communication.
#pragma once

#include "formats/shared/format.h"
#include "formats/sqlite/sqlite_file.h"

namespace lockstep::formats::ascend_sqlite {

[[nodiscard]] bool is_analysis(const sqlite::SqliteFile& file);
// Collectives from their start and length; refused where the file has none.
[[nodiscard]] Status read_analysis(sqlite::SqliteFile& file, const shared::ReadOptions& options,
                                   trace::Trace& trace);

}  // namespace lockstep::formats::ascend_sqlite
