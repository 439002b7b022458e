// One sweep over the kernels that remembers the latest end of each sort.
#include "analysis/anomalies/timeline/kernel_gaps.h"

#include <algorithm>

namespace lockstep::analysis::anomalies {
namespace {

// The latest end so far of kernels of one sort.
class LatestEnd {
 public:
  [[nodiscard]] Time gap_before(Time start) const {
    return has_any_ && start > end_ ? start - end_ : Time{};
  }
  void add(Time end) {
    end_ = has_any_ ? std::max(end_, end) : end;
    has_any_ = true;
  }

 private:
  Time end_;
  bool has_any_ = false;
};

}  // namespace

std::vector<KernelGaps> kernel_gaps(const DeviceTimeline& timeline) {
  std::size_t tracks = 0;
  for (const DeviceWork& kernel : timeline.kernels) {
    tracks = std::max(tracks, trace::index_of(kernel.track) + 1);
  }
  LatestEnd device;
  LatestEnd computing;
  std::vector<LatestEnd> streams(tracks);
  std::vector<KernelGaps> gaps;
  gaps.reserve(timeline.kernels.size());
  for (const DeviceWork& kernel : timeline.kernels) {
    LatestEnd& stream = streams[trace::index_of(kernel.track)];
    gaps.push_back({device.gap_before(kernel.start), stream.gap_before(kernel.start),
                    computing.gap_before(kernel.start)});
    device.add(kernel.end);
    stream.add(kernel.end);
    if (kernel.kind != trace::Kind::kCommunication) computing.add(kernel.end);
  }
  return gaps;
}

}  // namespace lockstep::analysis::anomalies
