// Too little memory, too few threads: the one failure that travels as an exception.
//
// It can strike at every allocation, so no Result could carry it. std::bad_alloc, std::length_error
// of a size that no memory can hold, and std::system_error of a thread that cannot be started pass
// through all folders up to main, which says them in a sentence. A thread hands what it caught to
// the thread that waits for it (base/on_threads.h, io/read_ahead.h). A library that reports it
// otherwise is wrapped where it is called, lest it be taken for a damaged input.
#pragma once

#include <exception>

namespace lockstep {

// The sentence for people; null when `error` is something else. Allocates nothing.
[[nodiscard]] const char* shortage_sentence(const std::exception& error) noexcept;

}  // namespace lockstep
