// The compressing sink of zstd.
#include "io/compress/zstd_sink.h"

#include <new>
#include <vector>

#include <zstd.h>
#include <zstd_errors.h>

namespace lockstep::io {
namespace {

constexpr int kZstdLevel = 3;

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

std::unique_ptr<ByteSink> make_zstd_sink(std::unique_ptr<ByteSink> below) {
  return std::make_unique<ZstdSink>(std::move(below));
}

}  // namespace lockstep::io
