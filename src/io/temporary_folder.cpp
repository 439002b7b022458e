// Making, filling and removing of a folder for temporary files.
#include "io/temporary_folder.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "io/output_place.h"

namespace lockstep {
namespace {

constexpr std::size_t kSpoolBytes = std::size_t{1} << 20;

Status write_all(int file, const char* bytes, std::size_t size, const std::string& path) {
  while (size > 0) {
    const ssize_t n = ::write(file, bytes, size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return writing_failed(path, errno);
    bytes += n;
    size -= static_cast<std::size_t>(n);
  }
  return {};
}

Status copy_to(int file, ByteSource& bytes, const std::string& path) {
  std::string buffer(kSpoolBytes, '\0');
  while (true) {
    LOCKSTEP_ASSIGN_OR_RETURN(const std::size_t n, bytes.read(buffer));
    if (n == 0) return {};
    LOCKSTEP_RETURN_IF_ERROR(write_all(file, buffer.data(), n, path));
  }
}

// What getdents64 fills in (see its manual page); the name follows.
struct FolderEntry {
  std::uint64_t inode;
  std::int64_t next;
  std::uint16_t bytes;
  std::uint8_t type;
};
constexpr std::size_t kNameOffset = offsetof(FolderEntry, type) + 1;

void remove_files_of(int folder) {
  alignas(FolderEntry) std::array<char, 4096> entries;
  long n = 0;
  while ((n = syscall(SYS_getdents64, folder, entries.data(), entries.size())) > 0) {
    std::uint16_t bytes = 0;
    for (long at = 0; at < n; at += bytes) {
      const char* const entry = entries.data() + at;
      std::memcpy(&bytes, entry + offsetof(FolderEntry, bytes), sizeof(bytes));
      unlinkat(folder, entry + kNameOffset, 0);
    }
  }
}

// A folder without folders in it. Allocates nothing: it is removed also where memory is short.
void remove_folder(const char* path) {
  const int folder = ::open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder >= 0) {
    remove_files_of(folder);
    ::close(folder);
  }
  rmdir(path);
}

}  // namespace

TemporaryFolder::TemporaryFolder(const std::string& parent) : path_(parent + "/lockstep.XXXXXX") {}

TemporaryFolder::~TemporaryFolder() {
  if (unfinished_) remove_folder(path_.c_str());
}

Result<std::unique_ptr<TemporaryFolder>> TemporaryFolder::make() {
  const char* wish = std::getenv("TMPDIR");
  const std::string parent = wish != nullptr && *wish != '\0' ? wish : "/tmp";
  std::unique_ptr<TemporaryFolder> folder(new TemporaryFolder(parent));
  const SignalsHeld held;
  if (mkdtemp(folder->path_.data()) == nullptr) {
    Error error = cannot_be_written(parent, errno);
    error.hint = "A folder for temporary files is needed; name one with TMPDIR";
    return error;
  }
  // Takes no memory once the folder is there: nothing may fail before it is noted.
  folder->unfinished_.emplace(folder->path_);
  return folder;
}

std::string TemporaryFolder::reserve(const std::string& name) {
  std::string path = path_ + "/" + name;
  entries_.push_back(std::make_unique<UnfinishedFile>(path));
  return path;
}

Result<std::string> TemporaryFolder::spool(ByteSource& bytes, const std::string& name) {
  std::string path = reserve(name);
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return cannot_be_written(path, errno);
  const Status status = copy_to(file, bytes, path);
  ::close(file);
  if (!status.ok()) return status.error();
  return path;
}

}  // namespace lockstep
