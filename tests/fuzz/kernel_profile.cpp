// Any bytes through the decoders of in-kernel profiles: no crash, a profile whose lanes can be read
// and whose parts belong together, and no more records than the bytes have room for.
//
// The first byte chooses the format, the next three are groups, blocks and words of a lane.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "formats/kernel_profile/guess_format.h"
#include "formats/kernel_profile/kernel_profile_formats.h"
#include "formats/kernel_profile/other_tools/ikp_buffer.h"
#include "formats/kernel_profile/other_tools/mosaic_buffer.h"
#include "formats/kernel_profile/other_tools/proton_buffer.h"
#include "fuzz_check.h"

namespace lockstep {
namespace {

constexpr std::size_t kHeadBytes = 4;

Result<trace::KernelProfile> decode(std::span<const std::uint8_t> head,
                                    std::span<const std::byte> bytes, Diagnostics& findings) {
  const auto formats = formats::kernel_profile::all_kernel_formats();
  formats::kernel_profile::KernelDecodeOptions options;
  options.format = formats[head[0] % formats.size()];
  options.groups = head[1];
  options.blocks = head[2];
  if (head[0] >= 128) options.names = {"a", "b"};
  formats::kernel_profile::ProfileMeta meta;
  meta.clock_ghz = head[3] % 4;
  meta.lane_words = head[3];
  meta.lane_capacity = head[3] % 16;
  if (head[3] % 32 == 4) meta.header_words = 4;
  meta.grid = {head[2], head[3] % 5U, 2};
  switch (*options.format) {
    case formats::kernel_profile::KernelFormat::kProton:
      if (!bytes.empty() && bytes.front() == std::byte{'{'}) break;  // its JSON
      return formats::kernel_profile::decode_proton(bytes, options, meta, findings);
    case formats::kernel_profile::KernelFormat::kMosaic:
      return formats::kernel_profile::decode_mosaic(bytes, options, meta, findings);
    case formats::kernel_profile::KernelFormat::kIkp:
      if (head[3] != 0) return formats::kernel_profile::decode_ikp(bytes, options, meta, findings);
      break;
    default:
      break;
  }
  return formats::kernel_profile::decode_kernel_profile(bytes, options, findings);
}

void check_records(const trace::KernelProfile& profile, const trace::KernelLane& lane,
                   trace::RecordScratch& scratch) {
  const auto records = profile.records_of(lane, scratch);
  // A region too long for one record is two.
  LOCKSTEP_FUZZ_CHECK(records.size() == lane.written || records.size() == lane.written + 1);
  for (const trace::KernelRecord& record : records) {
    LOCKSTEP_FUZZ_CHECK(record.event < trace::kMaxKernelEvents);
  }
}

void check_profile(const trace::KernelProfile& profile, std::size_t size) {
  LOCKSTEP_FUZZ_CHECK(profile.records != nullptr && !profile.format.empty());
  std::uint64_t written = 0;
  trace::RecordScratch scratch;
  for (std::size_t i = 0; i < profile.lanes.size(); ++i) {
    const trace::KernelLane& lane = profile.lanes[i];
    LOCKSTEP_FUZZ_CHECK(lane.launch < profile.launches.size());
    LOCKSTEP_FUZZ_CHECK(lane.first_anchor + lane.anchor_count <= profile.anchors.size());
    const auto place = [](const trace::KernelLane& l) {
      return std::tuple(l.launch, l.block, l.group);
    };
    LOCKSTEP_FUZZ_CHECK(i == 0 || place(profile.lanes[i - 1]) <= place(lane));
    std::int64_t clock = INT64_MIN;
    for (const trace::KernelAnchor& anchor : profile.anchors_of(lane)) {
      LOCKSTEP_FUZZ_CHECK(anchor.clock_before <= anchor.clock_after &&
                          anchor.clock_before >= clock);
      clock = anchor.clock_before;
    }
    written += lane.written;
    check_records(profile, lane, scratch);
  }
  // The smallest record is 8 bytes; one of JSON, or an empty slot between two, is not smaller.
  LOCKSTEP_FUZZ_CHECK(written <= size / 4);
  LOCKSTEP_FUZZ_CHECK(profile.lanes.size() <= size);
}

}  // namespace
}  // namespace lockstep

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  if (size < kHeadBytes) return 0;
  const std::span<const std::byte> bytes =
      std::as_bytes(std::span(data + kHeadBytes, size - kHeadBytes));
  (void)formats::kernel_profile::guess_kernel_format(bytes);
  Diagnostics findings;
  const auto profile = decode({data, kHeadBytes}, bytes, findings);
  if (profile.ok()) {
    check_profile(profile.value(), bytes.size());
  } else {
    LOCKSTEP_FUZZ_CHECK(!profile.error().message.empty());
  }
  return 0;
}
