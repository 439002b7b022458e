// Buffering, writing and integer formatting of the trace bytes.
#include "byte_sink.h"

#include <unistd.h>

#include <array>
#include <cerrno>

namespace lockstep::tracegen {
namespace {

// "00" to "99", so that two digits cost one division.
constexpr std::array<char, 200> make_digit_pairs() {
  std::array<char, 200> pairs{};
  for (std::size_t i = 0; i < 100; ++i) {
    pairs[2 * i] = static_cast<char>('0' + i / 10);
    pairs[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return pairs;
}
constexpr std::array<char, 200> kDigitPairs = make_digit_pairs();

constexpr std::size_t kMaxDigits = 20;

// Writes the digits so that they end before `end`; returns where they begin.
char* write_digits(std::uint64_t value, char* end) {
  while (value >= 100) {
    end -= 2;
    std::memcpy(end, &kDigitPairs[2 * (value % 100)], 2);
    value /= 100;
  }
  if (value >= 10) {
    end -= 2;
    std::memcpy(end, &kDigitPairs[2 * value], 2);
  } else {
    *--end = static_cast<char>('0' + value);
  }
  return end;
}

}  // namespace

ByteSink::ByteSink(int descriptor)
    : descriptor_(descriptor), buffer_(std::make_unique<char[]>(kCapacity)) {}

void ByteSink::append_uint(std::uint64_t value) {
  std::array<char, kMaxDigits> digits;
  char* end = digits.data() + digits.size();
  const char* begin = write_digits(value, end);
  append({begin, static_cast<std::size_t>(end - begin)});
}

void ByteSink::append_us(std::int64_t nanoseconds) {
  std::array<char, kMaxDigits + 4> digits;
  char* end = digits.data() + digits.size();
  const auto value = static_cast<std::uint64_t>(nanoseconds);
  const std::uint64_t fraction = value % 1000;
  std::memcpy(end - 2, &kDigitPairs[2 * (fraction % 100)], 2);
  end[-3] = static_cast<char>('0' + fraction / 100);
  end[-4] = '.';
  const char* begin = write_digits(value / 1000, end - 4);
  append({begin, static_cast<std::size_t>(end - begin)});
}

void ByteSink::flush() {
  const char* from = buffer_.get();
  std::size_t left = used_;
  while (left > 0 && error_ == 0) {
    const ssize_t count = ::write(descriptor_, from, left);
    if (count > 0) {
      from += count;
      left -= static_cast<std::size_t>(count);
    } else if (count < 0 && errno != EINTR) {
      error_ = errno;
    }
  }
  written_ += used_;
  used_ = 0;
}

void ByteSink::make_room(std::string_view& text) {
  flush();
  while (text.size() > kCapacity) {
    std::memcpy(buffer_.get(), text.data(), kCapacity);
    used_ = kCapacity;
    flush();
    text.remove_prefix(kCapacity);
  }
}

}  // namespace lockstep::tracegen
