// A list that only grows, readable from a signal handler.
#include "io/unfinished_files.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace lockstep::io {

// One name. Slots are used again and never freed: the handler may be looking at them.
struct UnfinishedSlot {
  enum class State { kFree, kTaken, kNoted };
  std::atomic<State> state{State::kTaken};
  UnfinishedFile::Kind kind{};
  std::array<char, PATH_MAX> path{};
  UnfinishedSlot* next = nullptr;
};

namespace {

using State = UnfinishedSlot::State;

std::atomic<UnfinishedSlot*> first_slot{nullptr};

// What getdents64 fills in (see its manual page).
struct FolderEntry {
  std::uint64_t inode;
  std::int64_t next;
  std::uint16_t bytes;
  std::uint8_t type;
  char name[1];
};

void remove_files_of(int folder) {
  alignas(FolderEntry) std::array<char, 4096> entries;
  for (;;) {
    const long n = syscall(SYS_getdents64, folder, entries.data(), entries.size());
    if (n <= 0) return;
    for (long at = 0; at < n;) {
      const char* const entry = entries.data() + at;
      std::uint16_t bytes = 0;
      std::memcpy(&bytes, entry + offsetof(FolderEntry, bytes), sizeof bytes);
      unlinkat(folder, entry + offsetof(FolderEntry, name), 0);
      at += bytes;
    }
  }
}

// Another thread may be making files in it.
constexpr int kTries = 100;

UnfinishedSlot* free_slot() {
  for (UnfinishedSlot* slot = first_slot; slot != nullptr; slot = slot->next) {
    State expected = State::kFree;
    if (slot->state.compare_exchange_strong(expected, State::kTaken)) return slot;
  }
  auto* const slot = new UnfinishedSlot;
  slot->next = first_slot;
  while (!first_slot.compare_exchange_weak(slot->next, slot)) continue;
  return slot;
}

}  // namespace

bool remove_folder_of_files(const char* path) {
  for (int i = 0; i < kTries; ++i) {
    if (rmdir(path) == 0) return true;
    if (errno != ENOTEMPTY) return false;
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) return false;
    remove_files_of(folder);
    close(folder);
  }
  return false;
}

UnfinishedFile::UnfinishedFile(Kind kind) : slot_(free_slot()) { slot_->kind = kind; }

UnfinishedFile::~UnfinishedFile() { slot_->state = State::kFree; }

void UnfinishedFile::note(const std::string& path) noexcept {
  if (path.size() >= slot_->path.size()) return;  // the system makes no file of such a name
  std::memcpy(slot_->path.data(), path.c_str(), path.size() + 1);
  slot_->state = State::kNoted;
}

void remove_unfinished_files() {
  for (UnfinishedSlot* slot = first_slot; slot != nullptr; slot = slot->next) {
    if (slot->state != State::kNoted) continue;
    const char* const path = slot->path.data();
    if (slot->kind == UnfinishedFile::Kind::kFile) {
      unlink(path);
    } else if (!remove_folder_of_files(path)) {
      close(STDIN_FILENO);  // nobody needs it any more, and no descriptor may have been left
      remove_folder_of_files(path);
    }
  }
}

SignalsHeld::SignalsHeld() {
  sigset_t held;
  sigemptyset(&held);
  for (const int signal_number : kEndingSignals) sigaddset(&held, signal_number);
  for (int number = SIGRTMIN; number <= SIGRTMAX; ++number) sigaddset(&held, number);
  sigaddset(&held, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &held, &before_);
}

SignalsHeld::~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

}  // namespace lockstep::io
