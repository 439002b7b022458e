// Compressing sinks: gzip through ISA-L, zstd.
#include <new>
#include <vector>

#include <isa-l/igzip_lib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "io/byte_sink.h"

namespace lockstep::io {
namespace {

constexpr std::size_t kOutputBytes = 256 * 1024;
constexpr std::uint32_t kGzipLevel = 2;
constexpr int kZstdLevel = 3;

class GzipSink : public ByteSink {
 public:
  explicit GzipSink(std::unique_ptr<ByteSink> below)
      : below_(std::move(below)), output_(kOutputBytes), work_(ISAL_DEF_LVL2_DEFAULT) {
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

class ZstdSink : public ByteSink {
 public:
  explicit ZstdSink(std::unique_ptr<ByteSink> below)
      : below_(std::move(below)), output_(ZSTD_CStreamOutSize()), stream_(ZSTD_createCStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(stream_, ZSTD_c_compressionLevel, kZstdLevel);
    ZSTD_CCtx_setParameter(stream_, ZSTD_c_checksumFlag, 1);
  }
  ~ZstdSink() override { ZSTD_freeCStream(stream_); }
  ZstdSink(const ZstdSink&) = delete;
  ZstdSink& operator=(const ZstdSink&) = delete;

  [[nodiscard]] Status write(std::string_view bytes) override {
    return feed(bytes, ZSTD_e_continue);
  }
  [[nodiscard]] Status close() override {
    LOCKSTEP_RETURN_IF_ERROR(feed({}, ZSTD_e_end));
    return below_->close();
  }

 private:
  Status feed(std::string_view bytes, ZSTD_EndDirective directive) {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    std::size_t left = 0;
    do {
      ZSTD_outBuffer out{output_.data(), output_.size(), 0};
      left = ZSTD_compressStream2(stream_, &out, &in, directive);
      if (ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation) throw std::bad_alloc();
      if (ZSTD_isError(left) != 0U) {
        return Error{ErrorCode::kInternal, "zstd compression failed", {}, {}};
      }
      LOCKSTEP_RETURN_IF_ERROR(below_->write({output_.data(), out.pos}));
    } while (in.pos < in.size || (directive == ZSTD_e_end && left != 0));
    return {};
  }

  std::unique_ptr<ByteSink> below_;
  std::vector<char> output_;
  ZSTD_CStream* stream_;
};

}  // namespace

std::unique_ptr<ByteSink> make_gzip_sink(std::unique_ptr<ByteSink> below) {
  return std::make_unique<GzipSink>(std::move(below));
}

std::unique_ptr<ByteSink> make_zstd_sink(std::unique_ptr<ByteSink> below) {
  return std::make_unique<ZstdSink>(std::move(below));
}

}  // namespace lockstep::io
