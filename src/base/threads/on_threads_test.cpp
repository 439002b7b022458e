#include "base/threads/on_threads.h"

#include <pthread.h>

#include <array>
#include <atomic>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/threads/bounded_queue.h"

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

TEST(RunBeside, TheOutcomeIsThatOfTheWork) {
  auto answer = run_beside("answer", [value = std::make_unique<int>(42)] { return *value; });
  EXPECT_EQ(answer.get(), 42);
}

TEST(RunBeside, WhatTheWorkThrowsIsThrownToTheOneWhoAsks) {
  auto answer = run_beside("answer", []() -> int { throw std::bad_alloc(); });
  EXPECT_THROW(answer.get(), std::bad_alloc);
}

TEST(RunBeside, TheThreadHasItsName) {
  auto name = run_beside("a name of 15 ch", [] {
    std::array<char, 16> text{};
    pthread_getname_np(pthread_self(), text.data(), text.size());
    return std::string(text.data());
  });
  EXPECT_EQ(name.get(), "a name of 15 ch");
}

// Makes numbers up to a limit, and throws behind it where it is told to.
class Numbers {
 public:
  Numbers(int count, bool throws)
      : queue_(2),
        thread_("numbers", [=, this] { make(count, throws); }, [this] { queue_.close(); }) {}
  ~Numbers() { queue_.close(); }

  std::optional<int> next() {
    std::optional<int> number = queue_.pop();
    if (!number) thread_.rethrow_if_any();
    return number;
  }

 private:
  void make(int count, bool throws) {
    for (int i = 0; i < count; ++i) {
      if (!queue_.push(i)) return;
    }
    if (throws) throw std::bad_alloc();
  }

  BoundedQueue<int> queue_;
  PipelineThread thread_;
};

TEST(PipelineThread, TheOwnerTakesAllThatIsMade) {
  Numbers numbers(10, false);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(numbers.next(), i);
  EXPECT_EQ(numbers.next(), std::nullopt);
}

TEST(PipelineThread, WhatIsThrownComesBehindWhatWasMade) {
  Numbers numbers(10, true);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(numbers.next(), i);
  EXPECT_THROW(static_cast<void>(numbers.next()), std::bad_alloc);
}

TEST(PipelineThread, AnOwnerThatGivesUpEndsIt) {
  Numbers numbers(1'000'000'000, false);
  EXPECT_EQ(numbers.next(), 0);
}

}  // namespace
}  // namespace lockstep
