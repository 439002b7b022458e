// Which format an input has, by its content; and what is said of inputs that have none.
#pragma once

#include <string_view>

#include "base/result.h"
#include "formats/shared/format.h"
#include "io/input.h"

namespace lockstep::formats::input {

// What lockstep reads, for sentences.
extern const std::string_view kKnownFormats;

// The first format that is sure, else the first that may be; otherwise a sentence on what the input
// is instead.
[[nodiscard]] Result<const shared::Format*> format_of(const io::Input& input);

// Its name, as builtin_formats.cpp lists it; empty when it is none.
[[nodiscard]] std::string_view format_name_of(const io::Input& input);

// What a file of a directory promises. Directories hold all sorts of files.
enum class Prospect {
  kNothing,  // no trace: passed over
  kMaybe,    // JSON that may be one: tried
  kTrace,    // says that it is one
  kLost,     // was one, or holds one that only another tool opens: named, because a rank that is
             // missing without a word is the worst loss
};
[[nodiscard]] Prospect prospect_of(const io::Input& input);

}  // namespace lockstep::formats::input
