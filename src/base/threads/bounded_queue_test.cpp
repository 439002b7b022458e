// Claims on the queue between two threads.
#include "base/threads/bounded_queue.h"

#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace lockstep {
namespace {

constexpr std::chrono::milliseconds kLongEnoughToBlock{20};

TEST(BoundedQueue, ValuesComeOutInOrder) {
  for (const std::size_t capacity : {1, 2, 100}) {
    BoundedQueue<int> queue(capacity);
    std::thread producer([&] {
      for (int i = 0; i < 10'000; ++i) EXPECT_TRUE(queue.push(i));
      queue.close();
    });
    std::vector<int> got;
    while (const auto value = queue.pop()) got.push_back(*value);
    producer.join();
    ASSERT_EQ(got.size(), 10'000U);
    for (int i = 0; i < 10'000; ++i) ASSERT_EQ(got[static_cast<std::size_t>(i)], i);
  }
}

TEST(BoundedQueue, NothingIsTakenBeyondTheCapacityWithoutWaiting) {
  BoundedQueue<int> queue(2);
  EXPECT_EQ(queue.try_pop(), std::nullopt);
  EXPECT_TRUE(queue.try_push(1));
  EXPECT_TRUE(queue.try_push(2));
  EXPECT_FALSE(queue.try_push(3));
  EXPECT_EQ(queue.try_pop(), 1);
  EXPECT_TRUE(queue.try_push(4));
  EXPECT_EQ(queue.pop(), 2);
  EXPECT_EQ(queue.pop(), 4);
}

TEST(BoundedQueue, ClosedQueueTakesNothingAndGivesWhatIsLeft) {
  BoundedQueue<int> queue(3);
  EXPECT_TRUE(queue.push(1));
  EXPECT_TRUE(queue.push(2));
  queue.close();
  EXPECT_FALSE(queue.push(3));
  EXPECT_FALSE(queue.try_push(3));
  EXPECT_EQ(queue.pop(), 1);
  EXPECT_EQ(queue.try_pop(), 2);
  EXPECT_EQ(queue.pop(), std::nullopt);
  EXPECT_EQ(queue.try_pop(), std::nullopt);
}

// As much in and out as the smallest queues allow, however the threads meet.
TEST(BoundedQueue, NoSideWaitsForEver) {
  for (const std::size_t capacity : {1, 2, 3, 8}) {
    BoundedQueue<int> queue(capacity);
    std::thread other([&] {
      for (int i = 0; i < 5000; ++i) queue.push(i);
    });
    for (int i = 0; i < 5000; ++i) ASSERT_EQ(queue.pop(), i);
    other.join();
  }
}

TEST(BoundedQueue, ClosingWakesAPushThatWaits) {
  BoundedQueue<int> queue(1);
  EXPECT_TRUE(queue.push(1));
  std::thread producer([&] { EXPECT_FALSE(queue.push(2)); });
  std::this_thread::sleep_for(kLongEnoughToBlock);
  queue.close();
  producer.join();
  EXPECT_EQ(queue.pop(), 1);
  EXPECT_EQ(queue.pop(), std::nullopt);
}

TEST(BoundedQueue, ClosingWakesAPopThatWaits) {
  BoundedQueue<int> queue(1);
  std::thread consumer([&] { EXPECT_EQ(queue.pop(), std::nullopt); });
  std::this_thread::sleep_for(kLongEnoughToBlock);
  queue.close();
  consumer.join();
}

TEST(BoundedQueue, ValuesThatCannotBeCopiedPassThrough) {
  BoundedQueue<std::unique_ptr<int>> queue(1);
  EXPECT_TRUE(queue.push(std::make_unique<int>(7)));
  EXPECT_EQ(**queue.pop(), 7);
}

}  // namespace
}  // namespace lockstep
