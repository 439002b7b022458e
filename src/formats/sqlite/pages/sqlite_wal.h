// The log of a database in its WAL mode, looked at without SQLite, which takes what is whole at its
// beginning and says nothing of the rest.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::formats::sqlite {

// Whether nothing stands behind the last whole change that may have been one: no frame that is
// damaged, cut off or belongs to a change without an end. Frames from before the log was last begun
// anew may. One that cannot be read is not whole.
[[nodiscard]] bool is_whole_wal(const std::string& path);

// Whether the log has a first page that begins like this: that of the database may come from there,
// its writer having been killed while it moved pages.
[[nodiscard]] bool wal_has_first_page(const std::string& path, std::string_view begin);

}  // namespace lockstep::formats::sqlite
