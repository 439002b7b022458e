// The signal handler of the program. In a file of its own: the session library, which other
// people's programs load, is linked without it.
#include <csignal>

#include "io/byte_sink.h"
#include "io/unfinished_files.h"

namespace lockstep {
namespace {

extern "C" void remove_unfinished_and_die(int signal_number) {
  remove_unfinished_files();
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
}

}  // namespace

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
