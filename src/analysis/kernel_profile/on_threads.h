// Work items shared by threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace lockstep {

// As many as asked for, or as the machine has where 0 is asked for.
[[nodiscard]] inline std::size_t thread_count(std::size_t wanted) {
  if (wanted != 0) return wanted;
  return std::max<std::size_t>(1, std::thread::hardware_concurrency());
}

// Calls work(thread, item) once for every item below `items`; a thread takes its items in ascending
// order. Returns when all are done. No more threads than items.
template <typename Work>
void run_on_threads(std::size_t threads, std::size_t items, const Work& work) {
  std::atomic<std::size_t> next = 0;
  const auto take_items = [&](std::size_t thread) {
    for (std::size_t item = next++; item < items; item = next++) work(thread, item);
  };
  std::vector<std::jthread> helpers;
  for (std::size_t i = 1; i < std::min(threads, items); ++i) {
    helpers.emplace_back([&take_items, i] { take_items(i); });
  }
  take_items(0);
}

}  // namespace lockstep
