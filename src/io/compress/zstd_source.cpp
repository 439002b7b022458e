// Streaming zstd decompression.
#include "io/compress/zstd_source.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include <zstd.h>
#include <zstd_errors.h>

#include "io/compress/decompress.h"

namespace lockstep::io {
namespace {

// Windows above this are refused: a hostile frame could ask for gigabytes.
constexpr int kMaxWindowLog = 27;
constexpr std::size_t kMagicBytes = 4;
constexpr std::size_t kSkippedHeadBytes = 8;  // of a frame that zstd skips: magic and size
constexpr std::size_t kHeadBytes = kSkippedHeadBytes + kMagicBytes;
// pzstd puts 12 bytes before every frame, seekable files end with a table of 8 bytes a frame.
constexpr std::uint32_t kLargeSkippedBytes = 64 * 1024;
constexpr std::size_t kBlockHeaderBytes = 3;
// Given a whole frame at once, zstd delivers all of it or nothing; so a frame is begun with a byte.
constexpr std::size_t kFirstByte = 1;
constexpr std::string_view kFrameMagic = "\x28\xB5\x2F\xFD";
constexpr std::string_view kSkippedMagic = "\x50\x2A\x4D\x18";

// Whether a file that was cut may end so.
bool is_begun_magic(std::string_view end) {
  if (end.size() >= kMagicBytes) return false;
  return std::ranges::any_of(std::array{kFrameMagic, kSkippedMagic}, [&](std::string_view magic) {
    const std::string whole = std::string(end).append(magic.substr(end.size()));
    return compression_of(whole) == Compression::kZstd;
  });
}

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
      LOCKSTEP_RETURN_IF_ERROR(frame_bytes_ == 0 && !is_flushing_ ? begin_frame() : fetch(1));
      if (finished_) break;
      filled += inflate_into(buffer.subspan(filled));
    }
    return filled;
  }

  [[nodiscard]] const Diagnostics& diagnostics() const override { return diagnostics_; }
  [[nodiscard]] std::uint64_t raw_bytes_read() const override { return below_->raw_bytes_read(); }

 private:
  // Unless the source below ends before.
  Status fetch(std::size_t at_least) {
    const std::size_t left = in_.size - in_.pos;
    if (left >= at_least || at_end_) return {};
    std::memmove(input_.data(), input_.data() + in_.pos, left);
    const std::span<char> room = std::span(input_).subspan(left);
    auto got = below_->read(room);
    if (!got.ok()) return got.error();
    at_end_ = got.value() < room.size();
    if (at_end_) diagnostics_.absorb(below_->diagnostics(), {});
    in_ = {input_.data(), left + got.value(), 0};
    fetched_ += got.value();
    return {};
  }

  // What lies ahead, as far as it was fetched.
  [[nodiscard]] std::string_view ahead(std::size_t most) const {
    return std::string_view(input_.data(), in_.size).substr(in_.pos, most);
  }

  // Behind a frame: zero padding, another frame, or something that is not ours.
  Status begin_frame() {
    if (frames_ > 0) LOCKSTEP_RETURN_IF_ERROR(skip_zeros());
    LOCKSTEP_RETURN_IF_ERROR(fetch(kHeadBytes));
    const std::string_view head = ahead(kHeadBytes);
    const bool is_frame = compression_of(head) == Compression::kZstd;
    if (is_frame && !head.starts_with(kFrameMagic)) judge_skipped(head);
    if (frames_ > 0 && !is_frame && !is_begun_magic(head)) {
      give_up(head.size() < kFewestMemberBytes ? kBytesAfterCompression : kUnreadCompression);
    }
    return {};
  }

  Status skip_zeros() {
    std::uint64_t zeros = 0;
    for (;; ++zeros) {
      LOCKSTEP_RETURN_IF_ERROR(fetch(1));
      if (ahead(1) != std::string_view("\0", 1)) break;
      ++in_.pos;
    }
    if (!is_padding(zeros, fetched_ - (in_.size - in_.pos))) {
      diagnostics_.add(kUnreadCompression, Place::byte(inflated_));
    }
    return {};
  }

  // A frame whose head became that of one to skip is as good as lost.
  void judge_skipped(std::string_view head) {
    std::uint32_t size = 0;
    for (std::size_t i = head.size(); i-- > kMagicBytes;) {
      if (i < kSkippedHeadBytes) size = size << 8U | static_cast<unsigned char>(head[i]);
    }
    if (head.size() == kHeadBytes && size >= kFewestMemberBytes && head.ends_with(kFrameMagic)) {
      diagnostics_.add(kUnreadCompression, Place::byte(inflated_));
    } else if (size > kLargeSkippedBytes) {
      diagnostics_.add(kLargeSkippedFrame, Place::byte(inflated_));
    }
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
      give_up(kDamagedCompression);
    }
  }

  void end_without_end_mark() {
    if (frames_ == 0 || frame_bytes_ > 0) give_up(kTruncatedCompression);
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
  std::uint64_t fetched_ = 0;      // of the source below
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

}  // namespace lockstep::io
