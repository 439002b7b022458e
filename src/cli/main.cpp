// The program: signals, the command line, and the last word on what nobody caught.
#include <csignal>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/console.h"
#include "io/byte_sink.h"

int main(int argc, char** argv) {
  using lockstep::ExitCode;
  lockstep::remove_unfinished_outputs_on_signal();
  // A reader that has seen enough (| head) ends the program quietly, also where the caller ignores
  // the signal.
  std::signal(SIGPIPE, SIG_DFL);
  ExitCode code = ExitCode::kInternal;
  try {
    code = lockstep::run_command_line({argv + 1, argv + argc});
  } catch (const std::bad_alloc&) {
    lockstep::complain(
        "there is not enough memory for this input; a machine or container with more may read it");
  } catch (const std::exception& error) {
    lockstep::complain(std::string("something went wrong inside lockstep (") + error.what() +
                       "); please report it with the command that you ran");
  }
  return static_cast<int>(code);
}
