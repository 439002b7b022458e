// Opening of inputs: compression by content, the head for sniffing, directories.
#include "io/input.h"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "io/compress/gzip_source.h"
#include "io/compress/zstd_source.h"

namespace lockstep::io {
namespace {

namespace fs = std::filesystem;

// Hands out some bytes that were already read, then the rest of the source below.
class RewoundSource : public ByteSource {
 public:
  RewoundSource(std::string front, std::unique_ptr<ByteSource> below)
      : front_(std::move(front)), below_(std::move(below)) {}

  [[nodiscard]] Result<std::size_t> read(std::span<char> buffer) override {
    const std::size_t n = std::min(buffer.size(), front_.size() - given_);
    std::memcpy(buffer.data(), front_.data() + given_, n);
    given_ += n;
    if (n == buffer.size()) return n;
    LOCKSTEP_ASSIGN_OR_RETURN(const std::size_t more, below_->read(buffer.subspan(n)));
    return n + more;
  }
  [[nodiscard]] const Diagnostics& diagnostics() const override { return below_->diagnostics(); }
  [[nodiscard]] std::uint64_t raw_bytes_read() const override { return below_->raw_bytes_read(); }

 private:
  std::string front_;
  std::size_t given_ = 0;
  std::unique_ptr<ByteSource> below_;
};

constexpr std::size_t kMagicBytes = 4;

bool has_facts(const std::string& path, int stream, struct stat& facts) {
  return (path == "-" ? fstat(stream, &facts) : stat(path.c_str(), &facts)) == 0;
}

bool is_made_up_by_the_kernel(const std::string& path) {
  struct statfs facts{};
  if (statfs(path.c_str(), &facts) != 0) return false;
  switch (facts.f_type) {
    case PROC_SUPER_MAGIC:
    case SYSFS_MAGIC:
    case TRACEFS_MAGIC:
    case DEBUGFS_MAGIC:
      return true;
    default:
      return false;
  }
}

Error cannot_list(const std::string& folder, const std::error_code& failure) {
  if (failure == std::errc::permission_denied) {
    return input_error(folder, "no permission to list this folder", "Check its mode and owner");
  }
  return input_error(folder, "cannot be listed: " + failure.message());
}

// Adds what lies in a folder and below. Fails when the folder itself cannot be listed; a folder
// inside that cannot is an entry. Links to folders are not followed, so that none is met twice.
Status list_folder(const std::string& top, FileList& list) {
  std::vector<std::string> waiting = {top};
  while (!waiting.empty()) {
    const std::string folder = std::move(waiting.back());
    waiting.pop_back();
    std::error_code failure;
    fs::directory_iterator it(folder, failure);
    for (; !failure && it != fs::directory_iterator(); it.increment(failure)) {
      const std::string path = it->path().string();
      if (it->path().filename().string().starts_with('.')) continue;
      std::error_code unknown;
      const fs::file_status status = it->status(unknown);
      if (fs::is_regular_file(status)) {
        if (!it->is_symlink(unknown) || !is_made_up_by_the_kernel(path)) list.files.push_back(path);
      } else if (fs::is_directory(status) && !it->is_symlink(unknown)) {
        waiting.push_back(path);
      } else if (!fs::status_known(status) && unknown != std::errc::too_many_symbolic_link_levels) {
        list.unreadable.push_back(input_error(path, "cannot be looked at: " + unknown.message()));
      }
    }
    if (!failure) continue;
    if (folder == top) return cannot_list(folder, failure);
    list.unreadable.push_back(cannot_list(folder, failure));
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Input>> Input::open(const std::string& path) {
  if (is_directory(path)) return input_error(path, "is a directory");
  LOCKSTEP_ASSIGN_OR_RETURN(std::unique_ptr<FileSource> file, FileSource::open(path));
  const std::optional<std::uint64_t> size = file->size();
  return wrap(std::move(file), path, size);
}

Result<std::unique_ptr<Input>> Input::wrap(std::unique_ptr<ByteSource> bytes, std::string path,
                                           std::optional<std::uint64_t> size) {
  std::string magic(kMagicBytes, '\0');
  LOCKSTEP_ASSIGN_OR_RETURN(const std::size_t n, bytes->read(magic));
  magic.resize(n);

  std::unique_ptr<Input> input(new Input);
  input->path_ = std::move(path);
  input->size_ = size;
  input->compression_ = compression_of(magic);
  input->bytes_ = std::make_unique<RewoundSource>(magic, std::move(bytes));
  if (input->compression_ == Compression::kGzip) {
    input->bytes_ = make_gzip_source(std::move(input->bytes_));
  } else if (input->compression_ == Compression::kZstd) {
    input->bytes_ = make_zstd_source(std::move(input->bytes_));
  }

  input->head_.resize(kSniffBytes);
  LOCKSTEP_ASSIGN_OR_RETURN(const std::size_t sniffed, input->bytes_->read(input->head_));
  input->head_.resize(sniffed);
  return input;
}

Result<std::size_t> Input::read(std::span<char> buffer) {
  std::size_t n = std::min(buffer.size(), head_.size() - head_given_);
  std::memcpy(buffer.data(), head_.data() + head_given_, n);
  head_given_ += n;
  if (n < buffer.size()) {
    LOCKSTEP_ASSIGN_OR_RETURN(const std::size_t more, bytes_->read(buffer.subspan(n)));
    n += more;
  }
  delivered_ += n;
  return n;
}

bool is_directory(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

Result<FileList> list_files(const std::string& directory) {
  FileList list;
  LOCKSTEP_RETURN_IF_ERROR(list_folder(directory, list));
  std::ranges::sort(list.files);
  std::ranges::sort(list.unreadable, {}, &Error::where);
  return list;
}

bool is_same_file(const std::string& input, const std::string& output) {
  struct stat read{};
  struct stat written{};
  if (!has_facts(input, STDIN_FILENO, read)) return false;
  if (!has_facts(output, STDOUT_FILENO, written)) return false;
  const bool is_stream = S_ISCHR(read.st_mode) || S_ISFIFO(read.st_mode) || S_ISSOCK(read.st_mode);
  return !is_stream && read.st_dev == written.st_dev && read.st_ino == written.st_ino;
}

bool is_character_device(const std::string& path) {
  struct stat facts{};
  return has_facts(path, STDIN_FILENO, facts) && S_ISCHR(facts.st_mode);
}

std::unique_ptr<ByteSource> make_rewound_source(std::string front,
                                                std::unique_ptr<ByteSource> below) {
  return std::make_unique<RewoundSource>(std::move(front), std::move(below));
}

}  // namespace lockstep::io
