// Names of the fields of TracePacket that hold data.
#include "formats/perfetto/wire/packet_parts.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace lockstep::formats::perfetto {
namespace {

constexpr std::size_t kMaxKinds = 200;
constexpr std::uint32_t kOthers = 0;

constexpr std::array<std::pair<std::uint32_t, std::string_view>, 28> kNames = {{
    {1, "ftrace_events"},
    {4, "inode_file_map"},
    {5, "chrome_events"},
    {7, "sys_stats"},
    {9, "process_stats"},
    {37, "profile_packet"},
    {38, "battery"},
    {39, "android_log"},
    {40, "power_rails"},
    {47, "packages_list"},
    {48, "cpu_info"},
    {49, "streaming_allocation"},
    {51, "chrome_metadata"},
    {52, "gpu_counter_event"},
    {54, "streaming_profile_packet"},
    {55, "module_symbols"},
    {56, "heap_graph"},
    {57, "graphics_frame_event"},
    {62, "vulkan_memory_event"},
    {63, "gpu_log"},
    {64, "vulkan_api_event"},
    {66, "perf_sample"},
    {67, "cpu_info"},
    {68, "smaps_packet"},
    {70, "initial_display_state"},
    {71, "gpu_mem_total_event"},
    {74, "streaming_free"},
    {kOthers, "other kinds"},
}};

// Of no use to anybody who asks what a device did.
constexpr std::array<std::uint32_t, 19> kBookkeeping = {3,  33, 34, 35, 36,  45, 46, 69, 79, 89,
                                                        94, 95, 96, 98, 107, 61, 82, 84, 92};

}  // namespace

void UnusedPackets::note(std::uint32_t field) {
  if (std::ranges::find(kBookkeeping, field) != kBookkeeping.end()) return;
  const bool is_known = counts_.contains(field) || counts_.size() < kMaxKinds;
  ++counts_[is_known ? field : kOthers];
}

void UnusedPackets::add_parts(trace::Rank& rank) const {
  for (const auto& [field, count] : counts_) {
    const auto known =
        std::ranges::find(kNames, field, &std::pair<std::uint32_t, std::string_view>::first);
    const std::string name =
        known != kNames.end() ? std::string(known->second) : "field " + std::to_string(field);
    rank.parts.push_back(
        {trace::SourcePart::Use::kUnused, name, count, "packets of this kind are not read"});
  }
}

}  // namespace lockstep::formats::perfetto
