// Too little memory, too few threads: the one failure that travels as an exception.
//
// It can strike at every allocation, so no Result could carry it. std::bad_alloc, std::length_error
// of a size that no memory can hold, and std::system_error of a thread that cannot be started pass
// through all folders up to main, which says them in a sentence. A thread hands what it caught to
// the thread that waits for it (base/threads/on_threads.h, io/read_ahead.h). A library that reports
// it otherwise is wrapped where it is called, lest it be taken for a damaged input.
#pragma once

#include <cstdint>
#include <exception>

namespace lockstep {

// The sentence for people; null when `error` is something else. Allocates nothing.
[[nodiscard]] const char* shortage_sentence(const std::exception& error) noexcept;

// From here on every failed operator new of the program is counted, also one that a library asked
// not to throw. Called once by main; replaces the new handler.
void count_failed_allocations();
// Of the calling thread, since then.
[[nodiscard]] std::uint64_t failed_allocations() noexcept;

}  // namespace lockstep
