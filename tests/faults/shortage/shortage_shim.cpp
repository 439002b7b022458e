// Preloaded into a program (LD_PRELOAD), makes an allocation or the start of a thread fail.
//
//   SHORTAGE_ALLOCATION=N   the N-th allocation fails, counted from main() on
//   SHORTAGE_FOR_GOOD=1     and every one behind it
//   SHORTAGE_THREAD=N       the N-th start of a thread fails, and with FOR_GOOD all behind it
//   SHORTAGE_COUNTS=FILE    how many there were of both is written here when the program returns
//
// What happens before main() is the loader's. malloc of glibc is reached by the names that glibc
// keeps for it, so that nothing has to be looked up, which would itself allocate.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace {

// One sort of what can fail.
struct Counter {
  std::atomic<long> count{0};
  long fails_at = 0;  // never

  bool fails(bool is_armed, bool for_good) {
    if (!is_armed) return false;
    const long number = ++count;
    return fails_at > 0 && (number == fails_at || (for_good && number > fails_at));
  }
};

std::atomic<bool> is_armed{false};
bool for_good = false;
Counter allocations;
Counter threads;

bool allocation_fails() {
  if (!allocations.fails(is_armed, for_good)) return false;
  errno = ENOMEM;
  return true;
}

long number_of(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? 0 : std::atol(text);
}

using Main = int (*)(int, char**, char**);
using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
using Map = void* (*)(void*, std::size_t, int, int, int, off_t);

Main real_main = nullptr;
Create real_create = nullptr;
Map real_map = nullptr;

void write_counts(const char* path) {
  char text[64];
  const int size = std::snprintf(text, sizeof(text), "%ld %ld\n", allocations.count.load(),
                                 threads.count.load());
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0 || write(file, text, static_cast<std::size_t>(size)) != size) std::abort();
  close(file);
}

int counted_main(int argc, char** argv, char** environment) {
  is_armed = true;
  const int code = real_main(argc, argv, environment);
  is_armed = false;
  if (const char* const path = std::getenv("SHORTAGE_COUNTS")) write_counts(path);
  return code;
}

}  // namespace

extern "C" {

int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*fini)(),
                      void (*rtld_fini)(), void* stack_end) {
  real_main = main;
  real_create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  real_map = reinterpret_cast<Map>(dlsym(RTLD_NEXT, "mmap"));
  for_good = number_of("SHORTAGE_FOR_GOOD") != 0;
  allocations.fails_at = number_of("SHORTAGE_ALLOCATION");
  threads.fails_at = number_of("SHORTAGE_THREAD");
  const auto start = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return start(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}

void* malloc(std::size_t size) { return allocation_fails() ? nullptr : __libc_malloc(size); }

void* calloc(std::size_t count, std::size_t size) {
  return allocation_fails() ? nullptr : __libc_calloc(count, size);
}

void* realloc(void* block, std::size_t size) {
  return size != 0 && allocation_fails() ? nullptr : __libc_realloc(block, size);
}

void* memalign(std::size_t alignment, std::size_t size) {
  return allocation_fails() ? nullptr : __libc_memalign(alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }

int posix_memalign(void** block, std::size_t alignment, std::size_t size) {
  void* const made = memalign(alignment, size);
  if (made == nullptr) return ENOMEM;
  *block = made;
  return 0;
}

void* mmap(void* wish, std::size_t size, int protection, int flags, int file, off_t offset) {
  if (allocation_fails()) return MAP_FAILED;
  if (real_map != nullptr) return real_map(wish, size, protection, flags, file, offset);
  return reinterpret_cast<void*>(syscall(SYS_mmap, wish, size, protection, flags, file, offset));
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*),
                   void* argument) {
  if (threads.fails(is_armed, for_good)) return EAGAIN;
  return real_create(thread, attributes, body, argument);
}

}  // extern "C"
