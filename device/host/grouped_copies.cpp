// Joins neighbouring ranges into reads.
#include "host/grouped_copies.h"

#include <vector>

namespace lockstep::device {
namespace {

// A copy from a device takes about 10 us to start; in that time 25 GB/s move this much.
constexpr std::uint64_t kWorthReading = 256 * 1024;
constexpr std::uint64_t kMostAtOnce = 64 * 1024 * 1024;

}  // namespace

Status copy_grouped(BufferBytes& buffer, std::span<const CopyRange> ranges,
                    const std::function<void(std::size_t, std::span<const std::byte>)>& use) {
  std::vector<std::byte> bytes;
  for (std::size_t first = 0; first < ranges.size();) {
    const std::uint64_t start = ranges[first].offset;
    std::uint64_t end = start + ranges[first].bytes;
    std::size_t last = first + 1;
    while (last < ranges.size() && ranges[last].offset - end <= kWorthReading &&
           ranges[last].offset + ranges[last].bytes - start <= kMostAtOnce) {
      // An empty range must not pull the gap before it into the read.
      if (ranges[last].bytes != 0) end = ranges[last].offset + ranges[last].bytes;
      ++last;
    }
    bytes.resize(end - start);
    if (!bytes.empty()) LOCKSTEP_RETURN_IF_ERROR(buffer.read(start, bytes));
    for (; first < last; ++first) {
      const CopyRange& range = ranges[first];
      use(first, range.bytes == 0 ? std::span<const std::byte>{}
                                  : std::span<const std::byte>(bytes).subspan(range.offset - start,
                                                                              range.bytes));
    }
  }
  return {};
}

}  // namespace lockstep::device
