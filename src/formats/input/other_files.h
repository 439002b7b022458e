// Files of other programs that are named like traces, and what tells them from traces whose start
// is damaged.
#pragma once

#include <string_view>

namespace lockstep::formats::input {

// Databases of other programs that are often called *.db: not damaged, not encrypted.
[[nodiscard]] bool is_other_database(std::string_view head);

// What a checkout of Git LFS holds in the place of a file that was not fetched.
inline constexpr std::string_view kLfsPointer = "version https://git-lfs.";

// Whether a file that no format knows is whole, as far as its first bytes tell, and of another
// program: settings and other JSON, text in *.db, other databases.
[[nodiscard]] bool is_of_other_program(std::string_view head, std::string_view path);

}  // namespace lockstep::formats::input
