// A channel for measurements: what the session library does, by the CUDA runtime and no more.
#pragma once

#include <cuda_runtime.h>
#include <lockstep/kernel_profiler.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call)                                                      \
  do {                                                                   \
    const cudaError_t check_error = (call);                              \
    if (check_error != cudaSuccess) {                                    \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                   cudaGetErrorString(check_error));                     \
      std::exit(1);                                                      \
    }                                                                    \
  } while (false)

namespace bench {

using namespace lockstep::profile;

// "static": every program that includes this has a kernel of its own.
static __global__ void advance_launch(Control* control) {
  control->launch += 1;
  __threadfence();
}

struct Sizes {
  u32 lanes = 1;  // selected blocks x groups
  u32 groups = 1;
  u32 lane_bytes = 1024;
  u32 launch_slots = 1;
  u32 anchor_capacity = 0;
  u32 anchor_interval = 0;
};

class Channel {
 public:
  explicit Channel(const Sizes& sizes) : sizes_(sizes) {
    const u64 heads = u64{sizes.lanes} * sizes.launch_slots;
    Control control{};
    control.magic = kMagic;
    control.version = kVersion;
    control.session = 0x5e55;
    control.launch_slots = sizes.launch_slots;
    control.enabled = 1;
    control.lanes = sizes.lanes;
    control.groups = sizes.groups;
    control.lane_bytes = sizes.lane_bytes;
    control.anchor_capacity = sizes.anchor_capacity;
    control.anchor_interval = sizes.anchor_interval;
    control.heads_offset = 4096;
    control.anchors_offset = round_up(4096 + heads * sizeof(LaneHead), 256);
    const u64 after = control.anchors_offset + heads * sizes.anchor_capacity * sizeof(Anchor);
    bytes_ = after + (heads + 2) * sizes.lane_bytes;
    CHECK(cudaMalloc(&memory_, bytes_));
    CHECK(cudaMemset(memory_, 0xA5, bytes_));  // canaries; nothing needs zeroing
    const u64 base = reinterpret_cast<u64>(memory_);
    control.records_offset = round_up(base + after, sizes.lane_bytes) - base;
    CHECK(cudaMemcpy(memory_, &control, sizeof control, cudaMemcpyHostToDevice));
    control_ = control;
  }
  ~Channel() { cudaFree(memory_); }
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  void* pointer() const { return memory_; }
  void advance(cudaStream_t stream = nullptr) {
    advance_launch<<<1, 1, 0, stream>>>(static_cast<Control*>(memory_));
  }

  void download() {
    CHECK(cudaDeviceSynchronize());
    host_.resize(bytes_);
    CHECK(cudaMemcpy(host_.data(), memory_, bytes_, cudaMemcpyDeviceToHost));
    std::memcpy(&control_, host_.data(), sizeof control_);
  }
  const Control& control() const { return control_; }
  LaneHead head(u32 lane, u32 slot = 0) const {
    LaneHead head;
    std::memcpy(&head, host_.data() + control_.heads_offset + index(lane, slot) * sizeof head,
                sizeof head);
    return head;
  }
  const unsigned char* records(u32 lane, u32 slot = 0) const {
    return host_.data() + control_.records_offset + index(lane, slot) * sizes_.lane_bytes;
  }
  const Anchor* anchors(u32 lane, u32 slot = 0) const {
    return reinterpret_cast<const Anchor*>(host_.data() + control_.anchors_offset +
                                           index(lane, slot) * sizes_.anchor_capacity *
                                               sizeof(Anchor));
  }
  // Whether what lies around the records was left alone.
  bool canaries_hold() const {
    const u64 first = control_.records_offset;
    const u64 last = first + u64{sizes_.lanes} * sizes_.launch_slots * sizes_.lane_bytes;
    for (u64 i = first - 64; i < first; ++i) {
      if (host_[i] != 0xA5 && sizes_.anchor_capacity == 0) return false;
    }
    for (u64 i = last; i < bytes_; ++i) {
      if (host_[i] != 0xA5) return false;
    }
    return true;
  }

 private:
  static u64 round_up(u64 value, u64 to) { return (value + to - 1) / to * to; }
  u64 index(u32 lane, u32 slot) const { return u64{slot} * sizes_.lanes + lane; }

  Sizes sizes_;
  Control control_{};
  void* memory_ = nullptr;
  u64 bytes_ = 0;
  std::vector<unsigned char> host_;
};

}  // namespace bench
