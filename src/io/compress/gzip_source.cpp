// Streaming gunzip with ISA-L.
#include "io/compress/gzip_source.h"

#include <algorithm>
#include <array>
#include <vector>

#include <isa-l/igzip_lib.h>

#include "io/compress/decompress.h"

namespace lockstep::io {
namespace {

constexpr std::size_t kInputBytes = 256 * 1024;
// The head of a member may lie in two reads: room in front of the second for the first's bytes.
constexpr std::size_t kHeadBytes = kFewestMemberBytes;
constexpr std::array<std::uint8_t, 2> kMagic{0x1F, 0x8B};

class GzipSource : public ByteSource {
 public:
  explicit GzipSource(std::unique_ptr<ByteSource> below)
      : below_(std::move(below)), input_(kHeadBytes + kInputBytes) {
    begin_member();
  }

  [[nodiscard]] Result<std::size_t> read(std::span<char> buffer) override {
    std::size_t filled = 0;
    while (filled < buffer.size() && !finished_) {
      if (damaged_) {
        filled += take_rest(buffer.subspan(filled));
        continue;
      }
      LOCKSTEP_RETURN_IF_ERROR(refill());
      if (between_members_) {
        LOCKSTEP_RETURN_IF_ERROR(next_member());
        continue;
      }
      if (state_.avail_in == 0 && at_end_) {
        const std::size_t rest = inflate_into(buffer.subspan(filled));
        filled += rest;
        if (rest == 0 && !between_members_ && !finished_) give_up(kTruncatedCompression);
        continue;
      }
      filled += inflate_into(buffer.subspan(filled));
    }
    return filled;
  }

  [[nodiscard]] const Diagnostics& diagnostics() const override { return diagnostics_; }
  [[nodiscard]] std::uint64_t raw_bytes_read() const override { return below_->raw_bytes_read(); }

 private:
  void begin_member() {
    auto* const next = state_.next_in;
    const auto left = state_.avail_in;
    isal_inflate_init(&state_);
    state_.crc_flag = ISAL_GZIP_NO_HDR_VER;
    header_ = {};
    isal_gzip_header_init(&header_);
    in_header_ = true;
    state_.next_in = next;
    state_.avail_in = left;
    between_members_ = false;
  }

  Status refill() {
    if (state_.avail_in > 0 || at_end_) return {};
    const std::span<char> room = std::span(input_).subspan(kHeadBytes);
    auto got = below_->read(room);
    if (!got.ok()) return got.error();
    at_end_ = got.value() < room.size();
    if (at_end_) diagnostics_.absorb(below_->diagnostics(), {});
    state_.next_in = reinterpret_cast<std::uint8_t*>(room.data());
    state_.avail_in = static_cast<std::uint32_t>(got.value());
    fetched_ += got.value();
    return {};
  }

  std::size_t inflate_into(std::span<char> out) {
    state_.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    state_.avail_out = static_cast<std::uint32_t>(std::min<std::size_t>(out.size(), 1U << 30));
    const std::uint32_t room = state_.avail_out;
    const int code = inflate_or_read_header();
    const std::size_t produced = room - state_.avail_out;
    inflated_ += produced;
    if (code == ISAL_INCORRECT_CHECKSUM) {
      diagnostics_.add(kChecksumMismatch, Place::byte(inflated_));
      between_members_ = true;
    } else if (code < 0) {
      damaged_ = true;
    } else if (state_.block_state == ISAL_BLOCK_FINISH) {
      between_members_ = true;
    }
    return produced;
  }

  // isal_inflate would read the header too, but forgets its flags when it goes on in a second
  // buffer.
  int inflate_or_read_header() {
    if (in_header_) {
      const int code = isal_read_gzip_header(&state_, &header_);
      if (code != ISAL_DECOMP_OK) return code;
      in_header_ = false;
    }
    return isal_inflate(&state_);
  }

  // ISA-L inflates ahead of what it hands over: what it had before it met the damage may still lie
  // in its own buffer.
  std::size_t take_rest(std::span<char> out) {
    const auto left = static_cast<std::size_t>(state_.tmp_out_valid - state_.tmp_out_processed);
    const std::size_t taken = std::min(left, out.size());
    std::copy_n(state_.tmp_out_buffer + state_.tmp_out_processed, taken, out.begin());
    state_.tmp_out_processed += static_cast<std::int32_t>(taken);
    inflated_ += taken;
    if (taken == left) give_up(kDamagedCompression);
    return taken;
  }

  // Behind a member: zero padding, another member, or something that is not ours.
  Status next_member() {
    LOCKSTEP_RETURN_IF_ERROR(skip_zeros());
    std::array<std::uint8_t, kHeadBytes> head{};
    std::size_t have = 0;
    while (have < head.size()) {
      LOCKSTEP_RETURN_IF_ERROR(refill());
      if (state_.avail_in == 0) break;
      head[have++] = *state_.next_in;
      skip_byte();
    }
    const std::span<const std::uint8_t> found = std::span(head).first(have);
    if (found.empty()) {
      finished_ = true;
    } else if (std::ranges::equal(found.first(std::min(have, kMagic.size())), kMagic)) {
      restart_with(found);
    } else if (have == 1 && found[0] == kMagic[0]) {
      give_up(kTruncatedCompression);
    } else {
      give_up(have < head.size() ? kBytesAfterCompression : kUnreadCompression);
    }
    return {};
  }

  Status skip_zeros() {
    std::uint64_t zeros = 0;
    for (;; ++zeros) {
      LOCKSTEP_RETURN_IF_ERROR(refill());
      if (state_.avail_in == 0 || *state_.next_in != 0) break;
      skip_byte();
    }
    if (!is_padding(zeros, fetched_ - state_.avail_in)) {
      diagnostics_.add(kUnreadCompression, Place::byte(inflated_));
    }
    return {};
  }

  void skip_byte() { ++state_.next_in, --state_.avail_in; }

  // Nothing but the head moves: a file may be nothing but members.
  void restart_with(std::span<const std::uint8_t> head) {
    state_.next_in -= head.size();
    state_.avail_in += static_cast<std::uint32_t>(head.size());
    std::ranges::copy(head, state_.next_in);
    begin_member();
  }

  void give_up(const DiagnosticKind& why) {
    diagnostics_.add(why, Place::byte(inflated_));
    finished_ = true;
  }

  std::unique_ptr<ByteSource> below_;
  std::vector<char> input_;
  inflate_state state_{};
  isal_gzip_header header_{};
  bool in_header_ = true;
  Diagnostics diagnostics_;
  std::uint64_t inflated_ = 0;
  std::uint64_t fetched_ = 0;  // of the source below
  bool at_end_ = false;        // the source below has no more
  bool between_members_ = false;
  bool damaged_ = false;
  bool finished_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> make_gzip_source(std::unique_ptr<ByteSource> below) {
  return std::make_unique<GzipSource>(std::move(below));
}

}  // namespace lockstep::io
