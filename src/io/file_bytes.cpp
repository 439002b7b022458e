// Mapping of plain files, reading of all others.
#include "io/file_bytes.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "io/input.h"

namespace lockstep {
namespace {

// Whether the descriptor is a file whose bytes can be used as they lie, and how many there are.
std::size_t mappable_bytes(int descriptor) {
  struct stat facts{};
  if (fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_size <= 0) return 0;
  std::array<char, 4> head{};
  const ssize_t n = pread(descriptor, head.data(), head.size(), 0);
  const std::string_view magic(head.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  if (compression_of(magic) != Compression::kNone) return 0;
  return static_cast<std::size_t>(facts.st_size);
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
  const int descriptor = path == "-" ? -1 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor >= 0) {
    const std::size_t size = mappable_bytes(descriptor);
    void* const at =
        size == 0 ? MAP_FAILED : mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    ::close(descriptor);
    if (at != MAP_FAILED) {
      file->bytes_ = {static_cast<const std::byte*>(at), size};
      file->is_mapped_ = true;
      return std::shared_ptr<const FileBytes>(std::move(file));
    }
  }
  LOCKSTEP_ASSIGN_OR_RETURN(std::unique_ptr<Input> input, Input::open(path));
  LOCKSTEP_ASSIGN_OR_RETURN(file->held_, read_all(*input));
  file->bytes_ = std::as_bytes(std::span(file->held_));
  findings.absorb(input->diagnostics(), {});
  return std::shared_ptr<const FileBytes>(std::move(file));
}

FileBytes::~FileBytes() {
  if (is_mapped_) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace lockstep
