// Following of links, one at a time: those of /proc lead to open files, which have no name.
#include "io/output_place.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <string_view>

namespace lockstep::io {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxLinks = 40;  // as the kernel has it

// The folder that `path` stands in, without links; empty when there is none.
std::string real_folder_of(const fs::path& path) {
  std::error_code ignored;
  return fs::canonical(path.has_parent_path() ? path.parent_path() : ".", ignored).string();
}

bool is_descriptor_folder(std::string_view folder) {
  return folder.starts_with("/proc/") && folder.ends_with("/fd");
}

// Which of our own descriptors a name in such a folder means.
std::optional<int> own_descriptor(std::string_view folder, const std::string& name) {
  const std::string process = std::to_string(getpid());
  if (!folder.starts_with("/proc/" + process + "/")) return std::nullopt;
  int number = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc{} || end != name.data() + name.size()) return std::nullopt;
  return number;
}

const char* hint_for(int reason) {
  switch (reason) {
    case ENOENT:
      return "Check that the folder exists";
    case ENOTDIR:
      return "A part of this path is a file, not a folder";
    case EACCES:
    case EPERM:
      return "Check that you may write there";
    case EROFS:
      return "Nothing can be written there; choose another place";
    case ENAMETOOLONG:
      return "Choose a shorter name";
    case ELOOP:
      return "Its links lead in a circle";
    case ENOSPC:
      return "Free some space or choose another place";
    case EDQUOT:
      return "Your quota is used up; free some space or choose another place";
    case EFBIG:
      return "The limit on the size of files is reached (see 'ulimit -f')";
    default:
      return "";
  }
}

// What is known of the end of the links.
Result<OutputPlace> place_of(const std::string& path, fs::path end, const struct stat* facts) {
  OutputPlace place;
  place.path = std::move(end);
  if (facts == nullptr) return place;
  if (S_ISDIR(facts->st_mode)) return output_error(path, "is a directory", "Name a file");
  place.is_stream = !S_ISREG(facts->st_mode);
  place.mode = facts->st_mode & 0777;
  return place;
}

}  // namespace

Result<OutputPlace> find_output_place(const std::string& path) {
  fs::path at = path;
  for (int links = 0; links <= kMaxLinks; ++links) {
    const std::string folder = real_folder_of(at);
    if (is_descriptor_folder(folder)) {
      return OutputPlace{at, own_descriptor(folder, at.filename()), true, std::nullopt};
    }
    struct stat facts{};
    if (lstat(at.c_str(), &facts) != 0) {
      if (errno != ENOENT) return cannot_be_written(path, errno);
      return place_of(path, at, nullptr);
    }
    if (!S_ISLNK(facts.st_mode)) return place_of(path, at, &facts);
    std::error_code failure;
    const fs::path target = fs::read_symlink(at, failure);
    if (failure) return cannot_be_written(path, failure.value());
    at = at.parent_path() / target;
  }
  return cannot_be_written(path, ELOOP);
}

Error cannot_be_written(const std::string& path, int reason) {
  return output_error(path, std::string("cannot be written: ") + std::strerror(reason),
                      hint_for(reason));
}

Error writing_failed(const std::string& path, int reason) {
  return output_error(path, std::string("writing failed: ") + std::strerror(reason),
                      hint_for(reason));
}

}  // namespace lockstep::io
