// The buffers of TVM's CudaProfiler and of FlashInfer: slot 0 the header, then the records of lane
// i at 1 + i, 1 + i + lanes, 1 + i + 2 * lanes, ...
#include <cstring>
#include <map>

#include "sim_writers.h"

namespace lockstep::sim {
namespace {

enum class Tag { kTvm, kFlashInfer, kFlashInferOld };

constexpr std::uint64_t kFinalizeType = 3;

std::uint64_t type_bits(trace::RecordType type) {
  switch (type) {
    case trace::RecordType::kEnd:
      return 1;
    case trace::RecordType::kInstant:
      return 2;
    default:
      return 0;
  }
}

std::uint64_t tag_of(Tag tag, const TrueLane& lane, std::uint64_t lane_number) {
  if (tag == Tag::kFlashInfer) return std::uint64_t{lane.sm} << 24 | lane.block << 12;
  return lane_number << 12;
}

class StridedBuffer {
 public:
  StridedBuffer(const TrueExecution& execution, Tag tag)
      : execution_(execution),
        tag_(tag),
        lanes_(std::size_t{execution.options.blocks} * execution.options.groups) {
    store(0, std::uint64_t{execution.options.groups} << 32 | execution.options.blocks);
  }

  void add(std::size_t true_lane) {
    const TrueLane& lane = execution_.lanes[true_lane];
    const std::uint64_t number = lane.block * execution_.options.groups + lane.group;
    std::size_t slot = 1 + number;
    const std::uint64_t tag = tag_of(tag_, lane, number);
    std::map<std::size_t, TrueMarker> left;  // by slot: an instant of FlashInfer is overwritten
    for (const TrueMarker& marker : lane.markers) {
      store(slot, time_bits(marker.at_ps) | tag | std::uint64_t{marker.event} << 2 |
                      type_bits(marker.type));
      left[slot] = marker;
      if (marker.type != trace::RecordType::kInstant || tag_ == Tag::kTvm) slot += lanes_;
    }
    if (tag_ == Tag::kTvm && lane.is_finalized) {
      store(slot, time_bits(lane.end_ps) | tag | kFinalizeType);
    }
    ExpectedLane expected{.true_lane = true_lane, .seen = left.size(), .markers = {}};
    for (const auto& [at, marker] : left) expected.markers.push_back(marker);
    file_.lanes.push_back(std::move(expected));
  }

  SimFile finish(std::string format) {
    file_.format = std::move(format);
    file_.bytes.resize(slots_.size() * sizeof(std::uint64_t));
    std::memcpy(file_.bytes.data(), slots_.data(), file_.bytes.size());
    return std::move(file_);
  }

 private:
  void store(std::size_t slot, std::uint64_t value) {
    if (slot >= slots_.size()) slots_.resize((slot / lanes_ + 1) * lanes_ + 1);
    slots_[slot] = value;
  }
  [[nodiscard]] std::uint64_t time_bits(std::int64_t at_ps) const {
    return static_cast<std::uint64_t>(execution_.timer.read_ns(at_ps)) << 32;
  }

  const TrueExecution& execution_;
  Tag tag_;
  std::size_t lanes_;
  std::vector<std::uint64_t> slots_;
  SimFile file_;
};

SimFile write_strided(const TrueExecution& execution, Tag tag, std::string format) {
  StridedBuffer buffer(execution, tag);
  for (std::size_t i = 0; i < execution.lanes.size(); ++i) {
    if (execution.lanes[i].launch == 0) buffer.add(i);
  }
  return buffer.finish(std::move(format));
}

}  // namespace

SimFile write_tvm(const TrueExecution& execution) {
  return write_strided(execution, Tag::kTvm, "tvm");
}
SimFile write_flashinfer(const TrueExecution& execution) {
  return write_strided(execution, Tag::kFlashInfer, "flashinfer");
}
SimFile write_flashinfer_old(const TrueExecution& execution) {
  return write_strided(execution, Tag::kFlashInferOld, "flashinfer-old");
}

}  // namespace lockstep::sim
