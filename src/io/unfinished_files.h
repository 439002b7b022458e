// The names of files and folders that must not outlive the program, kept where a signal handler can
// remove them.
#pragma once

#include <array>
#include <csignal>
#include <string>

namespace lockstep::io {

struct UnfinishedSlot;

// Those that come from outside and end the program, which cleans up first; SIGPIPE and those from
// SIGRTMIN on do too.
inline constexpr std::array<int, 13> kEndingSignals = {
    SIGINT,  SIGTERM, SIGHUP, SIGQUIT,   SIGXCPU, SIGUSR1,  SIGUSR2,
    SIGALRM, SIGPROF, SIGIO,  SIGVTALRM, SIGPWR,  SIGSTKFLT};

// Holds a name for as long as the file is unfinished. A folder is removed with the files in it,
// whoever made them.
class UnfinishedFile {
 public:
  enum class Kind { kFile, kFolder };

  // Room for a name: what can fail is done before the file is there.
  explicit UnfinishedFile(Kind kind);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  // Once only, and with SignalsHeld since before the making of the file.
  void note(const std::string& path) noexcept;

 private:
  UnfinishedSlot* slot_;
};

// Removes all whose names are held. Calls nothing that a signal handler may not call (see
// signal-safety(7)).
void remove_unfinished_files();

// Removes a folder and the files in it, if it has no folders. Takes no memory, and calls nothing
// that a signal handler may not call. False when it is there still.
bool remove_folder_of_files(const char* path);

// Keeps the program from being ended by a signal between the making of a file and the noting of its
// name. What arrives meanwhile is delivered afterwards. On the main thread, which alone is ended by
// signals.
class SignalsHeld {
 public:
  SignalsHeld();
  ~SignalsHeld();
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_;
};

}  // namespace lockstep::io
