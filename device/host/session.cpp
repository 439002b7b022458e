// The session over the CUDA driver.
#include "host/session.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "host/collect.h"
#include "host/cuda_driver.h"
#include "host/device_memory.h"
#include "host/embedded_ptx.h"

namespace lockstep::device {
namespace {

constexpr int kDependentCapability = 90;  // the first with programmatic dependent launches

// The kernels of advance.cu, loaded into a context.
class AdvanceKernels {
 public:
  explicit AdvanceKernels(const CudaWorkplace& place) : place_(place), ptx_(place) {}

  Status load() {
    const bool has_dependent = place_.capability() >= kDependentCapability;
    LOCKSTEP_RETURN_IF_ERROR(ptx_.load(has_dependent ? kAdvanceSm90Ptx : kAdvanceSm80Ptx,
                                       "loading the session's kernels"));
    LOCKSTEP_ASSIGN_OR_RETURN(plain_, ptx_.function("lockstep_advance"));
    LOCKSTEP_ASSIGN_OR_RETURN(facts_, ptx_.function("lockstep_device_facts"));
    if (has_dependent) {
      LOCKSTEP_ASSIGN_OR_RETURN(dependent_, ptx_.function("lockstep_advance_dependent"));
    }
    return {};
  }

  Status advance(CudaAddress control, CudaStream stream, AdvanceKind kind) const {
    if (kind == AdvanceKind::kDependent) return advance_dependent(control, stream);
    return launch(plain_, control, stream, "advancing the launch number");
  }

  Status measure(CudaAddress facts) const {
    return launch(facts_, facts, nullptr, "measuring the device's timer");
  }

  Status unload() { return ptx_.unload(); }

 private:
  Status launch(CudaFunction function, CudaAddress argument, CudaStream stream,
                const char* what) const {
    std::array<void*, 1> arguments = {&argument};
    return place_.driver().check(place_.driver()->cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0,
                                                                 stream, arguments.data(), nullptr),
                                 "cuLaunchKernel", what);
  }

  Status advance_dependent(CudaAddress control, CudaStream stream) const {
    if (dependent_ == nullptr || place_.driver()->cuLaunchKernelEx == nullptr) {
      return usage_error("programmatic dependent launches need compute capability 9.0",
                         "Advance the channel plainly");
    }
    CudaLaunchAttribute attribute{};
    attribute.id = kCudaProgrammaticStreamSerialization;
    attribute.value.programmatic_stream_serialization = 1;
    const CudaLaunchConfig config = {{1, 1, 1}, {1, 1, 1}, 0, stream, &attribute, 1};
    std::array<void*, 1> arguments = {&control};
    return place_.driver().check(
        place_.driver()->cuLaunchKernelEx(&config, dependent_, arguments.data(), nullptr),
        "cuLaunchKernelEx", "advancing the launch number");
  }

  const CudaWorkplace& place_;
  LoadedPtx ptx_;
  CudaFunction plain_ = nullptr;
  CudaFunction dependent_ = nullptr;
  CudaFunction facts_ = nullptr;
};

class DeviceBytes final : public BufferBytes {
 public:
  DeviceBytes(const CudaDriver& driver, UserBuffer buffer) : driver_(driver), buffer_(buffer) {}
  [[nodiscard]] std::uint64_t size() const override { return buffer_.bytes; }
  [[nodiscard]] Status read(std::uint64_t offset, std::span<std::byte> into) override {
    return copy_from_device(driver_, buffer_.address + offset, into,
                            "copying records from the device");
  }

 private:
  const CudaDriver& driver_;
  UserBuffer buffer_;
};

class CudaChannel final : public Channel {
 public:
  CudaChannel(const CudaWorkplace& place, const AdvanceKernels& kernels, std::string kernel)
      : place_(place), kernels_(kernels), kernel_(std::move(kernel)), own_(place) {}

  Status prepare(const ChannelConfig& config, std::optional<UserBuffer> buffer) {
    LOCKSTEP_ASSIGN_OR_RETURN(const std::uint64_t needed, lockstep::device::required_bytes(config));
    if (!buffer) {
      LOCKSTEP_RETURN_IF_ERROR(own_.allocate(needed, kForRecords));
      buffer = UserBuffer{own_.address(), needed};
    }
    buffer_ = *buffer;
    LOCKSTEP_ASSIGN_OR_RETURN(const BufferPlan plan, plan_buffer(config, buffer_.address));
    if (buffer_.bytes < plan.total_bytes) {
      return usage_error(
          fmt::format("a buffer of {} bytes is too small; {} are enough", buffer_.bytes, needed));
    }
    LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<std::byte> bytes,
                              first_bytes(config, buffer_.address, random_nonce()));
    return copy_to_device(place_.driver(), buffer_.address, bytes, "preparing a channel");
  }

  [[nodiscard]] std::uint64_t pointer() const override { return buffer_.address; }
  [[nodiscard]] Status advance(void* stream, AdvanceKind kind) override {
    return in_context(place_, [&] {
      return kernels_.advance(buffer_.address, static_cast<CudaStream>(stream), kind);
    });
  }
  [[nodiscard]] Status set_enabled(bool is_enabled) override {
    const profile::u32 value = is_enabled ? 1 : 0;
    return in_context(place_, [&] {
      return copy_to_device(place_.driver(), buffer_.address + offsetof(profile::Control, enabled),
                            std::as_bytes(std::span(&value, 1)), "switching a channel");
    });
  }
  [[nodiscard]] Status release() { return own_.free(); }

  [[nodiscard]] UserBuffer buffer() const { return buffer_; }
  [[nodiscard]] const std::string& kernel() const { return kernel_; }

 private:
  const CudaWorkplace& place_;
  const AdvanceKernels& kernels_;
  std::string kernel_;
  DeviceMemory own_;
  UserBuffer buffer_;
};

class CudaSession final : public Session {
 public:
  explicit CudaSession(CudaWorkplace place) : place_(std::move(place)), kernels_(place_) {}

  Status prepare() {
    return in_context(place_, [&]() -> Status {
      LOCKSTEP_RETURN_IF_ERROR(kernels_.load());
      return find_facts();
    });
  }

  [[nodiscard]] const DeviceFacts& device() const override { return device_; }

  [[nodiscard]] Result<std::uint64_t> required_bytes(const ChannelConfig& config) const override {
    return lockstep::device::required_bytes(completed(config));
  }

  [[nodiscard]] Result<Channel*> create_channel(const ChannelConfig& config, std::string kernel,
                                                std::optional<UserBuffer> buffer) override {
    auto channel = std::make_unique<CudaChannel>(place_, kernels_, std::move(kernel));
    LOCKSTEP_RETURN_IF_ERROR(
        in_context(place_, [&] { return channel->prepare(completed(config), buffer); }));
    channels_.push_back(std::move(channel));
    return channels_.back().get();
  }

  [[nodiscard]] Status remove_channel(Channel* channel) override {
    const auto known = std::ranges::find(channels_, channel,
                                         [](const auto& one) -> Channel* { return one.get(); });
    if (known == channels_.end()) return {};
    const Status status = (*known)->release();
    channels_.erase(known);
    return status;
  }

  void set_event_names(std::vector<std::string> names) override { event_names_ = std::move(names); }

  [[nodiscard]] Result<CollectCounts> collect(const std::string& path,
                                              std::span<Channel* const> channels) override {
    formats::kernel_profile::LkpMeta meta;
    meta.device = device_.name;
    meta.arch = device_.arch;
    meta.timer_tick_ns = device_.timer_tick_ns;
    meta.clock_ghz = device_.clock_ghz;
    meta.events = event_names_;
    CollectedLanes collected;
    LOCKSTEP_RETURN_IF_ERROR(
        in_context(place_, [&] { return copy_channels(channels, meta, collected); }));
    LOCKSTEP_RETURN_IF_ERROR(write_collected(collected, std::move(meta), path));
    return collected.counts;
  }

  [[nodiscard]] Status close() override {
    Status first;
    const auto keep = [&](const Status& status) {
      if (first.ok()) first = status;
    };
    for (const auto& channel : channels_) keep(channel->release());
    channels_.clear();
    keep(kernels_.unload());
    keep(place_.release());
    return first;
  }

 private:
  Status find_facts() {
    DeviceMemory memory(place_);
    std::array<profile::u64, 2> measured{};
    LOCKSTEP_RETURN_IF_ERROR(memory.allocate(sizeof(measured), "measuring its timer"));
    LOCKSTEP_RETURN_IF_ERROR(kernels_.measure(memory.address()));
    LOCKSTEP_RETURN_IF_ERROR(copy_from_device(place_.driver(), memory.address(),
                                              std::as_writable_bytes(std::span(measured)),
                                              "measuring the device's timer"));
    LOCKSTEP_ASSIGN_OR_RETURN(device_.name, place_.device_name());
    LOCKSTEP_ASSIGN_OR_RETURN(const int clock_khz, place_.attribute(kCudaClockRate));
    device_.arch = place_.arch();
    device_.clock_ghz = clock_khz / 1e6;
    device_.timer_tick_ns = static_cast<double>(measured[0]);
    device_.multiprocessors = static_cast<std::uint32_t>(measured[1]);
    return memory.free();
  }

  // Waits for the device first. No channels: all of them.
  Status copy_channels(std::span<Channel* const> channels, formats::kernel_profile::LkpMeta& meta,
                       CollectedLanes& collected) const {
    LOCKSTEP_RETURN_IF_ERROR(place_.driver().check(place_.driver()->cuCtxSynchronize(),
                                                   "cuCtxSynchronize", "waiting for the device"));
    for (std::size_t i = 0; i < channels_.size(); ++i) {
      const CudaChannel& channel = *channels_[i];
      if (!channels.empty() && std::ranges::find(channels, &channel) == channels.end()) continue;
      DeviceBytes bytes(place_.driver(), channel.buffer());
      LOCKSTEP_RETURN_IF_ERROR(collect_channel(bytes, static_cast<std::uint32_t>(i),
                                               kernel_index(meta, channel.kernel()), collected));
    }
    return {};
  }

  [[nodiscard]] ChannelConfig completed(ChannelConfig config) const {
    if (config.multiprocessors == 0) config.multiprocessors = device_.multiprocessors;
    return config;
  }

  CudaWorkplace place_;
  AdvanceKernels kernels_;
  DeviceFacts device_;
  std::vector<std::string> event_names_;
  std::vector<std::unique_ptr<CudaChannel>> channels_;
};

}  // namespace

Result<std::unique_ptr<Session>> Session::open(const SessionOptions& options) {
  LOCKSTEP_ASSIGN_OR_RETURN(const CudaDriver driver, CudaDriver::load());
  LOCKSTEP_ASSIGN_OR_RETURN(CudaWorkplace place, CudaWorkplace::open(driver, options.device));
  auto session = std::make_unique<CudaSession>(std::move(place));
  LOCKSTEP_RETURN_IF_ERROR(session->prepare());
  return std::unique_ptr<Session>(std::move(session));
}

}  // namespace lockstep::device
