// Reading from memory and from file descriptors.
#include "io/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace lockstep {

Result<std::size_t> MemorySource::read(std::span<char> buffer) {
  const std::size_t n = std::min(buffer.size(), bytes_.size() - position_);
  std::memcpy(buffer.data(), bytes_.data() + position_, n);
  position_ += n;
  return n;
}

Result<std::unique_ptr<FileSource>> FileSource::open(const std::string& path) {
  const bool standard_input = path == "-";
  return take(standard_input ? dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC),
              path);
}

Result<std::unique_ptr<FileSource>> FileSource::open_plain(const std::string& path) {
  // A pipe without a writer would be waited for.
  const int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  LOCKSTEP_ASSIGN_OR_RETURN(auto file, take(::open(path.c_str(), flags), path));
  if (!file->size()) return input_error(path, "is no plain file");
  return file;
}

// `descriptor` is what opening has returned.
Result<std::unique_ptr<FileSource>> FileSource::take(int descriptor, const std::string& path) {
  if (descriptor < 0) {
    const int reason = errno;
    if (reason == ENOENT) return input_error(path, "no such file or directory");
    if (reason == EACCES) {
      return input_error(path, "no permission to read this file", "Check its mode and owner");
    }
    return input_error(path, std::string("cannot be opened: ") + std::strerror(reason));
  }
  struct stat facts{};
  std::optional<std::uint64_t> size;
  if (fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode)) {
    size = static_cast<std::uint64_t>(facts.st_size);
  }
  posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
  return std::unique_ptr<FileSource>(new FileSource(descriptor, path, size));
}

FileSource::FileSource(int descriptor, std::string path, std::optional<std::uint64_t> size)
    : descriptor_(descriptor), path_(std::move(path)), size_(size) {}

FileSource::~FileSource() { close(descriptor_); }

Result<std::size_t> FileSource::read(std::span<char> buffer) {
  std::size_t filled = 0;
  while (filled < buffer.size()) {
    const ssize_t n = ::read(descriptor_, buffer.data() + filled, buffer.size() - filled);
    if (n == 0) break;
    if (n < 0) {
      if (errno == EINTR) continue;
      return input_error(path_, std::string("reading failed: ") + std::strerror(errno));
    }
    filled += static_cast<std::size_t>(n);
  }
  position_ += filled;
  return filled;
}

}  // namespace lockstep
