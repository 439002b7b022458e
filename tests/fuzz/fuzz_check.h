// An assertion of a fuzz target: it holds in every build and names what failed.
#pragma once

#include <cstdio>
#include <cstdlib>

#define LOCKSTEP_FUZZ_CHECK(condition)                                            \
  do {                                                                            \
    if (!(condition)) {                                                           \
      std::fprintf(stderr, "%s:%d: fails: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                               \
    }                                                                             \
  } while (false)
