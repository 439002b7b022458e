#include "formats/ascend_sqlite/ascend_sqlite.h"
namespace lockstep {
SqliteDialect ascend_sqlite_dialect() {
  return {"ascend", [](const SqliteFile&) { return false; },
          [](SqliteFile&, const ReadOptions&, Trace&) -> Status { return {}; }};
}
}  // namespace lockstep
