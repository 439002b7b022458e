// Every implementation of the structural scan against the slow one, in one call and split where the
// first bytes say.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/chrome_json/scan/structural_scan_for_test.h"
#include "fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep::formats::chrome_json;
  constexpr std::size_t kSplits = 3;
  constexpr std::size_t kLeastCapacity = 64;
  if (size < kSplits + 1) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + kSplits + 1,
                              size - kSplits - 1);
  std::vector<std::size_t> splits;
  for (std::size_t i = 0; i < kSplits; ++i) {
    splits.push_back(std::min<std::size_t>(data[i], text.size()));
  }
  std::ranges::sort(splits);
  const std::size_t capacity = kLeastCapacity + data[kSplits];

  const std::string expected = describe(scan_slowly(text));
  for (const ScanImplementation& one : std::span(scan_implementations(), kScanImplementations)) {
    if (!one.supported) continue;
    LOCKSTEP_FUZZ_CHECK(describe(scan_in_parts(one, text, {}, 4096)) == expected);
    LOCKSTEP_FUZZ_CHECK(describe(scan_in_parts(one, text, splits, capacity)) == expected);
  }
  return 0;
}
