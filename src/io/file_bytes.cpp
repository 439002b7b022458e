// Plain files by pread, all others read whole.
#include "io/file_bytes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "io/input.h"

namespace lockstep::io {
namespace {

constexpr int kShorter = -1;

// How long a file is whose bytes can be used as they lie; 0 for all others.
std::uint64_t plain_bytes(int descriptor) {
  struct stat facts{};
  if (fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_size <= 0) return 0;
  std::array<char, 4> head{};
  const ssize_t n = pread(descriptor, head.data(), head.size(), 0);
  const std::string_view magic(head.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  if (compression_of(magic) != Compression::kNone) return 0;
  return static_cast<std::uint64_t>(facts.st_size);
}

Result<std::string> read_all(Input& input) {
  constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
  std::string all;
  while (true) {
    const std::size_t end = all.size();
    all.resize(end + std::max(kChunkBytes, end / 2));
    LOCKSTEP_ASSIGN_OR_RETURN(const std::size_t n, input.read(std::span(all).subspan(end)));
    const bool is_end = n < all.size() - end;
    all.resize(end + n);
    if (is_end) return all;
  }
}

}  // namespace

Result<std::shared_ptr<const FileBytes>> FileBytes::open(const std::string& path,
                                                         Diagnostics& findings) {
  std::shared_ptr<FileBytes> file(new FileBytes);
  file->path_ = path;
  // Not a FIFO: opened a second time it waits for a writer that may be done.
  std::error_code ignored;
  const bool is_plain = path != "-" && std::filesystem::is_regular_file(path, ignored);
  file->descriptor_ = is_plain ? ::open(path.c_str(), O_RDONLY | O_CLOEXEC) : -1;
  if (file->descriptor_ >= 0) {
    file->size_ = plain_bytes(file->descriptor_);
    if (file->size_ > 0) return std::shared_ptr<const FileBytes>(std::move(file));
  }
  LOCKSTEP_ASSIGN_OR_RETURN(std::unique_ptr<Input> input, Input::open(path));
  LOCKSTEP_ASSIGN_OR_RETURN(file->held_, read_all(*input));
  file->memory_ = std::as_bytes(std::span(file->held_));
  file->size_ = file->memory_.size();
  file->compression_ = input->compression();
  findings.absorb(input->diagnostics(), {});
  return std::shared_ptr<const FileBytes>(std::move(file));
}

std::shared_ptr<const FileBytes> FileBytes::over(std::span<const std::byte> bytes) {
  std::shared_ptr<FileBytes> file(new FileBytes);
  file->memory_ = bytes;
  file->size_ = bytes.size();
  return file;
}

FileBytes::~FileBytes() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void FileBytes::read(std::uint64_t offset, std::span<std::byte> into) const {
  if (!memory_.empty()) {
    std::ranges::copy(memory_.subspan(offset, into.size()), into.begin());
    return;
  }
  while (!into.empty()) {
    const ssize_t n = pread(descriptor_, into.data(), into.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      note_failure(n < 0 ? errno : kShorter);
      std::ranges::fill(into, std::byte{0});
      return;
    }
    into = into.subspan(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
}

std::span<const std::byte> FileBytes::read(std::uint64_t offset, std::size_t count,
                                           std::vector<std::byte>& kept) const {
  if (!memory_.empty()) return memory_.subspan(offset, count);
  kept.resize(count);
  read(offset, kept);
  return kept;
}

void FileBytes::note_failure(int reason) const {
  int none = 0;
  failure_.compare_exchange_strong(none, reason);
}

Status FileBytes::status() const {
  const int reason = failure_;
  if (reason == 0) return {};
  if (reason != kShorter) {
    return input_error(path_, std::string("reading failed: ") + std::strerror(reason));
  }
  return input_error(path_, "became shorter while it was read",
                     "Read it again when nothing writes to it");
}

}  // namespace lockstep::io
