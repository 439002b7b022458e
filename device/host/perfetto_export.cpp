// Decodes, pairs and writes.
#include "host/perfetto_export.h"

#include <memory>
#include <utility>

#include "analysis/kernel_profile/figures/kernel_summary.h"
#include "formats/kernel_profile/other_tools/strided_buffer.h"
#include "host/output.h"
#include "report/kernel/kernel_perfetto.h"

namespace lockstep::device {

Status export_perfetto(std::span<const std::byte> words, std::vector<std::string> names,
                       const std::string& path, Diagnostics& findings) {
  formats::kernel_profile::KernelDecodeOptions options;
  options.names = std::move(names);
  if (words.empty()) return input_error({}, "is empty");
  LOCKSTEP_ASSIGN_OR_RETURN(
      const trace::KernelProfile profile,
      formats::kernel_profile::decode_strided(words, formats::kernel_profile::KernelFormat::kTvm,
                                              options, findings));
  const analysis::kernel_profile::KernelSummary summary =
      analysis::kernel_profile::summarize_kernel(profile, {}, findings);
  const report::kernel::KernelReport report{profile, summary, findings, path};
  LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<io::ByteSink> sink, open_host_output(path));
  LOCKSTEP_RETURN_IF_ERROR(report::kernel::write_kernel_perfetto(report, *sink));
  return sink->close();
}

}  // namespace lockstep::device
