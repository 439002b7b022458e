// The handler of SIGSEGV, and a stream in the place of standard error.
#include "report/sinks/unchecked_library.h"

#include <sys/types.h>

#include <cerrno>
#include <cstdint>

namespace lockstep::report::sinks {
namespace {

// A member of a structure at null lies below this.
constexpr std::uintptr_t kNullPageBytes = 65'536;

constexpr std::string_view kNoMemory = "Memory allocation failed";

sigjmp_buf place;
thread_local volatile std::sig_atomic_t is_armed = 0;  // faults of other threads are theirs
struct sigaction before{};

// An address that cannot be (not canonical) is reported as null too, though not as SEGV_MAPERR.
bool is_null_pointer(const siginfo_t& fault) {
  return fault.si_code == SEGV_MAPERR &&
         reinterpret_cast<std::uintptr_t>(fault.si_addr) < kNullPageBytes;
}

extern "C" void leave_library(int signal_number, siginfo_t* fault, void*) {
  if (is_armed != 0 && errno == ENOMEM && is_null_pointer(*fault)) siglongjmp(place, 1);
  // The access is tried again, and that handler has it; a signal that was sent is sent again.
  sigaction(signal_number, &before, nullptr);
  const bool was_sent = fault->si_code <= 0;
  if (was_sent) raise(signal_number);
}

ssize_t hear(void* listener, const char* words, std::size_t size) {
  static_cast<ShortageListener*>(listener)->hear({words, size});
  return static_cast<ssize_t>(size);
}

}  // namespace

void ShortageListener::hear(std::string_view words) {
  for (const char c : words) {
    if (has_heard()) return;
    // Its first letter does not come again in it.
    matched_ = c == kNoMemory[matched_] ? matched_ + 1 : c == kNoMemory[0] ? 1 : 0;
  }
}

bool ShortageListener::has_heard() const { return matched_ == kNoMemory.size(); }

UncheckedLibrary::UncheckedLibrary()
    : silent_(fopencookie(&listener_, "w", {nullptr, hear, nullptr, nullptr})),
      standard_error_(stderr) {
  if (silent_ == nullptr) throw std::bad_alloc();
  std::setvbuf(silent_, nullptr, _IONBF, 0);
  struct sigaction action{};
  action.sa_sigaction = leave_library;
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, &before);
}

UncheckedLibrary::~UncheckedLibrary() {
  sigaction(SIGSEGV, &before, nullptr);
  std::fclose(silent_);
}

bool UncheckedLibrary::was_short() const { return errno == ENOMEM || listener_.has_heard(); }

void UncheckedLibrary::enter() noexcept {
  errno = 0;
  stderr = silent_;  // the C library of GNU allows that
  is_armed = 1;
}

void UncheckedLibrary::leave() noexcept {
  is_armed = 0;
  stderr = standard_error_;
}

sigjmp_buf& UncheckedLibrary::return_place() { return place; }

}  // namespace lockstep::report::sinks
