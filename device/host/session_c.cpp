// The C ABI: every function guards its pointers, turns errors into codes and lets nothing be thrown
// through.
#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "base/shortage.h"
#include "host/perfetto_export.h"
#include "host/session.h"
#include "lockstep/session.h"

struct lockstep_session {
  std::unique_ptr<lockstep::device::Session> session;
  std::vector<std::unique_ptr<lockstep_channel>> channels;
};

struct lockstep_channel {
  lockstep_session* session;
  lockstep::device::Channel* channel;
};

namespace lockstep::device {
namespace {

// Text of a thread, cut where it is too long. It takes no memory: a string would need some even to
// be destroyed with its thread, and glibc ends the program where there is none.
template <std::size_t Size>
class ThreadText {
 public:
  void set(std::string_view text) {
    const std::size_t length = std::min(text.size(), Size - 1);
    std::copy_n(text.begin(), length, bytes_.begin());
    bytes_[length] = '\0';
  }
  [[nodiscard]] const char* c_str() const { return bytes_.data(); }

 private:
  std::array<char, Size> bytes_{};
};

constinit thread_local ThreadText<4096> last_error;
constinit thread_local ThreadText<16384> last_findings;

int fail_for_want_of_memory() {
  last_error.set("this machine has not enough memory");
  return LOCKSTEP_UNUSABLE;
}

int code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage:
      return LOCKSTEP_USAGE;
    case ErrorCode::kInternal:
      return LOCKSTEP_INTERNAL;
    default:
      return LOCKSTEP_UNUSABLE;
  }
}

int fail(const Error& error) {
  last_error.set(error.text());
  return code_of(error.code);
}

int finish(const Status& status) { return status.ok() ? LOCKSTEP_OK : fail(status.error()); }

template <typename Function>
int reporting(Function&& function) {
  try {
    return finish(function());
  } catch (const std::exception& exception) {
    if (shortage_sentence(exception) != nullptr) return fail_for_want_of_memory();
    return fail({ErrorCode::kInternal, exception.what(), {}, {}});
  }
}

// Nothing is thrown into the caller's program, not even where there is no memory for a message.
template <typename Function>
int guarded(Function&& function) noexcept {
  try {
    return reporting(function);
  } catch (...) {
    return fail_for_want_of_memory();
  }
}

Error missing(const char* what) { return usage_error(std::string(what) + " is missing (NULL)"); }

std::string text_or_empty(const char* text) { return text != nullptr ? text : ""; }

std::vector<std::string> copied_names(const char* const* names, std::size_t count) {
  std::vector<std::string> copies;
  for (std::size_t i = 0; names != nullptr && i < count; ++i) {
    copies.push_back(text_or_empty(names[i]));
  }
  return copies;
}

Result<ChannelConfig> config_of(const lockstep_channel_config* given) {
  if (given == nullptr) return missing("the config of the channel");
  if (given->struct_bytes != sizeof(lockstep_channel_config)) {
    return usage_error("the config was not made by lockstep_channel_config_init of this version");
  }
  ChannelConfig config;
  config.blocks = given->blocks;
  config.groups = given->groups;
  config.records = given->records;
  config.has_region_records = given->has_region_records != 0;
  config.launch_slots = given->launch_slots;
  config.anchor_capacity = given->anchor_capacity;
  config.anchor_interval_ns = given->anchor_interval_ns;
  config.selection = static_cast<profile::Selection>(given->selection);
  config.selection_step = given->selection_step;
  if (given->listed_blocks != nullptr) {
    config.listed_blocks.assign(given->listed_blocks, given->listed_blocks + given->listed_count);
  }
  config.multiprocessors = given->multiprocessors;
  return config;
}

lockstep_counts counts_of(const CollectCounts& counts) {
  return {counts.launches,
          counts.lanes,
          counts.records,
          counts.dropped_records,
          counts.overwritten_launches,
          counts.stale_lanes,
          counts.unfinished_lanes,
          counts.lost_leaders,
          counts.mixed_lanes};
}

Status collect(lockstep_session* session, std::span<Channel* const> channels, const char* path,
               lockstep_counts* counts) {
  if (path == nullptr) return missing("the path of the file");
  LOCKSTEP_ASSIGN_OR_RETURN(const CollectCounts found, session->session->collect(path, channels));
  if (counts != nullptr) *counts = counts_of(found);
  return {};
}

template <std::size_t Size>
void copy_text(const std::string& text, char (&into)[Size]) {
  const std::size_t length = std::min(text.size(), Size - 1);
  std::memcpy(into, text.data(), length);
  into[length] = '\0';
}

// A line for each kind that cost data or cannot be.
std::string lines_of(const Diagnostics& findings) {
  std::string lines;
  for (const Diagnostic& finding : findings.entries()) {
    if (finding.kind->severity == Severity::kInfo) continue;
    lines += finding.text() + "\n";
  }
  return lines;
}

formats::kernel_profile::LkpMeta meta_of(const lockstep_meta* given) {
  formats::kernel_profile::LkpMeta meta;
  if (given == nullptr) return meta;
  meta.device = text_or_empty(given->device);
  meta.arch = text_or_empty(given->arch);
  meta.clock_ghz = given->clock_ghz;
  meta.timer_tick_ns = given->timer_tick_ns;
  meta.events = copied_names(given->event_names, given->event_count);
  return meta;
}

}  // namespace
}  // namespace lockstep::device

// The functions of session.h stand in no namespace.
using lockstep::Diagnostics;
using lockstep::Status;
using lockstep::usage_error;
using lockstep::device::AdvanceKind;
using lockstep::device::BufferPlan;
using lockstep::device::Channel;
using lockstep::device::ChannelConfig;
using lockstep::device::collect;
using lockstep::device::collect_from_memory;
using lockstep::device::CollectCounts;
using lockstep::device::config_of;
using lockstep::device::copied_names;
using lockstep::device::CopiedChannel;
using lockstep::device::copy_text;
using lockstep::device::counts_of;
using lockstep::device::DeviceFacts;
using lockstep::device::export_perfetto;
using lockstep::device::guarded;
using lockstep::device::last_error;
using lockstep::device::last_findings;
using lockstep::device::lines_of;
using lockstep::device::meta_of;
using lockstep::device::missing;
using lockstep::device::random_nonce;
using lockstep::device::Session;
using lockstep::device::text_or_empty;
using lockstep::device::UserBuffer;

const char* lockstep_last_error(void) { return last_error.c_str(); }

const char* lockstep_version(void) { return LOCKSTEP_VERSION; }

void lockstep_channel_config_init(lockstep_channel_config* config) {
  if (config == nullptr) return;
  const ChannelConfig defaults;
  *config = {};
  config->struct_bytes = sizeof(*config);
  config->groups = defaults.groups;
  config->records = defaults.records;
  config->launch_slots = defaults.launch_slots;
  config->anchor_capacity = defaults.anchor_capacity;
  config->anchor_interval_ns = defaults.anchor_interval_ns;
  config->selection_step = defaults.selection_step;
}

int lockstep_session_create(int device, lockstep_session** session) {
  return guarded([&]() -> Status {
    if (session == nullptr) return missing("the place of the session");
    LOCKSTEP_ASSIGN_OR_RETURN(std::unique_ptr<Session> opened, Session::open({device}));
    auto created = std::make_unique<lockstep_session>();
    created->session = std::move(opened);
    *session = created.release();
    return {};
  });
}

int lockstep_session_destroy(lockstep_session* session) {
  const std::unique_ptr<lockstep_session> owned(session);
  return guarded([&]() -> Status { return owned ? owned->session->close() : Status(); });
}

int lockstep_session_set_event_names(lockstep_session* session, const char* const* names,
                                     size_t count) {
  return guarded([&]() -> Status {
    if (session == nullptr) return missing("the session");
    session->session->set_event_names(copied_names(names, count));
    return {};
  });
}

int lockstep_session_device(const lockstep_session* session, lockstep_device* device) {
  return guarded([&]() -> Status {
    if (session == nullptr || device == nullptr) return missing("the session or the device");
    const DeviceFacts& facts = session->session->device();
    copy_text(facts.name, device->name);
    copy_text(facts.arch, device->arch);
    device->multiprocessors = facts.multiprocessors;
    device->clock_ghz = facts.clock_ghz;
    device->timer_tick_ns = facts.timer_tick_ns;
    return {};
  });
}

int lockstep_required_bytes(const lockstep_session* session, const lockstep_channel_config* config,
                            uint64_t* bytes) {
  return guarded([&]() -> Status {
    if (bytes == nullptr) return missing("the place of the number");
    LOCKSTEP_ASSIGN_OR_RETURN(const ChannelConfig asked, config_of(config));
    LOCKSTEP_ASSIGN_OR_RETURN(*bytes, session != nullptr ? session->session->required_bytes(asked)
                                                         : required_bytes(asked));
    return {};
  });
}

int lockstep_channel_create(lockstep_session* session, const lockstep_channel_config* config,
                            const char* kernel, uint64_t buffer, uint64_t buffer_bytes,
                            lockstep_channel** channel) {
  return guarded([&]() -> Status {
    if (session == nullptr || channel == nullptr) return missing("the session or the channel");
    LOCKSTEP_ASSIGN_OR_RETURN(const ChannelConfig asked, config_of(config));
    std::optional<UserBuffer> memory;
    if (buffer != 0) memory = UserBuffer{buffer, buffer_bytes};
    LOCKSTEP_ASSIGN_OR_RETURN(Channel* const created, session->session->create_channel(
                                                          asked, text_or_empty(kernel), memory));
    session->channels.push_back(
        std::make_unique<lockstep_channel>(lockstep_channel{session, created}));
    *channel = session->channels.back().get();
    return {};
  });
}

int lockstep_channel_destroy(lockstep_channel* channel) {
  return guarded([&]() -> Status {
    if (channel == nullptr) return {};
    lockstep_session* const session = channel->session;
    const Status status = session->session->remove_channel(channel->channel);
    std::erase_if(session->channels, [&](const auto& known) { return known.get() == channel; });
    return status;
  });
}

uint64_t lockstep_channel_pointer(const lockstep_channel* channel) {
  return channel != nullptr ? channel->channel->pointer() : 0;
}

int lockstep_channel_advance(lockstep_channel* channel, void* stream, uint32_t flags) {
  return guarded([&]() -> Status {
    if (channel == nullptr) return missing("the channel");
    if (flags > LOCKSTEP_ADVANCE_DEPENDENT) return usage_error("there is no such way to advance");
    return channel->channel->advance(stream, flags == LOCKSTEP_ADVANCE_DEPENDENT
                                                 ? AdvanceKind::kDependent
                                                 : AdvanceKind::kPlain);
  });
}

int lockstep_channel_set_enabled(lockstep_channel* channel, int is_enabled) {
  return guarded([&]() -> Status {
    if (channel == nullptr) return missing("the channel");
    return channel->channel->set_enabled(is_enabled != 0);
  });
}

int lockstep_session_collect(lockstep_session* session, const char* path, lockstep_counts* counts) {
  return guarded([&]() -> Status {
    if (session == nullptr) return missing("the session");
    return collect(session, {}, path, counts);
  });
}

int lockstep_channel_collect(lockstep_channel* channel, const char* path, lockstep_counts* counts) {
  return guarded([&]() -> Status {
    if (channel == nullptr) return missing("the channel");
    return collect(channel->session, std::span(&channel->channel, 1), path, counts);
  });
}

int lockstep_first_bytes_size(const lockstep_channel_config* config, uint64_t* bytes) {
  return guarded([&]() -> Status {
    if (bytes == nullptr) return missing("the place of the number");
    LOCKSTEP_ASSIGN_OR_RETURN(const ChannelConfig asked, config_of(config));
    LOCKSTEP_ASSIGN_OR_RETURN(const BufferPlan plan, plan_buffer(asked, 0));
    *bytes = plan.heads_offset;
    return {};
  });
}

int lockstep_first_bytes(const lockstep_channel_config* config, uint64_t address, void* into) {
  return guarded([&]() -> Status {
    if (into == nullptr) return missing("the place of the bytes");
    LOCKSTEP_ASSIGN_OR_RETURN(const ChannelConfig asked, config_of(config));
    LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<std::byte> bytes,
                              first_bytes(asked, address, random_nonce()));
    std::memcpy(into, bytes.data(), bytes.size());
    return {};
  });
}

int lockstep_collect_from_memory(const lockstep_copy* copies, size_t count,
                                 const lockstep_meta* meta, const char* path,
                                 lockstep_counts* counts) {
  return guarded([&]() -> Status {
    if (copies == nullptr || count == 0) return missing("the copy of a buffer");
    if (path == nullptr) return missing("the path of the file");
    std::vector<CopiedChannel> channels;
    for (std::size_t i = 0; i < count; ++i) {
      if (copies[i].bytes == nullptr) return missing("the copy of a buffer");
      channels.push_back({{static_cast<const std::byte*>(copies[i].bytes), copies[i].size},
                          text_or_empty(copies[i].kernel)});
    }
    LOCKSTEP_ASSIGN_OR_RETURN(const CollectCounts found,
                              collect_from_memory(channels, meta_of(meta), path));
    if (counts != nullptr) *counts = counts_of(found);
    return {};
  });
}

int lockstep_export_perfetto(const uint64_t* words, size_t count, const char* path,
                             const char* const* event_names, size_t event_count) {
  last_findings.set({});
  return guarded([&]() -> Status {
    if (words == nullptr) return missing("the buffer");
    if (path == nullptr) return missing("the path of the file");
    Diagnostics findings;
    LOCKSTEP_RETURN_IF_ERROR(export_perfetto(std::as_bytes(std::span(words, count)),
                                             copied_names(event_names, event_count), path,
                                             findings));
    last_findings.set(lines_of(findings));
    return {};
  });
}

const char* lockstep_last_findings(void) { return last_findings.c_str(); }
