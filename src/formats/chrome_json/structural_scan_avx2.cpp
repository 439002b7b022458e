// The structural scan for processors with AVX2. Only this file is compiled with -mavx2; it is
// entered only when the processor says that it can.
#include "formats/chrome_json/structural_scan_loop.h"

#if defined(__AVX2__)
#include <immintrin.h>

namespace lockstep::chrome_json {
namespace {

inline std::uint64_t bits_equal(__m256i low, __m256i high, char wanted) {
  const __m256i pattern = _mm256_set1_epi8(wanted);
  const auto l = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, pattern)));
  const auto h = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, pattern)));
  return l | (static_cast<std::uint64_t>(h) << 32);
}

inline BlockBits classify_avx2(const char* block, std::size_t length) {
  alignas(32) char padded[kBlockBytes];
  if (length < kBlockBytes) {
    for (std::size_t i = 0; i < kBlockBytes; ++i) padded[i] = i < length ? block[i] : ' ';
    block = padded;
  }
  const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block));
  const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block + 32));
  const __m256i fold = _mm256_set1_epi8(0x20);  // [ and { differ by this bit
  const __m256i low_folded = _mm256_or_si256(low, fold);
  const __m256i high_folded = _mm256_or_si256(high, fold);
  // Bytes up to a space become spaces.
  const __m256i low_spaces = _mm256_max_epu8(low, fold);
  const __m256i high_spaces = _mm256_max_epu8(high, fold);
  return {bits_equal(low, high, '"'),
          bits_equal(low, high, '\\'),
          bits_equal(low_folded, high_folded, '{'),
          bits_equal(low_folded, high_folded, '}'),
          bits_equal(low, high, ':'),
          bits_equal(low, high, ','),
          bits_equal(low_spaces, high_spaces, ' '),
          bits_equal(low, high, '\0')};
}

}  // namespace

ScanResult avx2::scan_elements(const char* data, std::size_t begin, std::size_t end,
                               ScanState& state, Mark* marks, std::size_t capacity) {
  return scan_loop(data, begin, end, state, marks, capacity, classify_avx2);
}

}  // namespace lockstep::chrome_json

#else

namespace lockstep::chrome_json {

// Never entered: scan_implementations() says that it is not supported.
ScanResult avx2::scan_elements(const char*, std::size_t, std::size_t, ScanState&, Mark*,
                               std::size_t) {
  return {};
}

}  // namespace lockstep::chrome_json

#endif
