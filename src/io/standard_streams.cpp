// Descriptors 0 to 2.
#include "io/standard_streams.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lockstep {

void occupy_standard_descriptors() {
  for (const int wanted : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // The lowest free descriptor is given out, so this is the wanted one. O_PATH: neither read nor
    // written. The root is there where /dev is not, and it is nobody's output, as /dev/null may be.
    if (fcntl(wanted, F_GETFD) < 0) (void)::open("/", O_PATH);
  }
}

bool is_standard_output(const std::string& path) {
  if (path == "-") return true;
  struct stat ours{};
  struct stat theirs{};
  return fstat(STDOUT_FILENO, &ours) == 0 && stat(path.c_str(), &theirs) == 0 &&
         ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
}

}  // namespace lockstep
