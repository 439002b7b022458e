// Times of in-kernel profiles in JSON: cycles are shorter than a nanosecond.
#pragma once

#include <string>

#include "base/time.h"

namespace lockstep::report::kernel {

// Nanoseconds with the decimals that there are, at most three: "8704", "0.505". There are three for
// every region, so this is format_decimal() without its wide arithmetic.
void append_ns(std::string& out, Time time);
[[nodiscard]] std::string exact_ns(Time time);

// The same of how far a time may be off: null where nothing ties it.
void append_band(std::string& out, Time uncertainty);
[[nodiscard]] std::string band_ns(Time uncertainty);

}  // namespace lockstep::report::kernel
