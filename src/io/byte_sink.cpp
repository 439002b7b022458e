// Atomic output files, files that are written in place, standard output.
#include "io/byte_sink.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/descriptor.h"
#include "io/output_place.h"
#include "io/unfinished_files.h"

namespace lockstep::io {
namespace {

// Zero, or the reason of the failure.
int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(descriptor, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return 0;
}

class StandardOutputSink : public ByteSink {
 public:
  [[nodiscard]] Status write(std::string_view bytes) override {
    const int reason = write_all(STDOUT_FILENO, bytes);
    if (reason == 0) return {};
    // The hints for files speak of names and places, which this has none of.
    return output_error("standard output", std::string("writing failed: ") + std::strerror(reason),
                        reason == ENOSPC ? "Free some space where it leads" : "");
  }
  [[nodiscard]] Status close() override { return {}; }
};

// So many names are tried before it is taken for granted that something else is wrong.
constexpr int kMaxNames = 100;

// ".lockstep-1f0c3a9b5d7e2468.tmp", another one each time.
std::string temporary_name() {
  std::array<unsigned char, 8> bytes{};
  // Where the kernel has no random bytes, the names of one process still differ.
  if (getrandom(bytes.data(), bytes.size(), GRND_NONBLOCK) < 0) {
    static std::atomic<std::uint32_t> counter{0};
    const std::uint64_t number =
        std::uint64_t{counter++} << 32 | static_cast<std::uint32_t>(getpid());
    std::memcpy(bytes.data(), &number, sizeof(number));
  }
  return fmt::format(".lockstep-{:02x}.tmp", fmt::join(bytes, ""));
}

// A new file in `folder`, or -1 with errno; `path` is its name. The kernel applies the umask, which
// cannot be asked for without changing it for every thread of the process. Where a file with a mode
// of its own is replaced, nobody else may open the new one before it has that mode.
int make_temporary(const std::string& folder, std::optional<mode_t> mode, std::string& path) {
  int descriptor = -1;
  for (int i = 0; i < kMaxNames; ++i) {
    path = folder + temporary_name();
    descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode ? 0600 : 0666);
    if (descriptor >= 0 || errno != EEXIST) break;
  }
  if (descriptor >= 0 && mode) fchmod(descriptor, *mode);
  return descriptor;
}

class AtomicFileSink : public ByteSink {
 public:
  // `path` is what the user calls it; `place` is what is replaced.
  [[nodiscard]] static Result<std::unique_ptr<ByteSink>> open(const std::string& path,
                                                              const OutputPlace& place) {
    std::unique_ptr<AtomicFileSink> sink(new AtomicFileSink(path, place.path));
    LOCKSTEP_RETURN_IF_ERROR(sink->make_file(place.mode));
    return std::unique_ptr<ByteSink>(std::move(sink));
  }

  ~AtomicFileSink() override {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (is_made_ && !renamed_) unlink(temporary_.c_str());
  }
  AtomicFileSink(const AtomicFileSink&) = delete;
  AtomicFileSink& operator=(const AtomicFileSink&) = delete;

  [[nodiscard]] Status write(std::string_view bytes) override {
    const int reason = write_all(descriptor_, bytes);
    return reason == 0 ? Status() : writing_failed(path_, reason);
  }

  [[nodiscard]] Status close() override {
    const int descriptor = descriptor_;
    descriptor_ = -1;
    // Some file systems report a full disk only here.
    if (fsync(descriptor) != 0 && errno != EINVAL && errno != EROFS) {
      const int reason = errno;
      ::close(descriptor);
      return writing_failed(path_, reason);
    }
    if (::close(descriptor) != 0) return writing_failed(path_, errno);
    if (rename(temporary_.c_str(), target_.c_str()) != 0) {
      return output_error(path_, std::string("cannot be replaced: ") + std::strerror(errno));
    }
    renamed_ = true;
    return {};
  }

 private:
  AtomicFileSink(std::string path, std::string target)
      : path_(std::move(path)),
        target_(std::move(target)),
        unfinished_(UnfinishedFile::Kind::kFile) {}

  // Takes no memory once the file is there, so that nothing can fail before it is noted.
  [[nodiscard]] Status make_file(std::optional<mode_t> mode) {
    const SignalsHeld held;
    // A short name: that of the output may be as long as a name can be.
    const std::string folder = target_.substr(0, target_.rfind('/') + 1);
    descriptor_ = make_temporary(folder, mode, temporary_);
    if (descriptor_ < 0) return cannot_be_written(path_, errno);
    is_made_ = true;
    unfinished_.note(temporary_);
    return {};
  }

  int descriptor_ = -1;
  std::string path_;
  std::string target_;
  std::string temporary_;
  UnfinishedFile unfinished_;
  bool is_made_ = false;
  bool renamed_ = false;
};

// Devices and pipes (/dev/null, /dev/full, a fifo) and what is open already are not renamed over.
class PlainFileSink : public ByteSink {
 public:
  PlainFileSink(int descriptor, std::string path)
      : descriptor_(descriptor), path_(std::move(path)) {}
  ~PlainFileSink() override { ::close(descriptor_); }
  PlainFileSink(const PlainFileSink&) = delete;
  PlainFileSink& operator=(const PlainFileSink&) = delete;
  [[nodiscard]] Status write(std::string_view bytes) override {
    const int reason = write_all(descriptor_, bytes);
    return reason == 0 ? Status() : writing_failed(path_, reason);
  }
  [[nodiscard]] Status close() override { return {}; }

 private:
  int descriptor_;
  std::string path_;
};

Result<std::unique_ptr<ByteSink>> open_file(const std::string& path) {
  LOCKSTEP_ASSIGN_OR_RETURN(const OutputPlace place, find_output_place(path));
  if (!place.is_stream) return AtomicFileSink::open(path, place);
  // Our own descriptor is shared, not opened again: a second one would begin at the file's start.
  Descriptor descriptor(place.descriptor ? fcntl(*place.descriptor, F_DUPFD_CLOEXEC, 0)
                                         : ::open(place.path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!descriptor.is_open()) return cannot_be_written(path, errno);
  std::unique_ptr<ByteSink> sink(new PlainFileSink(descriptor.number(), path));
  descriptor.release();
  return sink;
}

}  // namespace

Result<std::unique_ptr<ByteSink>> open_uncompressed_output(const std::string& path) {
  if (path == "-") return std::unique_ptr<ByteSink>(new StandardOutputSink);
  return open_file(path);
}

}  // namespace lockstep::io
