// Fixed storage and lock-free flags, readable from a signal handler; and the handler itself.
#include "io/unfinished_files.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstring>

#include "io/byte_sink.h"

namespace lockstep {
namespace {

constexpr std::size_t kMaxUnfinished = 16;
constexpr std::size_t kMaxPath = 4096;
constexpr std::array<int, 5> kEndingSignals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU};

struct Slot {
  std::atomic<bool> in_use{false};
  std::array<char, kMaxPath> path{};
};
std::array<Slot, kMaxUnfinished> slots;

extern "C" void remove_unfinished_and_die(int signal_number) {
  remove_unfinished_files();
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
}

}  // namespace

void remove_unfinished_files() {
  // From the last to the first: a folder is entered before its files.
  for (std::size_t i = slots.size(); i-- > 0;) {
    const char* path = slots[i].path.data();
    if (slots[i].in_use && unlink(path) != 0) rmdir(path);
  }
}

UnfinishedFile::UnfinishedFile(const std::string& path) {
  if (path.size() + 1 > kMaxPath) return;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].in_use) continue;
    std::memcpy(slots[i].path.data(), path.c_str(), path.size() + 1);
    slots[i].in_use = true;
    slot_ = i;
    return;
  }
}

UnfinishedFile::~UnfinishedFile() {
  if (slot_) slots[*slot_].in_use = false;
}

SignalsHeld::SignalsHeld() {
  sigset_t held;
  sigemptyset(&held);
  for (const int signal_number : kEndingSignals) sigaddset(&held, signal_number);
  sigaddset(&held, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &held, &before_);
}

SignalsHeld::~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

void remove_unfinished_outputs_on_signal() {
  for (const int signal_number : kEndingSignals) {
    const auto before = std::signal(signal_number, remove_unfinished_and_die);
    if (before == SIG_IGN) std::signal(signal_number, SIG_IGN);  // nohup, or a job of a script
  }
  // A reader that has seen enough (| head) ends the program quietly, also where the caller ignores
  // the signal.
  std::signal(SIGPIPE, remove_unfinished_and_die);
  // The write fails instead, and the failure gets its sentence.
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace lockstep
