// The three descriptors that a program is given.
#pragma once

#include <string>

namespace lockstep::io {

// Occupies those of the descriptors 0 to 2 that the caller closed, so that no file that is opened
// later takes their place and is then read as standard input or written over by messages. Reading
// and writing them fails as on a closed one. Called first by main.
void occupy_standard_descriptors();

// True for "-" and for every path that now leads to what standard output leads to.
[[nodiscard]] bool is_standard_output(const std::string& path);

}  // namespace lockstep::io
