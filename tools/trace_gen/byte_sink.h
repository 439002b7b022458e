// A big output buffer in front of a file descriptor, with number formatting for the hot path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

namespace lockstep::tracegen {

// Appends text and integers; hands full buffers to write(2). After a failed write it keeps
// accepting bytes and drops them, so that callers need to look at error() only now and then.
// Numbers are formatted here, as a general formatter would be most of the run's time.
class ByteSink {
 public:
  explicit ByteSink(int descriptor);

  void append(std::string_view text) {
    if (text.size() > kCapacity - used_) make_room(text);
    std::memcpy(buffer_.get() + used_, text.data(), text.size());
    used_ += text.size();
  }
  void append_uint(std::uint64_t value);
  // Nanoseconds as microseconds with three decimals, exactly; the value must not be negative.
  void append_us(std::int64_t nanoseconds);

  void flush();
  // Bytes appended so far, written or not.
  std::uint64_t bytes() const { return written_ + used_; }
  // errno of the first failed write, or 0.
  int error() const { return error_; }

 private:
  static constexpr std::size_t kCapacity = std::size_t{1} << 20;

  void make_room(std::string_view& text);

  int descriptor_;
  int error_ = 0;
  std::size_t used_ = 0;
  std::uint64_t written_ = 0;
  std::unique_ptr<char[]> buffer_;
};

}  // namespace lockstep::tracegen
