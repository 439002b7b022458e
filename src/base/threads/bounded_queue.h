// A queue between two threads that holds only so much: the faster side waits for the slower one. A
// side that puts in waits until half of a full queue is taken: to be woken for every value costs
// more than to make it.
// All memory is taken at the start: putting in and taking out cannot fail, so that what is given
// back in a destructor may be queued.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace lockstep {

template <typename T>
class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t capacity) : slots_(capacity) {}

  // Waits for room where there is none; false (and the value is gone) when the queue was closed.
  bool push(T value) {
    std::unique_lock lock(mutex_);
    if (size_ == slots_.size()) {
      room_.wait(lock, [this] { return closed_ || has_room(); });
    }
    if (closed_) return false;
    put(std::move(value));
    lock.unlock();
    changed_.notify_all();
    return true;
  }

  // Waits for a value; nothing once the queue is closed and empty.
  [[nodiscard]] std::optional<T> pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || size_ > 0; });
    if (size_ == 0) return std::nullopt;
    std::optional<T> value(take());
    const bool wakes = has_room();
    lock.unlock();
    if (wakes) room_.notify_all();
    return value;
  }

  // The same without waiting.
  bool try_push(T value) {
    const std::lock_guard lock(mutex_);
    if (closed_ || size_ == slots_.size()) return false;
    put(std::move(value));
    changed_.notify_all();
    return true;
  }
  [[nodiscard]] std::optional<T> try_pop() {
    const std::lock_guard lock(mutex_);
    if (size_ == 0) return std::nullopt;
    std::optional<T> value(take());
    if (has_room()) room_.notify_all();
    return value;
  }

  // No more values: waiting pushes give up, pops take what is left.
  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
    room_.notify_all();
  }

 private:
  [[nodiscard]] bool has_room() const { return size_ <= slots_.size() / 2; }
  void put(T value) {
    slots_[(first_ + size_) % slots_.size()] = std::move(value);
    ++size_;
  }
  T take() {
    T value = std::exchange(slots_[first_], T());
    first_ = (first_ + 1) % slots_.size();
    --size_;
    return value;
  }

  std::mutex mutex_;
  std::condition_variable changed_;  // a value came in, or the queue was closed
  std::condition_variable room_;     // half of it is free, or it was closed
  std::vector<T> slots_;             // a ring
  std::size_t first_ = 0;            // slot of the value that is taken next
  std::size_t size_ = 0;             // values that are queued
  bool closed_ = false;
};

}  // namespace lockstep
