// Calls of a C library that does not look at all of its allocations.
//
// Where one of them fails, libxlsxwriter returns an error, or follows a null pointer, or says
// "Memory allocation failed" on standard error and goes on, and what it writes lacks something. All
// three are shortage of memory and are thrown as such. Every other bad access keeps its signal.
// What else the library says is left out: its codes are told in our words. On one thread at a time.
#pragma once

#include <csetjmp>
#include <csignal>
#include <new>

namespace lockstep {

// Watches for null pointers and keeps standard error to itself while it lives.
class UncheckedLibrary {
 public:
  UncheckedLibrary();
  ~UncheckedLibrary();
  UncheckedLibrary(const UncheckedLibrary&) = delete;
  UncheckedLibrary& operator=(const UncheckedLibrary&) = delete;

  // What `function` returns; throws std::bad_alloc where it followed a null pointer for want of
  // memory, and what it worked on is not to be touched again. `function` calls the library and
  // nothing else: what it has on its stack is left as it is.
  template <typename Function>
  auto call(Function function) {
    if (sigsetjmp(return_place(), 0) != 0) throw std::bad_alloc();
    const Armed armed;
    return function();
  }

  // Why standard error could not be kept, or zero.
  [[nodiscard]] int reason() const { return reason_; }
  // After all calls: throws std::bad_alloc where the library has said that it had no memory.
  void check_what_it_said() const;

 private:
  struct Armed {
    Armed();
    ~Armed();
  };
  [[nodiscard]] static sigjmp_buf& return_place();

  struct sigaction before_{};
  int standard_error_ = -1;  // the real one; -1 where it could not be replaced
  int said_ = -1;            // a file in memory
  int reason_ = 0;
};

}  // namespace lockstep
