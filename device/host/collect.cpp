// Collection from copies, and the file that every collection ends in.
#include "host/collect.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "host/session.h"
#include "io/byte_sink.h"

namespace lockstep {
namespace {

constexpr std::uint32_t kNoKernel = 0xFFFF'FFFF;

}  // namespace

std::uint32_t kernel_index(LkpMeta& meta, const std::string& kernel) {
  if (kernel.empty()) return kNoKernel;
  const auto known = std::ranges::find(meta.kernels, kernel);
  const auto index = static_cast<std::uint32_t>(known - meta.kernels.begin());
  if (known == meta.kernels.end()) meta.kernels.push_back(kernel);
  return index;
}

Status write_collected(const CollectedLanes& collected, LkpMeta meta, const std::string& path) {
  if (meta.producer.empty()) meta.producer = "lockstep " LOCKSTEP_VERSION;
  LkpContents contents;
  contents.meta = std::move(meta);
  contents.launches = collected.launches;
  contents.lanes = collected.lanes;
  contents.anchors = collected.anchors;
  contents.records = collected.records;
  contents.regions = collected.regions;
  LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<ByteSink> sink, open_output(path));
  LOCKSTEP_RETURN_IF_ERROR(write_lkp(contents, *sink));
  return sink->close();
}

Result<CollectCounts> collect_from_memory(std::span<const CopiedChannel> channels, LkpMeta meta,
                                          const std::string& path) {
  CollectedLanes collected;
  meta.kernels.clear();
  for (std::size_t i = 0; i < channels.size(); ++i) {
    BytesAtHand bytes(channels[i].bytes);
    LOCKSTEP_RETURN_IF_ERROR(collect_channel(bytes, static_cast<std::uint32_t>(i),
                                             kernel_index(meta, channels[i].kernel), collected));
  }
  LOCKSTEP_RETURN_IF_ERROR(write_collected(collected, std::move(meta), path));
  return collected.counts;
}

}  // namespace lockstep
