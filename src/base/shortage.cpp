// Which exceptions are a shortage, and the new handler that counts.
#include "base/shortage.h"

#include <new>
#include <stdexcept>
#include <system_error>

namespace lockstep {
namespace {

constexpr const char* kNoMemory =
    "there is not enough memory for this input; a machine or container with more may read it";
constexpr const char* kNoThread =
    "a thread cannot be started: there is not enough memory, or as many run as this user or "
    "container may have (ulimit -u)";

constinit thread_local std::uint64_t failed = 0;

[[noreturn]] void count_and_throw() {
  ++failed;
  throw std::bad_alloc();
}

}  // namespace

const char* shortage_sentence(const std::exception& error) noexcept {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return kNoMemory;
  if (dynamic_cast<const std::length_error*>(&error) != nullptr) return kNoMemory;
  const auto* const of_system = dynamic_cast<const std::system_error*>(&error);
  if (of_system == nullptr) return nullptr;
  if (of_system->code() == std::errc::not_enough_memory) return kNoMemory;
  if (of_system->code() == std::errc::resource_unavailable_try_again) return kNoThread;
  return nullptr;
}

void count_failed_allocations() { std::set_new_handler(count_and_throw); }

std::uint64_t failed_allocations() noexcept { return failed; }

}  // namespace lockstep
