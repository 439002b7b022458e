// Reading from memory and from file descriptors.
#include "io/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "io/descriptor.h"

namespace lockstep::io {
namespace {

std::int64_t written_ns(const struct stat& facts) {
  return std::int64_t{facts.st_mtim.tv_sec} * 1'000'000'000 + facts.st_mtim.tv_nsec;
}

}  // namespace

const DiagnosticKind kFileShrank{
    "file_shrank", Severity::kDataLoss,
    "The file became shorter while it was read; what lay behind its new end is missing."};

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
  posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
  Descriptor owned(descriptor);
  std::unique_ptr<FileSource> source(new FileSource(descriptor, path));
  owned.release();
  return source;
}

FileSource::FileSource(int descriptor, std::string path)
    : descriptor_(descriptor), path_(std::move(path)) {
  struct stat facts{};
  if (fstat(descriptor_, &facts) != 0 || !S_ISREG(facts.st_mode)) return;
  size_ = static_cast<std::uint64_t>(facts.st_size);
  changed_ns_ = written_ns(facts);
  // Standard input may have been read in part. What the kernel makes up (/proc) has no size.
  const off_t start = lseek(descriptor_, 0, SEEK_CUR);
  if (start >= 0 && start < facts.st_size) {
    left_ = static_cast<std::uint64_t>(facts.st_size - start);
  }
}

FileSource::~FileSource() { close(descriptor_); }

Result<std::size_t> FileSource::read(std::span<char> buffer) {
  if (left_) buffer = buffer.first(std::min<std::uint64_t>(buffer.size(), *left_ - position_));
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
  if (left_ && filled < buffer.size()) note_early_end();
  return filled;
}

// Some file systems state sizes that nothing is behind; those files do not change.
void FileSource::note_early_end() {
  struct stat now{};
  const bool is_same = fstat(descriptor_, &now) == 0 &&
                       static_cast<std::uint64_t>(now.st_size) == *size_ &&
                       written_ns(now) == changed_ns_;
  if (!is_same) {
    diagnostics_.add(kFileShrank, Place::byte(position_),
                     std::to_string(position_) + " of " + std::to_string(*left_) + " bytes");
  }
  left_ = position_;
}

}  // namespace lockstep::io
