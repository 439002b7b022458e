// Whether a workbook holds all that was put into it. The library that writes it does not notice
// where its temporary files have no room, and packs what is there of them.
#pragma once

#include <cstdint>
#include <string_view>

namespace lockstep::report::sinks {

// `book` are the bytes of a workbook that libxlsxwriter wrote, `cells` is how many it was given.
// True when every part can be unpacked, its tags are closed, and no cell and no string is missing.
[[nodiscard]] bool is_whole_book(std::string_view book, std::uint64_t cells);

}  // namespace lockstep::report::sinks
