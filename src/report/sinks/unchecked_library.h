// Calls of a C library that does not look at all of its allocations.
//
// Where one of them fails, libxlsxwriter returns an error, or follows a null pointer, at once or in
// a later call, or says "Memory allocation failed" on standard error and goes on, and what it
// writes lacks something. All of these are shortage of memory and are thrown as such. Every other
// bad access goes to the handler that was there before. What else the library says is left out: its
// codes are told in our words. On one thread at a time.
#pragma once

#include <csetjmp>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <new>
#include <string_view>
#include <type_traits>

namespace lockstep::report::sinks {

// Hears what is written to a stream, and keeps nothing of it: there may be no memory.
class ShortageListener {
 public:
  void hear(std::string_view words);
  [[nodiscard]] bool has_heard() const;

 private:
  std::size_t matched_ = 0;  // of the words that tell of it
};

// Watches for null pointers while it lives. During its calls, and only then, `stderr` is a stream
// that shows nothing.
class UncheckedLibrary {
 public:
  UncheckedLibrary();
  ~UncheckedLibrary();
  UncheckedLibrary(const UncheckedLibrary&) = delete;
  UncheckedLibrary& operator=(const UncheckedLibrary&) = delete;

  // What `function` returns; throws std::bad_alloc where it had no memory, and what it worked on is
  // not to be touched again. `function` calls the library and nothing else: what it has on its
  // stack is left as it is, and has no destructor.
  template <typename Function>
  auto call(Function function) {
    static_assert(std::is_trivially_destructible_v<Function>);
    static_assert(std::is_trivially_copyable_v<decltype(function())>);
    // No object stands between here and the library: leaving it would skip a destructor.
    if (sigsetjmp(return_place(), 0) != 0) {
      leave();
      throw std::bad_alloc();
    }
    enter();
    const auto answer = function();
    leave();
    if (was_short()) throw std::bad_alloc();
    return answer;
  }

 private:
  [[nodiscard]] static sigjmp_buf& return_place();
  void enter() noexcept;
  void leave() noexcept;  // leaves errno alone
  [[nodiscard]] bool was_short() const;

  ShortageListener listener_;
  std::FILE* silent_;
  std::FILE* standard_error_;
};

}  // namespace lockstep::report::sinks
