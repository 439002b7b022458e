// The handler of SIGSEGV, and a file in memory for standard error.
#include "report/unchecked_library.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <string_view>

namespace lockstep {
namespace {

// A member of a structure at null lies below this.
constexpr std::uintptr_t kNullPageBytes = 65'536;

constexpr std::string_view kNoMemory = "Memory allocation failed";

sigjmp_buf place;
volatile std::sig_atomic_t is_armed = 0;

extern "C" void leave_library(int signal_number, siginfo_t* fault, void*) {
  const auto address = reinterpret_cast<std::uintptr_t>(fault->si_addr);
  if (is_armed != 0 && errno == ENOMEM && address < kNullPageBytes) {
    is_armed = 0;
    siglongjmp(place, 1);
  }
  std::signal(signal_number, SIG_DFL);  // and the access is tried again
}

// A part of what was said, from `at` on; empty at the end.
std::string_view part_of(int said, off_t at, std::array<char, 4096>& buffer) {
  const ssize_t n = pread(said, buffer.data(), buffer.size(), at);
  return {buffer.data(), n > 0 ? static_cast<std::size_t>(n) : 0};
}

bool has_said_no_memory(int said) {
  std::array<char, 4096> buffer;
  off_t at = 0;
  std::string_view part;
  while ((part = part_of(said, at, buffer)).size() >= kNoMemory.size()) {
    if (part.find(kNoMemory) != std::string_view::npos) return true;
    at += static_cast<off_t>(part.size() - kNoMemory.size() + 1);  // it may lie across the end
  }
  return false;
}

}  // namespace

UncheckedLibrary::UncheckedLibrary() {
  struct sigaction action{};
  action.sa_sigaction = leave_library;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, &before_);
  said_ = memfd_create("lockstep", MFD_CLOEXEC);
  if (said_ >= 0) standard_error_ = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (standard_error_ < 0) {
    reason_ = errno;
    return;
  }
  dup2(said_, STDERR_FILENO);
}

UncheckedLibrary::~UncheckedLibrary() {
  sigaction(SIGSEGV, &before_, nullptr);
  if (standard_error_ >= 0) {
    dup2(standard_error_, STDERR_FILENO);
    close(standard_error_);
  }
  if (said_ >= 0) close(said_);
}

void UncheckedLibrary::check_what_it_said() const {
  if (said_ >= 0 && has_said_no_memory(said_)) throw std::bad_alloc();
}

UncheckedLibrary::Armed::Armed() {
  errno = 0;
  is_armed = 1;
}

UncheckedLibrary::Armed::~Armed() { is_armed = 0; }

sigjmp_buf& UncheckedLibrary::return_place() { return place; }

}  // namespace lockstep
