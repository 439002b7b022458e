// Decompresses zstd, as a stream; decompress.h says what it does with members and damage.
#pragma once

#include <memory>

#include "io/byte_source.h"

namespace lockstep::io {

[[nodiscard]] std::unique_ptr<ByteSource> make_zstd_source(std::unique_ptr<ByteSource> below);

}  // namespace lockstep::io
