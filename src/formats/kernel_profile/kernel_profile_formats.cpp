// Which decoder a file goes to.
#include "formats/kernel_profile/kernel_profile_formats.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "formats/kernel_profile/guess_format.h"
#include "formats/kernel_profile/lkp/lkp_reader.h"
#include "formats/kernel_profile/lkp/lkp_sections.h"
#include "formats/kernel_profile/name_limit.h"
#include "formats/kernel_profile/other_tools/ikp_buffer.h"
#include "formats/kernel_profile/other_tools/json_profile.h"
#include "formats/kernel_profile/other_tools/mosaic_buffer.h"
#include "formats/kernel_profile/other_tools/npy.h"
#include "formats/kernel_profile/other_tools/proton_buffer.h"
#include "formats/kernel_profile/other_tools/strided_buffer.h"
#include "formats/kernel_profile/profile_meta.h"
#include "formats/shared/tar_archive.h"
#include "io/file_bytes.h"
#include "io/input.h"

namespace lockstep::formats::kernel_profile {
namespace {

std::string all_names() {
  std::string names;
  for (const KernelFormat format : all_kernel_formats()) {
    if (format == KernelFormat::kLkp || format == KernelFormat::kIket) continue;
    names += (names.empty() ? "" : ", ") + std::string(name_of(format));
  }
  return names;
}

Error format_needed(std::span<const std::byte> bytes) {
  const std::optional<KernelFormat> guess = guess_kernel_format(bytes);
  if (!guess) {
    return usage_error("the buffer does not say which in-kernel format it has",
                       "Say --format: one of " + all_names());
  }
  const std::string name(name_of(*guess));
  return usage_error("the buffer does not say which in-kernel format it has; it looks like " + name,
                     "Say --format " + name + " if it is");
}

Result<trace::KernelProfile> decode_buffer(std::span<const std::byte> bytes,
                                           const KernelDecodeOptions& options,
                                           Diagnostics& findings) {
  if (is_npy(bytes)) {
    LOCKSTEP_ASSIGN_OR_RETURN(bytes, npy_array(bytes, findings));
  }
  if (!options.format) return format_needed(bytes);
  LOCKSTEP_ASSIGN_OR_RETURN(const ProfileMeta meta, read_profile_meta(options.meta_path));
  switch (*options.format) {
    case KernelFormat::kTvm:
    case KernelFormat::kFlashInfer:
    case KernelFormat::kFlashInferOld:
      return decode_strided(bytes, *options.format, options, findings);
    case KernelFormat::kProton:
      return decode_proton(bytes, options, meta, findings);
    case KernelFormat::kMosaic:
      return decode_mosaic(bytes, options, meta, findings);
    case KernelFormat::kIkp:
      return decode_ikp(bytes, options, meta, findings);
    case KernelFormat::kLkp:
      return input_error({}, "does not begin as a .lkp file does");
    case KernelFormat::kIket:
      break;
  }
  return input_error({}, "is not the JSON that run-iket writes");
}

// How often names of events may be told: for every record, and for every launch.
std::uint64_t uses_of_names(const trace::KernelProfile& profile) {
  std::uint64_t uses = profile.launches.size();
  for (const trace::KernelLane& lane : profile.lanes) uses += lane.written;
  return uses;
}

Result<trace::KernelProfile> decode_any(std::shared_ptr<const io::FileBytes> file,
                                        const KernelDecodeOptions& options, Diagnostics& findings) {
  if (file->size() == 0) return input_error({}, "is empty");
  if (is_lkp(*file)) {
    if (!options.format || options.format == KernelFormat::kLkp) {
      return read_lkp(std::move(file), options.names, options.checks, findings);
    }
    return usage_error("the input is a .lkp file, not " + std::string(name_of(*options.format)),
                       "Leave --format out");
  }
  std::vector<std::byte> kept;
  const std::span<const std::byte> bytes = file->read(0, file->size(), kept);
  LOCKSTEP_RETURN_IF_ERROR(file->status());
  // Whatever format was said: its header would be decoded as records.
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (shared::is_tar(text)) return shared::tar_error({}, io::name_of(file->compression()));
  return is_json(bytes) ? decode_json(bytes, options, findings)
                        : decode_buffer(bytes, options, findings);
}

Result<trace::KernelProfile> decode(std::shared_ptr<const io::FileBytes> file,
                                    const KernelDecodeOptions& options, Diagnostics& findings) {
  const std::uint64_t bytes = file->size();
  LOCKSTEP_ASSIGN_OR_RETURN(trace::KernelProfile profile,
                            decode_any(std::move(file), options, findings));
  if (options.names.empty()) {
    limit_names(profile.event_names, uses_of_names(profile), bytes, findings);
  }
  return profile;
}

}  // namespace

Result<trace::KernelProfile> read_kernel_profile(const std::string& path,
                                                 const KernelDecodeOptions& options,
                                                 Diagnostics& findings) {
  // A buffer has no beginning that would tell it from zeros, and all of it is needed.
  if (io::is_character_device(path)) {
    return input_error(path, "is a device, which may have no end",
                       "Give a file or a pipe that holds the profile");
  }
  LOCKSTEP_ASSIGN_OR_RETURN(std::shared_ptr<const io::FileBytes> file,
                            io::FileBytes::open(path, findings));
  Result<trace::KernelProfile> profile = decode(std::move(file), options, findings);
  if (profile.ok() || !profile.error().where.empty()) return profile;
  Error error = profile.error();
  error.where = path == "-" ? "standard input" : path;
  return error;
}

Result<trace::KernelProfile> decode_kernel_profile(std::span<const std::byte> bytes,
                                                   const KernelDecodeOptions& options,
                                                   Diagnostics& findings) {
  return decode(io::FileBytes::over(bytes), options, findings);
}

}  // namespace lockstep::formats::kernel_profile
