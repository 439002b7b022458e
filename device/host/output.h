// The files that the host side writes.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "io/byte_sink.h"

namespace lockstep::device {

// As io::open_output, but for gzip: liblockstep_session.so is linked into programs of others and
// must need no library beside it, and the one for gzip cannot be put into it. A name that ends in
// .gz is refused; nobody would expect a file that is not compressed there.
[[nodiscard]] Result<std::unique_ptr<io::ByteSink>> open_host_output(const std::string& path);

}  // namespace lockstep::device
