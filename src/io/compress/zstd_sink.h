// A layer over another sink that compresses with zstd.
#pragma once

#include <memory>

#include "io/byte_sink.h"

namespace lockstep::io {

[[nodiscard]] std::unique_ptr<ByteSink> make_zstd_sink(std::unique_ptr<ByteSink> below);

}  // namespace lockstep::io
