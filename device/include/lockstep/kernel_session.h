// lockstep/session.h for C++17: owners in place of create and destroy, exceptions for codes.
//
//   lockstep::KernelSession session;
//   lockstep::ChannelSizes sizes;
//   sizes.blocks = 132;
//   lockstep::KernelChannel channel = session.channel(sizes, "gemm");
//   channel.advance(stream);                          // before every launch that is profiled
//   gemm<<<132, 256, 0, stream>>>(..., channel.pointer());
//   session.collect("gemm.lkp");
//
// Header-only over liblockstep_session.so.
#ifndef LOCKSTEP_KERNEL_SESSION_H
#define LOCKSTEP_KERNEL_SESSION_H

#include <lockstep/session.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace lockstep {

// A call failed; `status` is a lockstep_code.
class SessionError : public std::runtime_error {
 public:
  explicit SessionError(int failed) : std::runtime_error(lockstep_last_error()), status(failed) {}
  int status;
};

// lockstep_channel_config with its defaults.
struct ChannelSizes : lockstep_channel_config {
  ChannelSizes() : lockstep_channel_config() { lockstep_channel_config_init(this); }
};

namespace session_detail {

inline void check(int status) {
  if (status != LOCKSTEP_OK) throw SessionError(status);
}

struct Destroy {
  void operator()(lockstep_session* session) const { lockstep_session_destroy(session); }
  void operator()(lockstep_channel* channel) const { lockstep_channel_destroy(channel); }
};

}  // namespace session_detail

// Belongs to its session, which must outlive it.
class KernelChannel {
 public:
  explicit KernelChannel(lockstep_channel* channel) : channel_(channel) {}

  // What the kernel is given.
  [[nodiscard]] void* pointer() const {
    return reinterpret_cast<void*>(
        static_cast<std::uintptr_t>(lockstep_channel_pointer(channel_.get())));
  }
  void advance(void* stream = nullptr, std::uint32_t flags = LOCKSTEP_ADVANCE_PLAIN) {
    session_detail::check(lockstep_channel_advance(channel_.get(), stream, flags));
  }
  void set_enabled(bool is_enabled) {
    session_detail::check(lockstep_channel_set_enabled(channel_.get(), is_enabled ? 1 : 0));
  }
  lockstep_counts collect(const std::string& path) {
    lockstep_counts counts{};
    session_detail::check(lockstep_channel_collect(channel_.get(), path.c_str(), &counts));
    return counts;
  }

 private:
  std::unique_ptr<lockstep_channel, session_detail::Destroy> channel_;
};

class KernelSession {
 public:
  explicit KernelSession(int device = LOCKSTEP_CURRENT_DEVICE) {
    lockstep_session* session = nullptr;
    session_detail::check(lockstep_session_create(device, &session));
    session_.reset(session);
  }

  [[nodiscard]] lockstep_device device() const {
    lockstep_device device{};
    session_detail::check(lockstep_session_device(session_.get(), &device));
    return device;
  }
  [[nodiscard]] std::uint64_t required_bytes(const ChannelSizes& sizes) const {
    std::uint64_t bytes = 0;
    session_detail::check(lockstep_required_bytes(session_.get(), &sizes, &bytes));
    return bytes;
  }
  // With `buffer`: device memory of the caller, aligned to 16, that outlives the channel.
  KernelChannel channel(const ChannelSizes& sizes, const std::string& kernel = {},
                        void* buffer = nullptr, std::uint64_t buffer_bytes = 0) {
    lockstep_channel* channel = nullptr;
    session_detail::check(lockstep_channel_create(
        session_.get(), &sizes, kernel.c_str(),
        static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(buffer)), buffer_bytes,
        &channel));
    return KernelChannel(channel);
  }
  void name_events(const std::vector<std::string>& names) {
    std::vector<const char*> texts;
    for (const std::string& name : names) texts.push_back(name.c_str());
    session_detail::check(
        lockstep_session_set_event_names(session_.get(), texts.data(), texts.size()));
  }
  lockstep_counts collect(const std::string& path) {
    lockstep_counts counts{};
    session_detail::check(lockstep_session_collect(session_.get(), path.c_str(), &counts));
    return counts;
  }

 private:
  std::unique_ptr<lockstep_session, session_detail::Destroy> session_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_KERNEL_SESSION_H
