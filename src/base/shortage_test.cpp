#include "base/shortage.h"

#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/sanitized_for_test.h"

namespace lockstep {
namespace {

constexpr const char* kNoMemory =
    "there is not enough memory for this input; a machine or container with more may read it";

std::system_error error_of(std::errc code) { return std::system_error(std::make_error_code(code)); }

TEST(Shortage, FailedAllocationIsOne) {
  EXPECT_STREQ(shortage_sentence(std::bad_alloc()), kNoMemory);
  EXPECT_STREQ(shortage_sentence(std::bad_array_new_length()), kNoMemory);
}

TEST(Shortage, SizeThatNothingCanHoldIsOne) {
  std::vector<int> values;
  try {
    values.reserve(values.max_size() + 1);
    FAIL() << "reserved";
  } catch (const std::exception& error) {
    EXPECT_STREQ(shortage_sentence(error), kNoMemory);
  }
}

TEST(Shortage, ThreadThatCannotBeStartedIsOne) {
  EXPECT_STREQ(shortage_sentence(error_of(std::errc::resource_unavailable_try_again)),
               "a thread cannot be started: there is not enough memory, or as many run as this "
               "user or container may have (ulimit -u)");
}

TEST(Shortage, SystemWithoutMemoryIsOne) {
  EXPECT_STREQ(shortage_sentence(error_of(std::errc::not_enough_memory)), kNoMemory);
}

TEST(Shortage, OtherFailuresAreNone) {
  EXPECT_EQ(shortage_sentence(std::runtime_error("other")), nullptr);
  EXPECT_EQ(shortage_sentence(error_of(std::errc::permission_denied)), nullptr);
  EXPECT_EQ(shortage_sentence(std::out_of_range("index")), nullptr);
}

// A sanitizer ends the program where that much is asked for.
#ifndef LOCKSTEP_SANITIZED
TEST(Shortage, FailedAllocationsAreCountedAlsoWhereNothingIsThrown) {
  constexpr std::size_t kTooMuch = std::size_t{1} << 62;
  const std::uint64_t before = failed_allocations();
  const std::new_handler usual = std::get_new_handler();
  count_failed_allocations();
  char* const none = new (std::nothrow) char[kTooMuch];
  std::uint64_t of_another_thread = 7;
  std::thread([&] { of_another_thread = failed_allocations(); }).join();
  std::set_new_handler(usual);
  EXPECT_EQ(none, nullptr);
  EXPECT_EQ(failed_allocations(), before + 1);
  EXPECT_EQ(of_another_thread, 0U);
}
#endif

}  // namespace
}  // namespace lockstep
