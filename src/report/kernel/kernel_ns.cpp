// Digits, without trailing zeros behind the point.
#include "report/kernel/kernel_ns.h"

#include <cstdint>

#include <fmt/format.h>

#include "analysis/kernel_profile/clocks/time_base.h"

namespace lockstep::report::kernel {

void append_ns(std::string& out, Time time) {
  constexpr std::uint64_t kPs = kPicosecondsPerNanosecond;
  const bool is_negative = time.ps < 0;
  const auto bits = static_cast<std::uint64_t>(time.ps);
  const std::uint64_t ps = is_negative ? 0 - bits : bits;  // the least value has no positive one
  if (is_negative) out += '-';
  const fmt::format_int whole(ps / kPs);
  out.append(whole.data(), whole.size());
  std::uint64_t rest = ps % kPs;
  if (rest == 0) return;
  out += '.';
  for (std::uint64_t digit = kPs / 10; rest > 0; digit /= 10) {
    out += static_cast<char>('0' + rest / digit);
    rest %= digit;
  }
}

std::string exact_ns(Time time) {
  std::string out;
  append_ns(out, time);
  return out;
}

void append_band(std::string& out, Time uncertainty) {
  if (uncertainty == analysis::kernel_profile::kUnknownUncertainty) {
    out += "null";
  } else {
    append_ns(out, uncertainty);
  }
}

std::string band_ns(Time uncertainty) {
  std::string out;
  append_band(out, uncertainty);
  return out;
}

}  // namespace lockstep::report::kernel
