// Reading of --meta files.
#include "formats/kernel_profile/profile_meta.h"

#include <algorithm>
#include <vector>

#include "formats/kernel_profile/other_tools/kernel_json.h"
#include "io/file_bytes.h"

namespace lockstep::formats::kernel_profile {

Result<ProfileMeta> parse_profile_meta(std::span<const std::byte> json) {
  simdjson::dom::parser parser;
  LOCKSTEP_ASSIGN_OR_RETURN(const simdjson::dom::element root, kernel_json::parse(parser, json));
  const auto small = [&](std::string_view key) {
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(kernel_json::number(root, key), UINT32_MAX));
  };
  ProfileMeta meta;
  meta.kernel = kernel_json::text(root, "kernel");
  meta.device = kernel_json::text(root, "device");
  meta.arch = kernel_json::text(root, "arch");
  meta.timer_tick_ns = kernel_json::rate(root, "timer_ns");
  meta.clock_ghz = kernel_json::rate(root, "clock_ghz");
  meta.names = kernel_json::names(root, "names");
  meta.grid = kernel_json::extent(root, "grid");
  meta.threads = kernel_json::extent(root, "threads");
  meta.groups = small("groups");
  meta.selected = kernel_json::numbers(root, "selected");
  meta.block_bytes = kernel_json::number(root, "block_bytes");
  meta.header_words = small("header_words");
  meta.clock_bits = small("clock_bits");
  meta.lane_words = kernel_json::number(root, "lane_words");
  meta.lane_capacity = kernel_json::number(root, "lane_capacity");
  meta.counters = kernel_json::numbers(root, "counters");
  return meta;
}

Result<ProfileMeta> read_profile_meta(const std::string& path) {
  if (path.empty()) return ProfileMeta{};
  Diagnostics of_compression;
  LOCKSTEP_ASSIGN_OR_RETURN(const std::shared_ptr<const io::FileBytes> file,
                            io::FileBytes::open(path, of_compression));
  std::vector<std::byte> kept;
  const std::span<const std::byte> bytes = file->read(0, file->size(), kept);
  LOCKSTEP_RETURN_IF_ERROR(file->status());
  auto meta = parse_profile_meta(bytes);
  if (!meta.ok()) return input_error(path, meta.error().message);
  return meta;
}

void describe(trace::KernelProfile& profile, const ProfileMeta& meta,
              std::span<const std::string> names) {
  profile.device = meta.device;
  profile.arch = meta.arch;
  profile.timer_tick_ns = meta.timer_tick_ns;
  profile.clock_ghz = meta.clock_ghz;
  profile.event_names = names.empty() ? meta.names : std::vector(names.begin(), names.end());
  trace::KernelLaunch launch;
  launch.kernel = meta.kernel;
  launch.grid = meta.grid;
  launch.threads = meta.threads;
  launch.groups = meta.groups;
  profile.launches.push_back(std::move(launch));
}

}  // namespace lockstep::formats::kernel_profile
