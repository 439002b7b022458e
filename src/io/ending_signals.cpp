// The signal handlers of the program. In a file of their own: the session library, which other
// people's programs load, is linked without them.
#include "io/ending_signals.h"

#include <pthread.h>

#include <array>
#include <csignal>
#include <cstddef>

#include "io/unfinished_files.h"

namespace lockstep::io {
namespace {

pthread_t main_thread;

// Those that a fault of the thread itself raises.
constexpr std::array<int, 7> kFaults = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS, SIGTRAP};

extern "C" void remove_unfinished_and_die(int signal_number) {
  remove_unfinished_files();
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
}

// The main thread makes the files: where it holds signals, a helper thread must not end the program
// meanwhile.
extern "C" void die_on_main_thread(int signal_number) {
  if (pthread_equal(pthread_self(), main_thread) != 0) {
    remove_unfinished_and_die(signal_number);
  } else {
    pthread_kill(main_thread, signal_number);
  }
}

bool has_default_action(int signal_number) {
  struct sigaction before{};
  return sigaction(signal_number, nullptr, &before) == 0 && (before.sa_flags & SA_SIGINFO) == 0 &&
         before.sa_handler == SIG_DFL;
}

void set_handler(void (*handler)(int), int signal_number) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(signal_number, &action, nullptr);
}

// What is ignored stays so (nohup, or a job of a script), and what others handle is theirs.
void handle_by(void (*handler)(int), int signal_number) {
  if (has_default_action(signal_number)) set_handler(handler, signal_number);
}

// Where a handler runs when the stack of the main thread is what has no room left. Other threads
// have none: an overflow of theirs leaves the temporary files. One that others set up is theirs.
void set_up_second_stack() {
  static std::array<char, std::size_t{64} << 10> room;
  stack_t before{};
  if (sigaltstack(nullptr, &before) != 0 || (before.ss_flags & SS_DISABLE) == 0) return;
  stack_t second{};
  second.ss_sp = room.data();
  second.ss_size = room.size();
  sigaltstack(&second, nullptr);
}

}  // namespace

void remove_unfinished_outputs_on_signal() {
  main_thread = pthread_self();
  set_up_second_stack();
  for (const int signal_number : kEndingSignals) handle_by(die_on_main_thread, signal_number);
  for (int number = SIGRTMIN; number <= SIGRTMAX; ++number) handle_by(die_on_main_thread, number);
  for (const int fault : kFaults) handle_by(remove_unfinished_and_die, fault);
  // A reader that has seen enough (| head) ends the program quietly, also where the caller ignores
  // the signal.
  set_handler(remove_unfinished_and_die, SIGPIPE);
  // The write fails instead, and the failure gets its sentence.
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace lockstep::io
