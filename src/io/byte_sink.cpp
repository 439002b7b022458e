// Atomic output files, standard output, and the clean-up of both on signals.
#include "io/byte_sink.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace lockstep {
namespace {

// Names of unfinished files, readable from a signal handler: fixed storage, lock-free flags.
constexpr std::size_t kMaxUnfinished = 16;
constexpr std::size_t kMaxPath = 4096;
struct UnfinishedFile {
  std::atomic<bool> in_use{false};
  std::array<char, kMaxPath> path{};
};
std::array<UnfinishedFile, kMaxUnfinished> unfinished_files;

UnfinishedFile* remember_unfinished(const std::string& path) {
  if (path.size() + 1 > kMaxPath) return nullptr;
  for (UnfinishedFile& file : unfinished_files) {
    if (file.in_use) continue;
    std::memcpy(file.path.data(), path.c_str(), path.size() + 1);
    file.in_use = true;
    return &file;
  }
  return nullptr;
}

extern "C" void remove_unfinished_and_die(int signal_number) {
  for (UnfinishedFile& file : unfinished_files) {
    if (file.in_use) unlink(file.path.data());
  }
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
}

Status write_all(int descriptor, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(descriptor, bytes.data(), bytes.size());
    if (n < 0) {
      if (errno == EINTR) continue;
      const char* hint = errno == ENOSPC ? "Free some space or choose another place with -o" : "";
      return output_error(path, std::string("writing failed: ") + std::strerror(errno), hint);
    }
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

class StandardOutputSink : public ByteSink {
 public:
  [[nodiscard]] Status write(std::string_view bytes) override {
    return write_all(STDOUT_FILENO, bytes, "standard output");
  }
  [[nodiscard]] Status close() override { return {}; }
};

class AtomicFileSink : public ByteSink {
 public:
  [[nodiscard]] static Result<std::unique_ptr<ByteSink>> open(const std::string& path) {
    std::string temporary = path + ".XXXXXX.tmp";
    const int descriptor = mkostemps(temporary.data(), 4, O_CLOEXEC);
    if (descriptor < 0) {
      return output_error(path, std::string("cannot be written: ") + std::strerror(errno),
                          "Check that the folder exists and that you may write there");
    }
    const mode_t mask = umask(0);
    umask(mask);
    fchmod(descriptor, 0666 & ~mask);
    return std::unique_ptr<ByteSink>(new AtomicFileSink(descriptor, path, temporary));
  }

  ~AtomicFileSink() override {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!renamed_) unlink(temporary_.c_str());
    if (unfinished_ != nullptr) unfinished_->in_use = false;
  }
  AtomicFileSink(const AtomicFileSink&) = delete;
  AtomicFileSink& operator=(const AtomicFileSink&) = delete;

  [[nodiscard]] Status write(std::string_view bytes) override {
    return write_all(descriptor_, bytes, path_);
  }

  [[nodiscard]] Status close() override {
    const int descriptor = descriptor_;
    descriptor_ = -1;
    // Some file systems report a full disk only here.
    if (fsync(descriptor) != 0 && errno != EINVAL && errno != EROFS) {
      const int reason = errno;
      ::close(descriptor);
      return output_error(path_, std::string("writing failed: ") + std::strerror(reason));
    }
    if (::close(descriptor) != 0) {
      return output_error(path_, std::string("writing failed: ") + std::strerror(errno));
    }
    if (rename(temporary_.c_str(), path_.c_str()) != 0) {
      return output_error(path_, std::string("cannot be replaced: ") + std::strerror(errno));
    }
    renamed_ = true;
    return {};
  }

 private:
  AtomicFileSink(int descriptor, std::string path, std::string temporary)
      : descriptor_(descriptor),
        path_(std::move(path)),
        temporary_(std::move(temporary)),
        unfinished_(remember_unfinished(temporary_)) {}

  int descriptor_;
  std::string path_;
  std::string temporary_;
  UnfinishedFile* unfinished_;
  bool renamed_ = false;
};

// Devices and pipes (/dev/null, /dev/full, a fifo) cannot be renamed over.
class PlainFileSink : public ByteSink {
 public:
  PlainFileSink(int descriptor, std::string path)
      : descriptor_(descriptor), path_(std::move(path)) {}
  ~PlainFileSink() override { ::close(descriptor_); }
  PlainFileSink(const PlainFileSink&) = delete;
  PlainFileSink& operator=(const PlainFileSink&) = delete;
  [[nodiscard]] Status write(std::string_view bytes) override {
    return write_all(descriptor_, bytes, path_);
  }
  [[nodiscard]] Status close() override { return {}; }

 private:
  int descriptor_;
  std::string path_;
};

Result<std::unique_ptr<ByteSink>> open_file(const std::string& path) {
  struct stat facts{};
  const bool exists = stat(path.c_str(), &facts) == 0;
  if (exists && S_ISDIR(facts.st_mode)) {
    return output_error(path, "is a directory", "Name a file with -o");
  }
  if (!exists || S_ISREG(facts.st_mode)) return AtomicFileSink::open(path);
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) {
    return output_error(path, std::string("cannot be written: ") + std::strerror(errno));
  }
  return std::unique_ptr<ByteSink>(new PlainFileSink(descriptor, path));
}

}  // namespace

Result<std::unique_ptr<ByteSink>> open_output(const std::string& path) {
  if (path == "-") return std::unique_ptr<ByteSink>(new StandardOutputSink);
  LOCKSTEP_ASSIGN_OR_RETURN(std::unique_ptr<ByteSink> file, open_file(path));
  if (path.ends_with(".gz")) return make_gzip_sink(std::move(file));
  if (path.ends_with(".zst")) return make_zstd_sink(std::move(file));
  return file;
}

void remove_unfinished_outputs_on_signal() {
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP}) {
    const auto before = std::signal(signal_number, remove_unfinished_and_die);
    if (before == SIG_IGN) std::signal(signal_number, SIG_IGN);  // nohup, or a job of a script
  }
}

}  // namespace lockstep
