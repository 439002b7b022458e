// zlib streams through ISA-L, zstd through the source that files use.
#include "formats/perfetto/wire/inflating_source.h"

#include <algorithm>

#include <isa-l/igzip_lib.h>

#include "formats/perfetto/defects.h"
#include "io/compress/decompress.h"
#include "io/compress/zstd_source.h"

namespace lockstep::formats::perfetto {
namespace {

class ViewSource : public io::ByteSource {
 public:
  explicit ViewSource(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] Result<std::size_t> read(std::span<char> buffer) override {
    const std::size_t size = std::min(buffer.size(), bytes_.size() - position_);
    std::copy_n(bytes_.data() + position_, size, buffer.data());
    position_ += size;
    return size;
  }
  [[nodiscard]] const Diagnostics& diagnostics() const override { return diagnostics_; }
  [[nodiscard]] std::uint64_t raw_bytes_read() const override { return position_; }

 private:
  std::string_view bytes_;
  std::size_t position_ = 0;
  Diagnostics diagnostics_;
};

class ZlibSource : public io::ByteSource {
 public:
  explicit ZlibSource(std::string_view bytes) : size_(bytes.size()) {
    isal_inflate_init(&state_);
    state_.crc_flag = ISAL_ZLIB;
    // ISA-L does not write to its input, but its field is not const.
    state_.next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(bytes.data()));
    state_.avail_in = static_cast<std::uint32_t>(bytes.size());  // packets are below 4 GiB
  }

  [[nodiscard]] Result<std::size_t> read(std::span<char> buffer) override {
    std::size_t filled = 0;
    while (filled < buffer.size() && !is_finished_) {
      const std::size_t got = inflate_into(buffer.subspan(filled));
      filled += got;
      const bool is_at_end = state_.block_state == ISAL_BLOCK_FINISH;
      if (got == 0 && !is_at_end && !is_finished_) give_up();  // cut off
      is_finished_ |= is_at_end && got == 0;
    }
    return filled;
  }
  [[nodiscard]] const Diagnostics& diagnostics() const override { return diagnostics_; }
  [[nodiscard]] std::uint64_t raw_bytes_read() const override { return size_ - state_.avail_in; }

 private:
  std::size_t inflate_into(std::span<char> out) {
    state_.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    state_.avail_out = static_cast<std::uint32_t>(std::min<std::size_t>(out.size(), 1U << 30));
    const std::uint32_t room = state_.avail_out;
    const int code = isal_inflate(&state_);
    if (code < 0) give_up();
    return room - state_.avail_out;
  }

  void give_up() {
    diagnostics_.add(kDamagedCompressedPackets);
    is_finished_ = true;
  }

  inflate_state state_{};
  std::size_t size_;
  Diagnostics diagnostics_;
  bool is_finished_ = false;
};

class LimitedSource : public io::ByteSource {
 public:
  explicit LimitedSource(std::unique_ptr<io::ByteSource> below) : below_(std::move(below)) {}

  [[nodiscard]] Result<std::size_t> read(std::span<char> buffer) override {
    const auto room = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), left_));
    LOCKSTEP_ASSIGN_OR_RETURN(const std::size_t got, below_->read(buffer.subspan(0, room)));
    left_ -= got;
    if (left_ == 0 && !is_told_) {
      is_told_ = true;
      limit_.add(kInflationLimit);
    }
    return got;
  }
  [[nodiscard]] const Diagnostics& diagnostics() const override {
    return is_told_ ? limit_ : below_->diagnostics();
  }
  [[nodiscard]] std::uint64_t raw_bytes_read() const override { return below_->raw_bytes_read(); }

 private:
  std::unique_ptr<io::ByteSource> below_;
  std::uint64_t left_ = kMaxInflatedBytes;
  bool is_told_ = false;
  Diagnostics limit_;
};

}  // namespace

std::unique_ptr<io::ByteSource> make_inflating_source(PacketCompression compression,
                                                      std::string_view bytes) {
  if (compression == PacketCompression::kDeflate) {
    return std::make_unique<LimitedSource>(std::make_unique<ZlibSource>(bytes));
  }
  return std::make_unique<LimitedSource>(io::make_zstd_source(std::make_unique<ViewSource>(bytes)));
}

}  // namespace lockstep::formats::perfetto
