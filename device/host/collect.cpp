// Collection from copies, and the file that every collection ends in.
#include "host/collect.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string_view>
#include <utility>

#include "host/output.h"
#include "host/session.h"

namespace lockstep::device {
namespace {

constexpr std::uint32_t kNoKernel = 0xFFFF'FFFF;

bool is_amd(const formats::kernel_profile::LkpMeta& meta) { return meta.arch.starts_with("gfx"); }

// Of AMD's steady counter, where the caller does not say.
double usual_step_ns(std::string_view arch) {
  constexpr double kVega = 1000.0 / 27;
  constexpr std::array<std::pair<std::string_view, double>, 6> kOthers = {{{"gfx900", kVega},
                                                                           {"gfx904", kVega},
                                                                           {"gfx906", kVega},
                                                                           {"gfx908", 40},
                                                                           {"gfx909", kVega},
                                                                           {"gfx90a", 40}}};
  for (const auto& [target, step] : kOthers) {
    if (arch.starts_with(target)) return step;
  }
  return 10;
}

// NVIDIA's timer counts ns, AMD's steps; in the file they are ns.
void count_timers_in_ns(formats::kernel_profile::LkpMeta& meta, CollectedLanes& collected) {
  if (!is_amd(meta)) return;
  if (meta.timer_tick_ns <= 0) meta.timer_tick_ns = usual_step_ns(meta.arch);
  for (formats::kernel_profile::lkp::Anchor& anchor : collected.anchors) {
    anchor.timer = static_cast<std::uint64_t>(
        std::llround(static_cast<long double>(anchor.timer) * meta.timer_tick_ns));
  }
}

}  // namespace

std::uint32_t kernel_index(formats::kernel_profile::LkpMeta& meta, const std::string& kernel) {
  if (kernel.empty()) return kNoKernel;
  const auto known = std::ranges::find(meta.kernels, kernel);
  const auto index = static_cast<std::uint32_t>(known - meta.kernels.begin());
  if (known == meta.kernels.end()) meta.kernels.push_back(kernel);
  return index;
}

Status write_collected(const CollectedLanes& collected, formats::kernel_profile::LkpMeta meta,
                       const std::string& path) {
  if (meta.producer.empty()) meta.producer = "lockstep " LOCKSTEP_VERSION;
  formats::kernel_profile::LkpContents contents;
  const CollectCounts& counts = collected.counts;
  meta.losses = {.overwritten_launches = counts.overwritten_launches,
                 .stale_lanes = counts.stale_lanes,
                 .lost_leaders = counts.lost_leaders,
                 .mixed_lanes = counts.mixed_lanes};
  contents.meta = std::move(meta);
  contents.launches = collected.launches;
  contents.lanes = collected.lanes;
  contents.anchors = collected.anchors;
  contents.records = collected.records;
  contents.regions = collected.regions;
  LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<io::ByteSink> sink, open_host_output(path));
  LOCKSTEP_RETURN_IF_ERROR(formats::kernel_profile::write_lkp(contents, *sink));
  return sink->close();
}

Result<CollectCounts> collect_from_memory(std::span<const CopiedChannel> channels,
                                          formats::kernel_profile::LkpMeta meta,
                                          const std::string& path) {
  CollectedLanes collected;
  meta.kernels.clear();
  for (std::size_t i = 0; i < channels.size(); ++i) {
    BytesAtHand bytes(channels[i].bytes);
    LOCKSTEP_RETURN_IF_ERROR(collect_channel(bytes, static_cast<std::uint32_t>(i),
                                             kernel_index(meta, channels[i].kernel), collected));
  }
  count_timers_in_ns(meta, collected);
  LOCKSTEP_RETURN_IF_ERROR(write_collected(collected, std::move(meta), path));
  return collected.counts;
}

}  // namespace lockstep::device
