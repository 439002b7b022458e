// A null pointer after a failed allocation is shortage; any other is none.
#include "report/unchecked_library.h"

#include <cerrno>
#include <cstdio>
#include <string>

#include <gtest/gtest.h>

namespace lockstep {
namespace {

struct Large {
  char bytes[5000];
};

// As a library does that does not look at what malloc gave it.
int follow(volatile Large* pointer, int reason) {
  errno = reason;
  pointer->bytes[4000] = 1;
  return 7;
}

TEST(UncheckedLibrary, AnswersPassThrough) {
  Large large{};
  UncheckedLibrary library;
  EXPECT_EQ(library.call([&] { return follow(&large, 0); }), 7);
}

// What is on standard error after `act`.
template <typename Act>
std::string said_by(Act act) {
  testing::internal::CaptureStderr();
  act();
  return testing::internal::GetCapturedStderr();
}

TEST(UncheckedLibrary, WhatItSaysOfMemoryIsShortageAndIsNotPassedOn) {
  for (const std::size_t before : {0, 4085, 20'000}) {  // also across two parts
    const std::string words = std::string(before, 'w') + "Memory allocation failed.\n";
    EXPECT_EQ(said_by([&] {
                UncheckedLibrary library;
                library.call([&] { return std::fputs(words.c_str(), stderr); });
                EXPECT_THROW(library.check_what_it_said(), std::bad_alloc);
              }),
              "");
  }
}

TEST(UncheckedLibrary, WhateverElseItSaysIsLeftOut) {
  const std::string words(10'000, 'w');
  EXPECT_EQ(said_by([&] {
              UncheckedLibrary library;
              library.call([&] { return std::fputs(words.c_str(), stderr); });
              library.check_what_it_said();
            }),
            "");
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(UncheckedLibrary, NullPointerForWantOfMemoryIsShortage) {
  UncheckedLibrary library;
  for (int i = 0; i < 2; ++i) {
    EXPECT_THROW(library.call([] { return follow(nullptr, ENOMEM); }), std::bad_alloc);
  }
}

TEST(UncheckedLibraryDeathTest, OtherFaultsKeepTheirSignal) {
  EXPECT_EXIT(
      {
        UncheckedLibrary library;
        library.call([] { return follow(nullptr, 0); });
      },
      ::testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(
      {
        const UncheckedLibrary library;
        follow(nullptr, ENOMEM);
      },
      ::testing::KilledBySignal(SIGSEGV), "");
}
#endif

}  // namespace
}  // namespace lockstep
