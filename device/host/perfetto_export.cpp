// Decodes, pairs and writes.
#include "host/perfetto_export.h"

#include <memory>
#include <utility>

#include "analysis/kernel_profile/figures/kernel_summary.h"
#include "formats/kernel_profile/kernel_profile_formats.h"
#include "io/byte_sink.h"
#include "report/kernel/kernel_perfetto.h"

namespace lockstep {

Status export_perfetto(std::span<const std::byte> words, std::vector<std::string> names,
                       const std::string& path, Diagnostics& findings) {
  KernelDecodeOptions options;
  options.format = KernelFormat::kTvm;
  options.names = std::move(names);
  LOCKSTEP_ASSIGN_OR_RETURN(const KernelProfile profile,
                            decode_kernel_profile(words, options, findings));
  const KernelSummary summary = summarize_kernel(profile, {}, findings);
  const KernelReport report{profile, summary, findings, path};
  LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<ByteSink> sink, open_output(path));
  LOCKSTEP_RETURN_IF_ERROR(write_kernel_perfetto(report, *sink));
  return sink->close();
}

}  // namespace lockstep
