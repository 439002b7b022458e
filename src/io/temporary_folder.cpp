// Making, filling and removing of a folder for temporary files.
#include "io/temporary_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "io/descriptor.h"
#include "io/output_place.h"

namespace lockstep::io {
namespace {

constexpr std::size_t kSpoolBytes = std::size_t{1} << 20;

Status write_all(int file, const char* bytes, std::size_t size, const std::string& path) {
  while (size > 0) {
    const ssize_t n = ::write(file, bytes, size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return temporary_writing_failed(path, errno);
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

}  // namespace

Error temporary_writing_failed(const std::string& path, int reason) {
  Error error = writing_failed(path, reason);
  if (reason == ENOSPC || reason == EDQUOT) {
    error.hint = "Free some space there or name another folder with TMPDIR";
  }
  return error;
}

TemporaryFolder::TemporaryFolder(const std::string& parent)
    : path_(parent + "/lockstep.XXXXXX"), unfinished_(UnfinishedFile::Kind::kFolder) {}

TemporaryFolder::~TemporaryFolder() {
  if (!is_made_) return;
  // Listing the folder takes a descriptor, and there may be none left.
  for (const std::string& file : files_) unlink(file.c_str());
  remove_folder_of_files(path_.c_str());
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
  folder->is_made_ = true;
  folder->unfinished_.note(folder->path_);
  return folder;
}

std::string TemporaryFolder::reserve(const std::string& name) {
  return files_.emplace_back(path_ + "/" + name);
}

Result<std::string> TemporaryFolder::spool(ByteSource& bytes, const std::string& name) {
  std::string path = reserve(name);
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.is_open()) return cannot_be_written(path, errno);
  LOCKSTEP_RETURN_IF_ERROR(copy_to(file.number(), bytes, path));
  return path;
}

}  // namespace lockstep::io
