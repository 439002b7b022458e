// Plausibility of buffers.
#include "formats/kernel_profile/guess_format.h"

#include <algorithm>

#include "formats/kernel_profile/item_view.h"
#include "formats/kernel_profile/other_tools/ikp_buffer.h"
#include "formats/kernel_profile/other_tools/proton_buffer.h"
#include "formats/kernel_profile/other_tools/strided_lane.h"

namespace lockstep::formats::kernel_profile {
namespace {

// So many items tell as much as all.
constexpr std::size_t kLookedAt = 4096;
constexpr std::uint64_t kMaxGroups = 1024;
constexpr std::uint64_t kMaxMultiprocessors = 1024;

bool is_most(std::size_t part, std::size_t whole) { return whole > 0 && part * 10 >= whole * 9; }

// All of it: lanes end behind their records, far from the first ones.
bool has_finalize(ItemView<std::uint64_t> words) {
  for (std::size_t at = 1; at < words.size(); ++at) {
    if (words[at] != 0 && strided::type_of(words[at]) == strided::kFinalizeType) return true;
  }
  return false;
}

// TVM marks the end of lanes; FlashInfer does not, and its stride is the number of lanes.
std::optional<KernelFormat> strided_format(ItemView<std::uint64_t> words) {
  if (words.size() < 2) return std::nullopt;
  const std::uint64_t blocks = words[0] & 0xFFFF'FFFF;
  const std::uint64_t groups = words[0] >> 32 & 0x3FFF'FFFF;  // above: what was refused
  if (blocks == 0 || groups == 0 || groups > kMaxGroups) return std::nullopt;
  const std::uint64_t lanes = blocks * groups;
  if (lanes >= words.size()) return std::nullopt;
  std::size_t records = 0;
  std::size_t in_range = 0;
  std::size_t at_lane = 0;
  std::size_t at_block = 0;
  for (std::size_t at = 1; at < std::min(words.size(), kLookedAt); ++at) {
    if (words[at] == 0) continue;
    const std::uint64_t field = strided::lane_field(words[at]);
    const std::uint64_t lane = (at - 1) % lanes;
    ++records;
    in_range += field < lanes ? 1 : 0;
    at_lane += field == lane ? 1 : 0;
    at_block += (field & 0xFFF) == (lane / groups & 0xFFF) ? 1 : 0;
  }
  if (is_most(in_range, records)) {
    return is_most(at_lane, records) && !has_finalize(words) ? KernelFormat::kFlashInferOld
                                                             : KernelFormat::kTvm;
  }
  if (is_most(at_block, records)) return KernelFormat::kFlashInfer;
  return std::nullopt;
}

bool looks_like_ikp(ItemView<IkpEvent> events) {
  std::size_t written = 0;
  std::size_t good = 0;
  std::uint64_t first_time = 0;
  for (std::size_t i = 0; i < std::min(events.size(), kLookedAt); ++i) {
    const IkpEvent event = events[i];
    if (event.timer == 0) continue;
    if (written++ == 0) first_time = event.timer;
    // All of one launch: within some 70 minutes.
    good += event.type <= 2 && event.timer >> 42 == first_time >> 42 ? 1 : 0;
  }
  return is_most(good, written);
}

// {timer, multiprocessor, words used, {name | exit, clock}...}: the first name begins.
bool looks_like_mosaic(ItemView<std::uint32_t> words) {
  if (words.size() < 7) return false;
  const std::uint32_t used = words[2];
  return words[0] != 0 && words[1] < kMaxMultiprocessors && used >= 2 && used % 2 == 0 &&
         used <= words.size() - 3 && words[3] < trace::kMaxKernelEvents;
}

}  // namespace

std::optional<KernelFormat> guess_kernel_format(std::span<const std::byte> bytes) {
  if (bytes.size() >= 4 && load<std::uint32_t>(bytes.data()) == kProtonPreamble) {
    return KernelFormat::kProton;
  }
  if (const auto strided = strided_format(ItemView<std::uint64_t>(bytes))) return strided;
  if (looks_like_ikp(ItemView<IkpEvent>(bytes))) return KernelFormat::kIkp;
  if (looks_like_mosaic(ItemView<std::uint32_t>(bytes))) return KernelFormat::kMosaic;
  return std::nullopt;
}

}  // namespace lockstep::formats::kernel_profile
