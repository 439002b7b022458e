#include "base/shortage.h"

#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace lockstep
