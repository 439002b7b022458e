// The program: signals, the command line, and the last word on what nobody caught.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "base/shortage.h"
#include "cli/command_line.h"
#include "cli/console.h"
#include "formats/sqlite/sqlite_memory.h"
#include "io/byte_sink.h"
#include "io/ending_signals.h"
#include "io/standard_streams.h"
#include "io/unfinished_files.h"

namespace {

// Without an allocation: there may be no memory for one.
lockstep::cli::ExitCode end_for_want_of(const char* sentence) {
  std::fputs("lockstep: ", stderr);
  std::fputs(sentence, stderr);
  std::fputs("\n", stderr);
  return lockstep::cli::ExitCode::kUnusable;
}

lockstep::cli::ExitCode our_fault(const std::exception& error) {
  lockstep::cli::complain(std::string("something went wrong inside lockstep (") + error.what() +
                          "); please report it with the command that you ran");
  return lockstep::cli::ExitCode::kInternal;
}

lockstep::cli::ExitCode run(int argc, char** argv) {
  try {
    return lockstep::cli::run_command_line({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    if (const char* const sentence = lockstep::shortage_sentence(error)) {
      return end_for_want_of(sentence);
    }
    return our_fault(error);
  }
}

std::terminate_handler usual_end = nullptr;

// A function that may not throw may need memory all the same (the destructor of nlohmann::json,
// std::filesystem with an error code), and cannot say that it has none: what it throws ends here,
// where it is not always known any more. Anything else is our fault and ends as it did.
[[noreturn]] void end_without_unwinding() {
  if (lockstep::failed_allocations() > 0) {
    lockstep::io::remove_unfinished_files();
    _exit(static_cast<int>(end_for_want_of(lockstep::shortage_sentence(std::bad_alloc()))));
  }
  usual_end();
  std::abort();
}

}  // namespace

int main(int argc, char** argv) {
  lockstep::count_failed_allocations();
  usual_end = std::set_terminate(end_without_unwinding);
  lockstep::io::occupy_standard_descriptors();
  lockstep::io::remove_unfinished_outputs_on_signal();
  lockstep::formats::sqlite::watch_sqlite_memory();
  return static_cast<int>(run(argc, argv));
}
