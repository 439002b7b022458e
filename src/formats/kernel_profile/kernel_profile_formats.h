// Reading of in-kernel profiles: which format a file seems to have, and the decoding of one into a
// KernelProfile.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "formats/kernel_profile/kernel_format.h"
#include "trace/kernel_profile.h"

namespace lockstep::formats::kernel_profile {

// When the records of a .lkp file are looked at.
enum class RecordChecks : std::uint8_t {
  kNow,       // in a pass of its own; what is wrong in them is among the findings
  kWhenRead,  // lane by lane; what is wrong is told by KernelRecords::report() afterwards
};

struct KernelDecodeOptions {
  std::optional<KernelFormat> format{};  // not given: only self-describing files (.lkp and
                                         // JSON) are read, others are refused with a guess
  std::vector<std::string> names{};      // of events; else those of the file
  std::uint32_t groups = 0;              // replace a missing or wrong header; 0: take the header's
  std::uint64_t blocks = 0;
  std::string meta_path{};  // JSON beside the buffer (Proton, Mosaic); empty: none
  RecordChecks checks = RecordChecks::kNow;
};

// Decodes the file (or "-", standard input). Errors: unreadable, unknown magic, a format that needs
// --format (ErrorCode::kUsage, naming the likely one). What is wrong inside becomes diagnostics.
[[nodiscard]] Result<trace::KernelProfile> read_kernel_profile(const std::string& path,
                                                               const KernelDecodeOptions& options,
                                                               Diagnostics& findings);

// The same of bytes at hand, which must outlive the profile (records may lie in them).
[[nodiscard]] Result<trace::KernelProfile> decode_kernel_profile(std::span<const std::byte> bytes,
                                                                 const KernelDecodeOptions& options,
                                                                 Diagnostics& findings);

}  // namespace lockstep::formats::kernel_profile
