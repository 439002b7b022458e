// A session of in-kernel profiling: buffers for the markers of kernels, the numbers of their
// launches, and the .lkp file that comes of them.
//
//   auto session = Session::open({}).value();
//   Channel* channel = session->create_channel({.blocks = 132, .groups = 2}, "gemm").value();
//   channel->advance(stream);                  // before every launch that is profiled
//   gemm<<<132, 256, 0, stream>>>(..., channel->pointer());
//   session->collect("gemm.lkp");
//
// The C ABI of the same is lockstep/session.h. A channel is for launches that never overlap each
// other; kernels that run at the same time (two streams, a programmatic dependent chain) have one
// each. Not thread-safe, advance() on different channels excepted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "formats/kernel_profile/lkp/lkp_writer.h"
#include "host/channel_config.h"
#include "host/channel_reader.h"

namespace lockstep::device {

struct SessionOptions {
  int device = -1;  // ordinal; -1: that of the current CUDA context, or the first
};

struct DeviceFacts {
  std::string name;
  std::string arch;                   // "sm_90"
  std::uint32_t multiprocessors = 0;  // ids of multiprocessors are below it
  double clock_ghz = 0;               // nominal
  double timer_tick_ns = 0;           // as measured
};

// Memory that the caller owns: a tensor's. It must outlive the channel.
struct UserBuffer {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

enum class AdvanceKind : std::uint8_t {
  kPlain,
  // For a channel in a programmatic dependent chain (compute capability 9.0 and later): lets the
  // kernel behind start at once, and changes the number when the kernel ahead has ended. The
  // profiled kernel has OverlappedPolicy, and calls finalize() after its own griddepcontrol.wait.
  kDependent,
};

class Channel {
 public:
  virtual ~Channel() = default;
  // What the kernel is given.
  [[nodiscard]] virtual std::uint64_t pointer() const = 0;
  // Gives the next launch on `stream` (a CUstream or cudaStream_t; null: the default stream) the
  // next number. A launch of one thread: it can be captured into a graph, and then counts replays.
  [[nodiscard]] virtual Status advance(void* stream, AdvanceKind kind = AdvanceKind::kPlain) = 0;
  // Off: markers find no lane and write nothing. Takes effect on launches that start afterwards.
  [[nodiscard]] virtual Status set_enabled(bool is_enabled) = 0;
};

class Session {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Session>> open(const SessionOptions& options);
  virtual ~Session() = default;

  [[nodiscard]] virtual const DeviceFacts& device() const = 0;
  // The number of multiprocessors is filled in where it is 0.
  [[nodiscard]] virtual Result<std::uint64_t> required_bytes(const ChannelConfig& config) const = 0;
  // The channel belongs to the session. Without a buffer it allocates its own. `kernel` is the name
  // that its launches have in the file; may be empty.
  [[nodiscard]] virtual Result<Channel*> create_channel(
      const ChannelConfig& config, std::string kernel,
      std::optional<UserBuffer> buffer = std::nullopt) = 0;
  // No kernel may use it any more. It is gone also where the driver fails to free its memory.
  [[nodiscard]] virtual Status remove_channel(Channel* channel) = 0;
  virtual void set_event_names(std::vector<std::string> names) = 0;  // by event

  // Waits for the device, copies what was recorded and writes it. No channels: all of them.
  [[nodiscard]] virtual Result<CollectCounts> collect(const std::string& path,
                                                      std::span<Channel* const> channels = {}) = 0;

  // Gives back everything that the device has of it, all channels too; nothing else may be called
  // afterwards. The destructor does it in silence. The first error, if the driver has one.
  [[nodiscard]] virtual Status close() = 0;
};

// A buffer that the caller copied from the device, whole.
struct CopiedChannel {
  std::span<const std::byte> bytes;
  std::string kernel;
};

// The same as collect() for copies; needs no driver. `meta` may say what the device was; its
// kernels are taken from the copies.
[[nodiscard]] Result<CollectCounts> collect_from_memory(std::span<const CopiedChannel> channels,
                                                        formats::kernel_profile::LkpMeta meta,
                                                        const std::string& path);

}  // namespace lockstep::device
