// Text from files, names and command lines as people are shown it: the one place that makes it
// harmless.
#pragma once

#include <string>
#include <string_view>

namespace lockstep {

// `text` as valid UTF-8 on one line. What could move the cursor, colour the terminal, end the line
// or turn the direction of what follows (control and format characters, line and paragraph
// separators) becomes U+FFFD, and so do bytes that are no UTF-8, halves of surrogate pairs and code
// points that are no characters (U+FFFE, U+FFFF): nothing is left that XML 1.0 forbids.
[[nodiscard]] std::string one_line(std::string_view text);

}  // namespace lockstep
