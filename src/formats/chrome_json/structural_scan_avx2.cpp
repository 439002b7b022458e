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

inline bool has_any(__m256i low, __m256i high, char one, char other) {
  const __m256i a = _mm256_set1_epi8(one);
  const __m256i b = _mm256_set1_epi8(other);
  const __m256i found =
      _mm256_or_si256(_mm256_or_si256(_mm256_cmpeq_epi8(low, a), _mm256_cmpeq_epi8(high, a)),
                      _mm256_or_si256(_mm256_cmpeq_epi8(low, b), _mm256_cmpeq_epi8(high, b)));
  return _mm256_testz_si256(found, found) == 0;
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
  BlockBits bits{};
  bits.quotes = bits_equal(low, high, '"');
  bits.opens = bits_equal(low_folded, high_folded, '{');
  bits.closes = bits_equal(low_folded, high_folded, '}');
  bits.colons = bits_equal(low, high, ':');
  bits.commas = bits_equal(low, high, ',');
  bits.spaces = bits_equal(low_spaces, high_spaces, ' ');
  if (has_any(low, high, '\\', '\0')) {
    bits.backslashes = bits_equal(low, high, '\\');
    bits.nuls = bits_equal(low, high, '\0');
  }
  return bits;
}

// Four words at a time.
struct Avx2Lanes {
  using Words = std::uint64_t __attribute__((vector_size(32)));
  static constexpr unsigned kCount = 4;
  static Words load(const std::uint64_t* from) {
    return reinterpret_cast<Words>(_mm256_load_si256(reinterpret_cast<const __m256i*>(from)));
  }
  static void store(std::uint64_t* to, Words words) {
    _mm256_store_si256(reinterpret_cast<__m256i*>(to), reinterpret_cast<__m256i>(words));
  }
  static unsigned tops(Words a) {
    return static_cast<unsigned>(_mm256_movemask_pd(reinterpret_cast<__m256d>(a)));
  }
  static unsigned greater(Words a, Words b) { return tops(reinterpret_cast<Words>(a > b)); }
  static unsigned empty(Words a) { return tops(reinterpret_cast<Words>(a == 0)); }
  static Words ones(unsigned lanes) {
    return (Words{lanes, lanes, lanes, lanes} >> Words{0, 1, 2, 3}) & 1;
  }
  static std::uint64_t any(Words a) { return a[0] | a[1] | a[2] | a[3]; }
};

}  // namespace

ScanResult avx2::scan_elements(const char* data, std::size_t begin, std::size_t end,
                               ScanState& state, Mark* marks, std::size_t capacity) {
  return scan_loop<Avx2Lanes>(data, begin, end, state, marks, capacity, classify_avx2);
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
