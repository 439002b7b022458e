// LOCKSTEP_SANITIZED is defined where a sanitizer is compiled in: it has an allocator of its own,
// and everything takes ten times as long. g++ and clang say so in two ways.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LOCKSTEP_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LOCKSTEP_SANITIZED
#endif
#endif
