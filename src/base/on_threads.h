// Work items shared by threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

namespace lockstep {

// As many as asked for, or as the machine has where 0 is asked for.
[[nodiscard]] inline std::size_t thread_count(std::size_t wanted) {
  if (wanted != 0) return wanted;
  return std::max<std::size_t>(1, std::thread::hardware_concurrency());
}

// For std::async: on a thread of its own, or, where none can be started, on the thread that asks
// for the outcome. Either way what it throws is thrown there.
inline constexpr std::launch kBesideOrAfterwards = std::launch::async | std::launch::deferred;

// The first exception that one of several threads met.
class FirstFailure {
 public:
  // Inside a catch clause.
  void keep_current() noexcept {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
  // After the threads have ended.
  void rethrow_if_any() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr failure_;
};

// Calls work(thread, item) once for every item below `items`; a thread takes its items in ascending
// order. Returns when all are done. No more threads than items, and fewer than asked for where no
// more can be started: the calling thread, number 0, always works. When work throws, no further
// item is begun and what was thrown first is thrown here.
template <typename Work>
void run_on_threads(std::size_t threads, std::size_t items, const Work& work) {
  std::atomic<std::size_t> next = 0;
  FirstFailure failure;
  const auto take_items = [&](std::size_t thread) noexcept {
    try {
      for (std::size_t item = next++; item < items; item = next++) work(thread, item);
    } catch (...) {
      failure.keep_current();
      next = items;
    }
  };
  {
    std::vector<std::jthread> helpers;
    helpers.reserve(std::min(threads, items));
    for (std::size_t i = 1; i < std::min(threads, items); ++i) {
      try {
        helpers.emplace_back([&take_items, i] { take_items(i); });
      } catch (const std::exception&) {
        break;  // too few threads or too little memory for one: those that run do it all
      }
    }
    take_items(0);
  }
  failure.rethrow_if_any();
}

}  // namespace lockstep
