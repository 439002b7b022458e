// Formatting of JSON tokens into one buffer.
#include "formats/chrome_json/write/chrome_json_writer_output.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "base/json_quote.h"
#include "base/text.h"
#include "formats/chrome_json/parse/argument_values.h"
#include "formats/chrome_json/scan/json_text.h"

namespace lockstep::formats::chrome_json {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
constexpr std::size_t kTokenBytes = 128;  // longer than any number

char* put_three_digits(char* to, unsigned value) {
  *to++ = static_cast<char>('0' + value / 100);
  *to++ = static_cast<char>('0' + value / 10 % 10);
  *to++ = static_cast<char>('0' + value % 10);
  return to;
}

char* put_text(char* to, std::string_view text) {
  std::memcpy(to, text.data(), text.size());
  return to + text.size();
}

}  // namespace

JsonOutput::JsonOutput(io::ByteSink& sink)
    : sink_(sink), buffer_(std::make_unique_for_overwrite<char[]>(kBufferBytes)) {}

char* JsonOutput::room(std::size_t bytes) {
  if (kBufferBytes - used_ < bytes) flush();
  return buffer_.get() + used_;
}

void JsonOutput::flush() {
  if (used_ != 0 && status_.ok()) status_ = sink_.write({buffer_.get(), used_});
  used_ = 0;
}

Status JsonOutput::finish() {
  flush();
  return status_;
}

void JsonOutput::raw(std::string_view text) {
  while (!text.empty()) {
    if (used_ == kBufferBytes) flush();
    const std::size_t n = std::min(text.size(), kBufferBytes - used_);
    std::memcpy(buffer_.get() + used_, text.data(), n);
    used_ += n;
    text.remove_prefix(n);
  }
}

void JsonOutput::integer(std::int64_t value) {
  const fmt::format_int digits(value);
  raw({digits.data(), digits.size()});
}

void JsonOutput::unsigned_integer(std::uint64_t value) {
  const fmt::format_int digits(value);
  raw({digits.data(), digits.size()});
}

void JsonOutput::real(double value) {
  if (std::isnan(value)) return plain_string("NaN");
  if (std::isinf(value)) return plain_string(value < 0 ? "-Infinity" : "Infinity");
  char* const begin = room(kTokenBytes);
  char* end = fmt::format_to(begin, "{}", value);
  if (std::string_view(begin, end).find_first_of(".e") == std::string_view::npos) {
    end = put_text(end, ".0");
  }
  used_ += static_cast<std::size_t>(end - begin);
}

void JsonOutput::plain_string(std::string_view text) {
  raw("\"");
  raw(text);
  raw("\"");
}

void JsonOutput::string(std::string_view text) {
  if (is_plain_json_text(text)) return plain_string(text);
  raw("\"");
  write_json_escaped(valid_utf8(text), JsonControls::kShort,
                     [this](std::string_view piece) { raw(piece); });
  raw("\"");
}

void JsonOutput::json(std::string_view text) {
  const std::string utf8 = valid_utf8(text);
  if (is_strict_json(utf8)) return raw(utf8);
  const std::string clean = repaired(utf8);
  is_strict_json(clean) ? raw(clean) : string(utf8);
}

void JsonOutput::microseconds(std::int64_t offset_ns, Time time) {
  const std::int64_t floor = floor_ns(time);
  std::int64_t ns = 0;
  if (__builtin_add_overflow(offset_ns, floor, &ns) || ns < 0) {
    const WideTime ps = static_cast<WideTime>(offset_ns) * kPicosecondsPerNanosecond + time.ps;
    return raw(format_decimal(ps, kMicrosecondsToPicoseconds, 3));
  }
  const fmt::format_int whole(ns / 1000);
  char* const begin = room(kTokenBytes);
  char* end = put_text(begin, {whole.data(), whole.size()});
  *end++ = '.';
  end = put_three_digits(end, static_cast<unsigned>(ns % 1000));
  if (const auto ps = static_cast<unsigned>(time.ps - floor * kPicosecondsPerNanosecond); ps != 0) {
    end = put_three_digits(end, ps);
    while (end[-1] == '0') --end;
  }
  used_ += static_cast<std::size_t>(end - begin);
}

}  // namespace lockstep::formats::chrome_json
