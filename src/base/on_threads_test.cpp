#include "base/on_threads.h"

#include <atomic>
#include <new>
#include <stdexcept>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(OnThreads, EveryItemIsDoneOnce) {
  for (const std::size_t threads : {1, 2, 7}) {
    std::vector<std::atomic<int>> done(100);
    run_on_threads(threads, done.size(), [&](std::size_t thread, std::size_t item) {
      EXPECT_LT(thread, threads);
      ++done[item];
    });
    for (const auto& count : done) EXPECT_EQ(count, 1);
  }
}

TEST(OnThreads, NothingToDoIsDone) {
  run_on_threads(4, 0, [](std::size_t, std::size_t) { FAIL() << "there is no item"; });
}

TEST(OnThreads, WhatAHelperThrowsIsThrownToTheCaller) {
  // Whichever thread takes it: each item throws.
  for (const std::size_t threads : {1, 4}) {
    std::atomic<int> begun = 0;
    EXPECT_THROW(run_on_threads(threads, 1000,
                                [&](std::size_t, std::size_t) {
                                  ++begun;
                                  throw std::bad_alloc();
                                }),
                 std::bad_alloc);
    EXPECT_LE(begun, static_cast<int>(threads));
  }
}

TEST(OnThreads, HelperThatThrowsWhileTheCallerWorksIsHeard) {
  // The calling thread holds item 0 until a helper has thrown on another one.
  std::atomic<bool> has_thrown = false;
  EXPECT_THROW(run_on_threads(2, 2,
                              [&](std::size_t thread, std::size_t) {
                                if (thread == 1) {
                                  has_thrown = true;
                                  throw std::runtime_error("of a helper");
                                }
                                while (!has_thrown) std::this_thread::yield();
                              }),
               std::runtime_error);
}

}  // namespace
}  // namespace lockstep
