// The names of outputs that are being written, kept where a signal handler can remove them.
#pragma once

#include <array>
#include <csignal>
#include <cstddef>
#include <optional>
#include <string>

namespace lockstep {

// Those that end the program and let it clean up first; SIGPIPE does too.
inline constexpr std::array<int, 5> kEndingSignals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU};

// Holds a name for as long as the file is unfinished. Also of temporary folders, if they are empty
// by then. Sixteen at a time; more are not remembered and stay behind when a signal ends the
// program.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(const std::string& path);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

 private:
  std::optional<std::size_t> slot_;
};

// Removes the files whose names are held, and the empty folders. Safe in a signal handler.
void remove_unfinished_files();

// Keeps this thread from being ended by a signal between the making of a file and the noting of its
// name. What arrives meanwhile is delivered afterwards.
class SignalsHeld {
 public:
  SignalsHeld();
  ~SignalsHeld();
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_;
};

}  // namespace lockstep
