// Streaming zstd decompression.
#include <algorithm>
#include <new>
#include <vector>

#include <zstd.h>
#include <zstd_errors.h>

#include "io/decompress.h"

namespace lockstep {
namespace {

// Windows above this are refused: a hostile frame could ask for gigabytes.
constexpr int kMaxWindowLog = 27;
constexpr std::size_t kMagicBytes = 4;
constexpr std::size_t kBlockHeaderBytes = 3;
// Given a whole frame at once, zstd delivers all of it or nothing; so a frame is begun with a byte.
constexpr std::size_t kFirstByte = 1;

class ZstdSource : public ByteSource {
 public:
  explicit ZstdSource(std::unique_ptr<ByteSource> below)
      : below_(std::move(below)), input_(ZSTD_DStreamInSize()), stream_(ZSTD_createDStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, kMaxWindowLog);
  }
  ~ZstdSource() override { ZSTD_freeDStream(stream_); }
  ZstdSource(const ZstdSource&) = delete;
  ZstdSource& operator=(const ZstdSource&) = delete;

  [[nodiscard]] Result<std::size_t> read(std::span<char> buffer) override {
    std::size_t filled = 0;
    while (filled < buffer.size() && !finished_) {
      LOCKSTEP_RETURN_IF_ERROR(refill());
      filled += inflate_into(buffer.subspan(filled));
    }
    return filled;
  }

  [[nodiscard]] const Diagnostics& diagnostics() const override { return diagnostics_; }
  [[nodiscard]] std::uint64_t raw_bytes_read() const override { return below_->raw_bytes_read(); }

 private:
  Status refill() {
    if (in_.pos < in_.size || at_end_) return {};
    auto got = below_->read(input_);
    if (!got.ok()) return got.error();
    at_end_ = got.value() < input_.size();
    if (at_end_) diagnostics_.absorb(below_->diagnostics(), {});
    in_ = {input_.data(), got.value(), 0};
    return {};
  }

  // zstd does not say what a call has delivered when the same call meets damage. So a call gets one
  // header or one block, and nothing while the block before is still being handed out.
  [[nodiscard]] std::size_t next_input_bytes() const {
    const std::size_t wanted = hint_ > kBlockHeaderBytes ? hint_ - kBlockHeaderBytes : hint_;
    return is_flushing_ ? 0 : std::min(wanted, in_.size - in_.pos);
  }

  std::size_t inflate_into(std::span<char> buffer) {
    ZSTD_outBuffer out{buffer.data(), buffer.size(), 0};
    ZSTD_inBuffer in{in_.src, in_.pos + next_input_bytes(), in_.pos};
    const bool is_last_call = at_end_ && in_.pos == in_.size && !is_flushing_;
    const std::size_t code = ZSTD_decompressStream(stream_, &out, &in);
    if (ZSTD_isError(code) != 0U) {
      // Nothing is lost: a call that fails had nothing to hand out but its own block. The position
      // is not to be trusted, frames of old versions put it at the end of the buffer.
      in_.pos = in.size;
      meet_error(ZSTD_getErrorCode(code));
      return 0;
    }
    inflated_ += out.pos;
    frame_bytes_ += in.pos - in_.pos;
    in_.pos = in.pos;
    is_flushing_ = out.pos == out.size;
    hint_ = code;
    if (code == 0) {
      end_frame();
    } else if (is_last_call && out.pos == 0) {
      end_without_end_mark();
    }
    return out.pos;
  }

  void end_frame() {
    ++frames_;
    frame_bytes_ = 0;
    hint_ = kFirstByte;
  }

  void meet_error(ZSTD_ErrorCode code) {
    if (code == ZSTD_error_memory_allocation) throw std::bad_alloc();  // no damage of the stream
    if (code == ZSTD_error_checksum_wrong) {
      diagnostics_.add(kChecksumMismatch, Place::byte(inflated_));
      ZSTD_DCtx_reset(stream_, ZSTD_reset_session_only);
      end_frame();
    } else {
      const bool is_foreign = frames_ > 0 && code == ZSTD_error_prefix_unknown;
      give_up(is_foreign ? kBytesAfterCompression : kDamagedCompression);
    }
  }

  void end_without_end_mark() {
    if (frames_ == 0 || frame_bytes_ >= kMagicBytes) {
      give_up(kTruncatedCompression);
    } else if (frame_bytes_ > 0) {
      give_up(kBytesAfterCompression);
    }
    finished_ = true;
  }

  void give_up(const DiagnosticKind& why) {
    diagnostics_.add(why, Place::byte(inflated_));
    finished_ = true;
  }

  std::unique_ptr<ByteSource> below_;
  std::vector<char> input_;
  ZSTD_DStream* stream_;
  ZSTD_inBuffer in_{nullptr, 0, 0};
  Diagnostics diagnostics_;
  std::uint64_t inflated_ = 0;
  std::uint64_t frames_ = 0;       // complete ones
  std::uint64_t frame_bytes_ = 0;  // taken of the frame behind those
  std::size_t hint_ = kFirstByte;  // how many bytes zstd would like next
  bool is_flushing_ = false;       // the last call may have more to hand out
  bool at_end_ = false;            // the source below has no more
  bool finished_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> make_zstd_source(std::unique_ptr<ByteSource> below) {
  return std::make_unique<ZstdSource>(std::move(below));
}

}  // namespace lockstep
