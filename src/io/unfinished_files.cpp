// Fixed storage and lock-free flags, readable from a signal handler.
#include "io/unfinished_files.h"

#include <unistd.h>

#include <atomic>
#include <cstring>

namespace lockstep {
namespace {

constexpr std::size_t kMaxUnfinished = 16;
constexpr std::size_t kMaxPath = 4096;

struct Slot {
  std::atomic<bool> is_taken{false};  // by one of several threads
  std::atomic<bool> is_named{false};  // the path is whole
  std::array<char, kMaxPath> path{};
};
std::array<Slot, kMaxUnfinished> slots;

}  // namespace

UnfinishedFile::UnfinishedFile(const std::string& path) {
  if (path.size() + 1 > kMaxPath) return;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].is_taken.exchange(true)) continue;
    std::memcpy(slots[i].path.data(), path.c_str(), path.size() + 1);
    slots[i].is_named = true;
    slot_ = i;
    return;
  }
}

UnfinishedFile::~UnfinishedFile() {
  if (!slot_) return;
  slots[*slot_].is_named = false;
  slots[*slot_].is_taken = false;
}

void remove_unfinished_files() {
  // From the last to the first: a folder is entered before its files.
  for (std::size_t i = slots.size(); i-- > 0;) {
    const char* path = slots[i].path.data();
    if (slots[i].is_named && unlink(path) != 0) rmdir(path);
  }
}

SignalsHeld::SignalsHeld() {
  sigset_t held;
  sigemptyset(&held);
  for (const int signal_number : kEndingSignals) sigaddset(&held, signal_number);
  sigaddset(&held, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &held, &before_);
}

SignalsHeld::~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

}  // namespace lockstep
