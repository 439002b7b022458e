// A null pointer after a failed allocation is shortage; any other is none.
#include "report/sinks/unchecked_library.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <string>

#include <gtest/gtest.h>

#include "base/sanitized_for_test.h"

namespace lockstep::report::sinks {
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
                EXPECT_THROW(library.call([&] { return std::fputs(words.c_str(), stderr); }),
                             std::bad_alloc);
              }),
              "");
  }
}

TEST(UncheckedLibrary, WhateverElseItSaysIsLeftOut) {
  const std::string words(10'000, 'w');
  EXPECT_EQ(said_by([&] {
              UncheckedLibrary library;
              library.call([&] { return std::fputs(words.c_str(), stderr); });
            }),
            "");
}

// What is missing may be followed by a later call.
TEST(UncheckedLibrary, AllocationThatFailedWithoutAWordIsShortage) {
  const auto be_short = [] {
    errno = ENOMEM;
    return 7;
  };
  UncheckedLibrary library;
  EXPECT_THROW(library.call(be_short), std::bad_alloc);
}

TEST(UncheckedLibrary, WordsOfOurOwnAreSaid) {
  EXPECT_EQ(said_by([&] {
              UncheckedLibrary library;
              std::fputs("before, ", stderr);
              library.call([&] { return std::fputs("not this", stderr); });
              std::fputs("after", stderr);
            }),
            "before, after");
}

TEST(ShortageListener, HearsWordsInPieces) {
  ShortageListener listener;
  for (const char c : std::string("MemMemory allocation faile")) listener.hear({&c, 1});
  EXPECT_FALSE(listener.has_heard());
  listener.hear("d.\n");
  EXPECT_TRUE(listener.has_heard());
  listener.hear("And then something else");
  EXPECT_TRUE(listener.has_heard());
}

#ifndef LOCKSTEP_SANITIZED
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
  // Where no memory can ever be; the system says null of it.
  EXPECT_EXIT(
      {
        UncheckedLibrary library;
        library.call([] { return follow(reinterpret_cast<Large*>(1ULL << 63), ENOMEM); });
      },
      ::testing::KilledBySignal(SIGSEGV), "");
}

extern "C" void end_with_7(int) { _exit(7); }

TEST(UncheckedLibraryDeathTest, OtherFaultsHaveTheHandlerThatWasThereBefore) {
  for (const bool is_sent : {false, true}) {
    EXPECT_EXIT(
        {
          std::signal(SIGSEGV, end_with_7);
          UncheckedLibrary library;
          library.call([=] { return is_sent ? std::raise(SIGSEGV) : follow(nullptr, 0); });
        },
        ::testing::ExitedWithCode(7), "");
  }
}
#endif

}  // namespace
}  // namespace lockstep::report::sinks
