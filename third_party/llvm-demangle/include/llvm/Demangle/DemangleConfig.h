// How LLVM's demangler is set up in lockstep. This file is lockstep's own: LLVM and libc++abi have one
// each, with the same macros.
#ifndef LOCKSTEP_DEMANGLE_CONFIG_H
#define LOCKSTEP_DEMANGLE_CONFIG_H

#include <cstddef>
#include <cstdlib>
#include <new>
#include <stdexcept>

#define DEMANGLE_ATTRIBUTE_USED __attribute__((__used__))
#define DEMANGLE_ATTRIBUTE_NOINLINE __attribute__((noinline))
#define DEMANGLE_DUMP_METHOD DEMANGLE_ATTRIBUTE_NOINLINE
#define DEMANGLE_UNREACHABLE __builtin_unreachable()
#define DEMANGLE_FALLTHROUGH [[fallthrough]]
#define DEMANGLE_ABI

// A name that breaks a rule of the parser is a name that cannot be demangled: no reason to end the program.
#define DEMANGLE_ASSERT(expression, message) \
  ((expression) ? static_cast<void>(0) : throw std::logic_error(message))

// Not LLVM's namespace: a program that links our library and LLVM has both, of two versions.
#define DEMANGLE_NAMESPACE_BEGIN namespace lockstep { namespace itanium_demangle {
#define DEMANGLE_NAMESPACE_END } }

// LLVM's parser ends the program where memory is short. With these it throws, and what was held stays held.
DEMANGLE_NAMESPACE_BEGIN

inline void *demangle_malloc(std::size_t Size) {
  void *Memory = std::malloc(Size);
  if (Memory == nullptr)
    throw std::bad_alloc();
  return Memory;
}

inline void *demangle_realloc(void *Held, std::size_t Size) {
  void *Memory = std::realloc(Held, Size);
  if (Memory == nullptr)
    throw std::bad_alloc();
  return Memory;
}

DEMANGLE_NAMESPACE_END

#endif
