// The compressing sink of gzip, through ISA-L.
#include "io/compress/gzip_sink.h"

#include <vector>

#include <isa-l/igzip_lib.h>

namespace lockstep::io {
namespace {

constexpr std::size_t kDeflatedBytes = 256 * 1024;
constexpr std::uint32_t kGzipLevel = 2;

class GzipSink : public ByteSink {
 public:
  explicit GzipSink(std::unique_ptr<ByteSink> below)
      : below_(std::move(below)), output_(kDeflatedBytes), work_(ISAL_DEF_LVL2_DEFAULT) {
    isal_deflate_init(&stream_);
    stream_.gzip_flag = IGZIP_GZIP;
    stream_.level = kGzipLevel;
    stream_.level_buf = work_.data();
    stream_.level_buf_size = static_cast<std::uint32_t>(work_.size());
  }

  [[nodiscard]] Status write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const std::string_view part = bytes.substr(0, 1U << 30);
      // ISA-L does not write to its input.
      stream_.next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(part.data()));
      stream_.avail_in = static_cast<std::uint32_t>(part.size());
      LOCKSTEP_RETURN_IF_ERROR(deflate());
      bytes.remove_prefix(part.size());
    }
    return {};
  }

  [[nodiscard]] Status close() override {
    stream_.end_of_stream = 1;
    stream_.avail_in = 0;
    LOCKSTEP_RETURN_IF_ERROR(deflate());
    return below_->close();
  }

 private:
  Status deflate() {
    do {
      stream_.next_out = output_.data();
      stream_.avail_out = static_cast<std::uint32_t>(output_.size());
      if (isal_deflate(&stream_) != COMP_OK) {
        return Error{ErrorCode::kInternal, "gzip compression failed", {}, {}};
      }
      const std::size_t produced = output_.size() - stream_.avail_out;
      LOCKSTEP_RETURN_IF_ERROR(
          below_->write({reinterpret_cast<const char*>(output_.data()), produced}));
    } while (stream_.avail_out == 0 || stream_.avail_in > 0);
    return {};
  }

  std::unique_ptr<ByteSink> below_;
  std::vector<std::uint8_t> output_;
  std::vector<std::uint8_t> work_;
  isal_zstream stream_{};
};

}  // namespace

std::unique_ptr<ByteSink> make_gzip_sink(std::unique_ptr<ByteSink> below) {
  return std::make_unique<GzipSink>(std::move(below));
}

}  // namespace lockstep::io
