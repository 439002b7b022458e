// Any bytes through all of `kernel decode`: whatever a file says, its summary can be told as text,
// JSON that parses, a picture and a Perfetto trace.
//
// The first four bytes are those of kernel_profile.cpp: format, groups, blocks, and here whether
// regions are kept, an overhead is taken off and the profile is compared with itself.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include "analysis/kernel_profile/figures/kernel_compare.h"
#include "analysis/kernel_profile/figures/kernel_summary.h"
#include "formats/kernel_profile/kernel_profile_formats.h"
#include "fuzz_check.h"
#include "io/byte_sink.h"
#include "report/kernel/kernel_json.h"
#include "report/kernel/kernel_page.h"
#include "report/kernel/kernel_perfetto.h"
#include "report/kernel/kernel_svg.h"

namespace lockstep {
namespace {

constexpr std::size_t kHeadBytes = 4;

formats::kernel_profile::KernelDecodeOptions options_of(std::span<const std::uint8_t> head) {
  const auto formats = formats::kernel_profile::all_kernel_formats();
  formats::kernel_profile::KernelDecodeOptions options;
  options.format = formats[head[0] % formats.size()];
  options.groups = head[1];
  options.blocks = head[2];
  if (head[0] >= 128) options.names = {"a", "b"};
  return options;
}

void check_sinks(const report::kernel::KernelReport& report) {
  const std::string text = report::kernel::kernel_text(report, report::kernel::kKernelTop, {});
  LOCKSTEP_FUZZ_CHECK(text.ends_with('\n'));
  LOCKSTEP_FUZZ_CHECK(nlohmann::json::accept(report::kernel::kernel_json(report)));
  const std::string svg = report::kernel::kernel_svg(report);
  LOCKSTEP_FUZZ_CHECK(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
  if (!report.has_regions) return;
  io::MemorySink sink;
  LOCKSTEP_FUZZ_CHECK(report::kernel::write_kernel_perfetto(report, sink).ok());
}

void check_report(const trace::KernelProfile& profile, std::uint8_t how, Diagnostics& findings) {
  analysis::kernel_profile::KernelSummaryOptions options;
  options.keep_regions = how % 2 == 0;
  options.overhead_ticks = how % 16;
  const analysis::kernel_profile::KernelSummary summary =
      analysis::kernel_profile::summarize_kernel(profile, options, findings);
  analysis::kernel_profile::KernelComparison comparison;
  report::kernel::KernelReport report{profile, summary, findings, "input", options.keep_regions};
  if (how >= 128) {
    const analysis::kernel_profile::KernelCompareSide side{&profile, &summary};
    comparison = analysis::kernel_profile::compare_kernels(side, side, {}, findings);
    report.comparison = &comparison;
  }
  check_sinks(report);
}

}  // namespace
}  // namespace lockstep

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  if (size < kHeadBytes) return 0;
  const std::span<const std::uint8_t> head(data, kHeadBytes);
  Diagnostics findings;
  const auto profile = formats::kernel_profile::decode_kernel_profile(
      std::as_bytes(std::span(data + kHeadBytes, size - kHeadBytes)), options_of(head), findings);
  if (profile.ok()) check_report(profile.value(), head[3], findings);
  return 0;
}
