// Claims on the descriptors 0 to 2.
#include "io/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace lockstep::io {
namespace {

// In a process of its own: true when, after closing `descriptor`, the next file does not get it,
// and nothing is read or written there.
void exit_with_the_verdict(int descriptor) {
  close(descriptor);
  occupy_standard_descriptors();
  char byte = 0;
  const bool is_dead = read(descriptor, &byte, 1) < 0 && write(descriptor, &byte, 1) < 0;
  std::_Exit(is_dead && open("/dev/null", O_RDONLY) > STDERR_FILENO ? 0 : 1);
}

TEST(StandardStreams, ClosedOnesAreOccupied) {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    EXPECT_EXIT(exit_with_the_verdict(descriptor), testing::ExitedWithCode(0), "") << descriptor;
  }
}

TEST(StandardStreams, OpenOnesAreLeftAlone) {
  const int before = dup(STDIN_FILENO);
  close(before);
  occupy_standard_descriptors();
  const int after = dup(STDIN_FILENO);
  close(after);
  EXPECT_EQ(before, after);
}

TEST(StandardStreams, StandardOutputIsKnownByItsNames) {
  EXPECT_TRUE(is_standard_output("-"));
  EXPECT_FALSE(is_standard_output("/"));
  EXPECT_FALSE(is_standard_output("/nowhere/at/all"));
}

}  // namespace
}  // namespace lockstep::io
