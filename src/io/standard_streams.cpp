// Descriptors 0 to 2.
#include "io/standard_streams.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

namespace lockstep::io {

namespace {

// A descriptor, the lowest free one, that is neither read nor written (O_PATH), of a file that is
// empty and nobody's output: under /dev/null an output of that name would be taken for it, and
// under a folder /dev/stdin would be that folder. Where there is no /proc it is the root, because
// there is no /dev/stdin either.
void open_placeholder() {
  const int empty = memfd_create("closed", MFD_CLOEXEC);
  const std::string link = "/proc/self/fd/" + std::to_string(empty);
  const int placeholder = ::open(link.c_str(), O_PATH);
  if (empty >= 0 && placeholder >= 0) {
    dup2(placeholder, empty);
    close(placeholder);
    return;
  }
  if (empty >= 0) close(empty);
  (void)::open("/", O_PATH);
}

}  // namespace

void occupy_standard_descriptors() {
  for (const int wanted : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(wanted, F_GETFD) < 0) open_placeholder();
  }
}

bool is_standard_output(const std::string& path) {
  if (path == "-") return true;
  struct stat ours{};
  struct stat theirs{};
  return fstat(STDOUT_FILENO, &ours) == 0 && stat(path.c_str(), &theirs) == 0 &&
         ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
}

}  // namespace lockstep::io
