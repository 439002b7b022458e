// All threads of lockstep are started here, in three ways: a loop whose items several threads share
// (run_on_threads), one answer that is needed later (run_beside), and a thread that makes what its
// owner takes from a queue (PipelineThread). What is thrown on a thread, a shortage of memory above
// all, is thrown again to the one who waits for it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <future>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace lockstep {

// As many as asked for, or as the machine has where 0 is asked for.
[[nodiscard]] inline std::size_t thread_count(std::size_t wanted) {
  if (wanted != 0) return wanted;
  return std::max<std::size_t>(1, std::thread::hardware_concurrency());
}

// What debuggers and top show for the calling thread; at most 15 characters.
void name_this_thread(const char* name);

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
        helpers.emplace_back([&take_items, i] {
          name_this_thread("items");
          take_items(i);
        });
      } catch (const std::exception&) {
        break;  // too few threads or too little memory for one: those that run do it all
      }
    }
    take_items(0);
  }
  failure.rethrow_if_any();
}

// Begins work() on a thread of its own or, where none can be had, does it when the outcome is asked
// for. Either way what it throws is thrown there. The future waits for it at its end.
template <typename Work>
[[nodiscard]] std::future<std::invoke_result_t<Work&>> run_beside(const char* name, Work work) {
  // A thread that could not be started has taken what it was given.
  const auto kept = std::make_shared<Work>(std::move(work));
  try {
    return std::async(std::launch::async, [name, kept] {
      name_this_thread(name);
      return (*kept)();
    });
  } catch (const std::system_error& failure) {
    if (failure.code() != std::errc::resource_unavailable_try_again) throw;
    return std::async(std::launch::deferred, [kept] { return (*kept)(); });
  }
}

// Runs a part of a pipeline beside its owner, who takes from a queue what it makes. To be the last
// member of the owner: it uses the others until it has ended.
class PipelineThread {
 public:
  // Calls work() and, whether that throws or not, close(), which tells the owner that nothing more
  // comes. Throws std::system_error where no thread can be had.
  template <typename Work, typename Close>
  PipelineThread(const char* name, Work work, Close close)
      : thread_([this, name, work = std::move(work), close = std::move(close)]() mutable noexcept {
          name_this_thread(name);
          try {
            work();
          } catch (...) {
            thrown_ = std::current_exception();
          }
          close();
        }) {}
  ~PipelineThread() { join(); }
  PipelineThread(const PipelineThread&) = delete;
  PipelineThread& operator=(const PipelineThread&) = delete;

  // Waits for its end. The owner lets go first of whatever it waits for.
  void join() {
    if (thread_.joinable()) thread_.join();
  }
  // Throws what work() threw. After close() was seen, or join().
  void rethrow_if_any() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  std::exception_ptr thrown_;  // written before close()
  std::thread thread_;
};

}  // namespace lockstep
