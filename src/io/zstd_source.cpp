// Streaming zstd decompression.
#include <vector>

#include <zstd.h>

#include "io/decompress.h"

namespace lockstep {
namespace {

// Windows above this are refused: a hostile frame could ask for gigabytes.
constexpr int kMaxWindowLog = 27;

class ZstdSource : public ByteSource {
 public:
  explicit ZstdSource(std::unique_ptr<ByteSource> below)
      : below_(std::move(below)), input_(ZSTD_DStreamInSize()), stream_(ZSTD_createDStream()) {
    ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, kMaxWindowLog);
  }
  ~ZstdSource() override { ZSTD_freeDStream(stream_); }
  ZstdSource(const ZstdSource&) = delete;
  ZstdSource& operator=(const ZstdSource&) = delete;

  [[nodiscard]] Result<std::size_t> read(std::span<char> buffer) override {
    ZSTD_outBuffer out{buffer.data(), buffer.size(), 0};
    while (out.pos < out.size && !finished_) {
      LOCKSTEP_RETURN_IF_ERROR(refill());
      const std::size_t before = out.pos;
      const std::size_t code = ZSTD_decompressStream(stream_, &out, &in_);
      if (ZSTD_isError(code) != 0U) {
        give_up(frames_ > 0 && at_frame_start_ ? kBytesAfterCompression : kDamagedCompression,
                out.pos);
      } else if (code == 0) {
        ++frames_;
        at_frame_start_ = true;
      } else if (at_end_ && in_.pos == in_.size && out.pos == before) {
        if (!at_frame_start_) give_up(kTruncatedCompression, out.pos);
        finished_ = true;
      } else if (out.pos > before) {
        at_frame_start_ = false;
      }
      if (code == 0 && at_end_ && in_.pos == in_.size) finished_ = true;
    }
    inflated_ += out.pos;
    return out.pos;
  }

  [[nodiscard]] const Diagnostics& diagnostics() const override { return diagnostics_; }
  [[nodiscard]] std::uint64_t raw_bytes_read() const override { return below_->raw_bytes_read(); }

 private:
  Status refill() {
    if (in_.pos < in_.size || at_end_) return {};
    auto got = below_->read(input_);
    if (!got.ok()) return got.error();
    at_end_ = got.value() < input_.size();
    in_ = {input_.data(), got.value(), 0};
    return {};
  }

  void give_up(const DiagnosticKind& why, std::size_t just_produced) {
    diagnostics_.add(why, Place::byte(inflated_ + just_produced));
    finished_ = true;
  }

  std::unique_ptr<ByteSource> below_;
  std::vector<char> input_;
  ZSTD_DStream* stream_;
  ZSTD_inBuffer in_{nullptr, 0, 0};
  Diagnostics diagnostics_;
  std::uint64_t inflated_ = 0;
  std::uint64_t frames_ = 0;
  bool at_frame_start_ = true;
  bool at_end_ = false;
  bool finished_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> make_zstd_source(std::unique_ptr<ByteSource> below) {
  return std::make_unique<ZstdSource>(std::move(below));
}

}  // namespace lockstep
