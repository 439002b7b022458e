// What happened inside the launches of a kernel, as JSON: schema lockstep.kernel-decode/2.
#pragma once

#include <string>

#include "base/result.h"
#include "io/byte_sink.h"
#include "report/kernel/kernel_view.h"

namespace lockstep::report::kernel {

// docs/reference/kernel-decode.md describes the document, kernel-decode.schema.json states it.
// Times are numbers of nanoseconds, exact to the picosecond. Where the summary kept no regions,
// lanes have no keys for them.
[[nodiscard]] std::string kernel_json(const KernelReport& report);
// The same document into a sink, which stays open: the text is many times the recording.
[[nodiscard]] Status write_kernel_json(const KernelReport& report, io::ByteSink& sink);

}  // namespace lockstep::report::kernel
