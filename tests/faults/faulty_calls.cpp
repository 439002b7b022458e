// Stands before the C library (LD_PRELOAD) and lets something happen at the n-th call of some of
// its functions on files.
//
//   LOCKSTEP_FAULT="CALLS N WHEN ACTION ARGUMENTS..."
//
// CALLS is a list of names with commas between, or "changes" for all that change files. WHEN is
// "before" or "after". The action is one of
//
//   none                    nothing; the calls are counted
//   signal NUMBER           the signal is sent to the process
//   fault                   a null pointer is followed
//   fail NUMBER             this call and all later ones fail with this error number
//   truncate SIZE PATH      the file is cut to this size
//   append FROM PATH        the bytes of the one file are put behind the other's
//   overwrite FROM PATH     they are put over its beginning
//   rename FROM PATH        the one file is put in the place of the other
//
// LOCKSTEP_FAULT_COUNT names a file that is told at the end how many calls there were.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

namespace {

constexpr const char* kChanges = ",open,mkostemps,mkdtemp,write,fsync,close,rename,unlink,rmdir,";

struct Plan {
  std::string calls;
  long at = 0;
  bool is_after = false;
  std::string action = "none";
  std::string argument;
  std::string path;
};

Plan read_plan() {
  Plan plan;
  const char* const text = getenv("LOCKSTEP_FAULT");
  if (text == nullptr) return plan;
  std::istringstream words(text);
  std::string when;
  words >> plan.calls >> plan.at >> when >> plan.action >> plan.argument >> std::ws;
  std::getline(words, plan.path);
  plan.is_after = when == "after";
  plan.calls = plan.calls == "changes" ? kChanges : "," + plan.calls + ",";
  return plan;
}

const Plan& plan() {
  static const Plan& plan = *new Plan(read_plan());  // used until the very end
  return plan;
}

std::atomic<long> count{0};

// Only what is not watched itself.
std::string content_of(const std::string& path) {
  std::string content;
  const int file = static_cast<int>(syscall(SYS_open, path.c_str(), O_RDONLY));
  char buffer[65536];
  for (long n; (n = syscall(SYS_read, file, buffer, sizeof buffer)) > 0;) {
    content.append(buffer, static_cast<std::size_t>(n));
  }
  syscall(SYS_close, file);
  return content;
}

void put(const std::string& content, const std::string& path, int flags) {
  const int file = static_cast<int>(syscall(SYS_open, path.c_str(), O_WRONLY | flags, 0600));
  if (syscall(SYS_write, file, content.data(), content.size()) < 0) _exit(99);
  syscall(SYS_close, file);
}

void act() {
  const Plan& what = plan();
  if (what.action == "signal") kill(getpid(), atoi(what.argument.c_str()));
  if (what.action == "fault") {
    errno = 0;
    volatile char* volatile nowhere = nullptr;
    *nowhere = 0;
  }
  if (what.action == "truncate" &&
      syscall(SYS_truncate, what.path.c_str(), atol(what.argument.c_str())) != 0) {
    _exit(99);
  }
  if (what.action == "append") put(content_of(what.argument), what.path, O_APPEND);
  if (what.action == "overwrite") put(content_of(what.argument), what.path, 0);
  if (what.action == "rename") syscall(SYS_rename, what.argument.c_str(), what.path.c_str());
}

// One call; true when it is to fail, errno being set.
class Call {
 public:
  explicit Call(const char* name, bool matters = true) {
    if (!matters || plan().calls.find("," + std::string(name) + ",") == std::string::npos) return;
    const long number = ++count;
    is_it_ = number == plan().at;
    if (plan().action == "fail" && plan().at > 0 && number >= plan().at) {
      is_failing_ = true;
      errno = atoi(plan().argument.c_str());
    }
    if (is_it_ && !plan().is_after) act();
  }
  ~Call() {
    const int kept = errno;
    if (is_it_ && plan().is_after) act();
    errno = kept;
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  [[nodiscard]] bool is_failing() const { return is_failing_; }

 private:
  bool is_it_ = false;
  bool is_failing_ = false;
};

template <typename Function>
Function* next_of(Function*, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

__attribute__((destructor)) void tell_count() {
  if (const char* const path = getenv("LOCKSTEP_FAULT_COUNT")) {
    put(std::to_string(count), path, O_CREAT | O_TRUNC);
  }
}

bool makes_file(int flags) { return (flags & O_CREAT) != 0; }

mode_t mode_of(int flags, va_list& rest) {
  return makes_file(flags) ? static_cast<mode_t>(va_arg(rest, int)) : 0;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = mode_of(flags, rest);
  va_end(rest);
  const Call call("open", makes_file(flags));
  if (call.is_failing()) return -1;
  static auto* const next = next_of(&open, "open");
  return next(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = mode_of(flags, rest);
  va_end(rest);
  const Call call("open", makes_file(flags));
  if (call.is_failing()) return -1;
  static auto* const next = next_of(&open64, "open64");
  return next(path, flags, mode);
}

// A function with everything that its header says of it.
#define ONE_CALL(result, failed, function, parameters, promise, arguments, name) \
  result function parameters promise {                                           \
    const Call call(name);                                                       \
    if (call.is_failing()) return failed;                                        \
    static auto* const next = next_of(&function, #function);                     \
    return next arguments;                                                       \
  }

ONE_CALL(int, -1, mkostemps, (char* path, int suffix, int flags), , (path, suffix, flags),
         "mkostemps")
ONE_CALL(int, -1, mkostemps64, (char* path, int suffix, int flags), , (path, suffix, flags),
         "mkostemps")
ONE_CALL(char*, nullptr, mkdtemp, (char* path), noexcept, (path), "mkdtemp")
ONE_CALL(ssize_t, -1, write, (int file, const void* bytes, size_t size), , (file, bytes, size),
         "write")
ONE_CALL(ssize_t, -1, pwrite, (int file, const void* bytes, size_t size, off_t at), ,
         (file, bytes, size, at), "pwrite")
ONE_CALL(ssize_t, -1, pwrite64, (int file, const void* bytes, size_t size, off64_t at), ,
         (file, bytes, size, at), "pwrite")
ONE_CALL(int, -1, fsync, (int file), , (file), "fsync")
ONE_CALL(int, -1, close, (int file), , (file), "close")
ONE_CALL(int, -1, rename, (const char* from, const char* to), noexcept, (from, to), "rename")
ONE_CALL(int, -1, unlink, (const char* path), noexcept, (path), "unlink")
ONE_CALL(int, -1, unlinkat, (int folder, const char* path, int flags), noexcept,
         (folder, path, flags), "unlink")
ONE_CALL(int, -1, rmdir, (const char* path), noexcept, (path), "rmdir")
ONE_CALL(ssize_t, -1, read, (int file, void* bytes, size_t size), , (file, bytes, size), "read")
ONE_CALL(ssize_t, -1, pread, (int file, void* bytes, size_t size, off_t at), ,
         (file, bytes, size, at), "read")
ONE_CALL(ssize_t, -1, pread64, (int file, void* bytes, size_t size, off64_t at), ,
         (file, bytes, size, at), "read")

void* mmap(void* at, size_t size, int protection, int flags, int file, off_t from) noexcept {
  const Call call("read", file >= 0);
  if (call.is_failing()) return MAP_FAILED;
  static auto* const next = next_of(&mmap, "mmap");
  return next(at, size, protection, flags, file, from);
}

}  // extern "C"
