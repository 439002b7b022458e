// Bytes that no writer of text puts into it, as damaged storage leaves them: what stood in their
// place may have been the border of records, so that text with such bytes counts as data loss.
#pragma once

#include <string_view>

#include "base/diagnostics.h"

namespace lockstep::formats::shared {

extern const DiagnosticKind kDamagedText;

// Control characters (NUL among them) other than tabs and line ends, or bytes that are not UTF-8.
[[nodiscard]] bool is_damaged_text(std::string_view text);

// ASCII without such characters: no part of it is damaged text. Quicker to ask of much text at
// once.
[[nodiscard]] bool is_plain_text(std::string_view text);

}  // namespace lockstep::formats::shared
