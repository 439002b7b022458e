// The lists of all that can be read. To add a format: one line in builtin_formats.cpp.
#pragma once

#include <span>

#include "formats/shared/format.h"

namespace lockstep::formats::input {

// All formats, in the order in which they are asked.
[[nodiscard]] std::span<const shared::Format> builtin_formats();

[[nodiscard]] std::span<const shared::SqliteDialect> builtin_sqlite_dialects();

[[nodiscard]] std::span<const shared::BundleFormat> builtin_bundle_formats();

}  // namespace lockstep::formats::input
