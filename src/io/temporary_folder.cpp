// Making, filling and removing of a folder for temporary files.
#include "io/temporary_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

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

}  // namespace

TemporaryFolder::TemporaryFolder(std::string path) : path_(std::move(path)) {
  entries_.push_back(std::make_unique<UnfinishedFile>(path_));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Result<std::unique_ptr<TemporaryFolder>> TemporaryFolder::make() {
  const char* wish = std::getenv("TMPDIR");
  const std::string parent = wish != nullptr && *wish != '\0' ? wish : "/tmp";
  std::string path = parent + "/lockstep.XXXXXX";
  const SignalsHeld held;
  if (mkdtemp(path.data()) == nullptr) {
    Error error = cannot_be_written(parent, errno);
    error.hint = "A folder for temporary files is needed; name one with TMPDIR";
    return error;
  }
  return std::unique_ptr<TemporaryFolder>(new TemporaryFolder(std::move(path)));
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
