// JSON text on its way to a sink: one buffer, tokens formatted in place, errors kept for the end.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "io/byte_sink.h"

namespace lockstep::formats::chrome_json {

// After the sink has failed, everything is swallowed and finish() returns that first error; a long
// loop asks failed() to stop early.
class JsonOutput {
 public:
  explicit JsonOutput(io::ByteSink& sink);

  void raw(std::string_view text);
  void integer(std::int64_t value);
  void unsigned_integer(std::uint64_t value);
  // Shortest text that reads back as the same double, with a point or an exponent so that it
  // stays a real. NaN and infinities, which JSON lacks, become strings.
  void real(double value);
  // Quoted and escaped; bytes that are not UTF-8 become U+FFFD.
  void string(std::string_view text);
  // The same for text that is_plain_json_text.
  void plain_string(std::string_view text);
  // JSON text as it is, but for bytes that are not UTF-8 and control characters in strings. What
  // is no JSON even then becomes a string.
  void json(std::string_view text);
  // Microseconds with three decimals, up to six when there are picoseconds.
  // The time is `offset_ns` nanoseconds and `time` together.
  void microseconds(std::int64_t offset_ns, Time time);

  [[nodiscard]] bool failed() const { return !status_.ok(); }
  // Hands the rest to the sink.
  [[nodiscard]] Status finish();

 private:
  // Room for `bytes` (at most kTokenBytes) at the end of the buffer.
  char* room(std::size_t bytes);
  void flush();

  io::ByteSink& sink_;
  Status status_;
  std::unique_ptr<char[]> buffer_;
  std::size_t used_ = 0;
};

}  // namespace lockstep::formats::chrome_json
